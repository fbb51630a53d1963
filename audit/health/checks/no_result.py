from django.utils.translation import gettext_lazy

from audit.health.check import Check, Result, Severity, ratio
from audit.health.recent import DAYS, WINDOW, AskedRecalls, log_of, window_note
from memory.models import Scope

# Of fewer recalls a share says nothing: two of three may be chance.
LEAST = 20


class NoResult(Check):
    title = gettext_lazy("Recalls with no result")
    why = gettext_lazy(
        "The agent asked memory and was given nothing, so it answered without it or guessed. What "
        "is asked for again and again and never found is missing, or is kept under other words."
    )
    advice = gettext_lazy(
        "Open the recalls and ask a few of them again: write down what is missing, and where it is "
        "there, see with “why not” at which step it was lost."
    )
    severity = Severity.WARNING
    reads_past = True
    # Many questions are about what nobody ever said, so some emptiness is sound; when every
    # second search finds nothing, an agent gains little by asking.
    unit, warning_from, error_from = "share", 0.5, None

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: recalls that searched memory and gave nothing. Share: of those that searched."""
        recalls = AskedRecalls(scope)
        return Result(
            count=recalls.nothing,
            total=recalls.asked,
            share=ratio(recalls.nothing, recalls.asked),
            found=recalls.asked >= LEAST and recalls.nothing > 0,
            detail={"days": DAYS, "most": WINDOW},
        )

    def notes(self, detail) -> list[str]:
        return [window_note(detail)]

    def url(self, count: int) -> str | None:
        return log_of(served="none", triggered="yes") if count else None


CHECK = NoResult()
