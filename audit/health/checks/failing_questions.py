from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy, ngettext

from audit.health.check import Check, Result, Severity, ratio
from audit.questions.ask import live
from audit.questions.results import with_last
from memory.models import Scope


class FailingQuestions(Check):
    title = gettext_lazy("Acceptance questions that do not hold")
    why = gettext_lazy(
        "What somebody wrote down as having to hold, an agent was not given when it was last "
        "asked, or was given with a value that is wrong."
    )
    advice = gettext_lazy(
        "Open a question that failed and the recall that it asked: it says which memories came "
        "up, and why others did not. Archive a question that nobody needs any more."
    )
    severity = Severity.WARNING

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: questions that failed when they were last asked. Share: of those not archived."""
        found = (
            with_last(live(scope))
            .order_by()
            .aggregate(
                total=Count("id"),
                failed=Count("id", filter=Q(last_passed=False)),
                never=Count("id", filter=Q(last_passed=None)),
            )
        )
        count, total = found["failed"], found["total"]
        return Result(
            count, total, ratio(count, total), count > 0, detail={"never": found["never"]}
        )

    def notes(self, detail) -> list[str]:
        n = detail["never"]
        if not n:
            return []
        return [ngettext("%d question was never asked.", "%d questions were never asked.", n) % n]

    def url(self, count: int) -> str | None:
        return f"{reverse('questions')}?result=failed" if count else None


CHECK = FailingQuestions()
