from collections.abc import Sequence
from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.check import Check, Result, Severity, ratio
from audit.health.recent import DAYS, WINDOW, log_of, recent, window_note
from memory.models import Scope

# Up to a tenth of a second an answer feels immediate (Nielsen, Usability Engineering, 1993), and
# recall is only the first part of one.
SLOW_MS = 100
# Of fewer recalls, one slow start of a server is more than one in twenty.
LEAST = 20


class RecallLatency(Check):
    title = gettext_lazy("Slow recalls")
    why = gettext_lazy(
        "An agent waits for memory before it answers. A recall that takes longer than 100 ms is "
        "felt by whoever talks to it."
    )
    advice = gettext_lazy(
        "Open the slow recalls and see which stage took the time; run manage.py maintain, and look "
        "for a server that is short of memory or a store on a slow disk."
    )
    severity = Severity.WARNING
    reads_past = True
    # One in twenty slow is the same as a 95th percentile above the limit; half of them slow is
    # a store that is felt at every turn.
    unit, warning_from, error_from = "share", 0.05, 0.5

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: recalls that took `SLOW_MS` or longer. Share: of those looked at, which are the
        newest `WINDOW`; the percentiles are theirs."""
        took = sorted(recent(scope).values_list("took_ms", flat=True))
        slow = sum(ms >= SLOW_MS for ms in took)
        return Result(
            count=slow,
            total=len(took),
            share=ratio(slow, len(took)),
            found=len(took) >= LEAST and slow > 0,
            detail={
                "days": DAYS,
                "most": WINDOW,
                "p50_ms": percentile(took, 50),
                "p95_ms": percentile(took, 95),
            },
        )

    def notes(self, detail) -> list[str]:
        if detail["p50_ms"] is None:
            return []
        told = _("half took up to %(p50).1f ms, 95 of 100 up to %(p95).1f ms")
        figures = {"p50": detail["p50_ms"], "p95": detail["p95_ms"]}
        return [told % figures, window_note(detail)]

    def url(self, count: int) -> str | None:
        return log_of(slower=SLOW_MS) if count else None


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The smallest value that `percent` of 100 do not exceed (nearest rank); None of nothing."""
    if not ordered:
        return None
    return round(ordered[ceil(len(ordered) * percent / 100) - 1], 2)


CHECK = RecallLatency()
