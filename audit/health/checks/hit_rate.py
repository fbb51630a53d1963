from django.utils.translation import gettext_lazy

from audit.health.check import Check, Result, Severity, ratio
from audit.health.recent import DAYS, WINDOW, AskedRecalls, log_of, window_note
from memory.models import Scope


class HitRate(Check):
    """A figure to follow, never a finding: what is wrong with a low one is counted as recalls
    with no result, which has a threshold."""

    title = gettext_lazy("Hit rate")
    why = gettext_lazy(
        "How often a recall that searched memory gave the agent anything. A rate that falls from "
        "one report to the next says that something changed in what is asked or in what is kept."
    )
    advice = gettext_lazy("Follow its trend. When it falls, open the recalls with no result.")
    severity = Severity.WARNING
    reads_past = True
    unit, is_figure = "share", True

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: recalls of the last days that gave something. Share: of those that searched."""
        recalls = AskedRecalls(scope)
        return Result(
            count=recalls.gave,
            total=recalls.asked,
            share=ratio(recalls.gave, recalls.asked),
            found=False,
            detail={"days": DAYS, "most": WINDOW},
        )

    def notes(self, detail) -> list[str]:
        return [window_note(detail)]

    def url(self, count: int) -> str | None:
        return log_of(served="some", triggered="yes") if count else None


CHECK = HitRate()
