"""How the workspace stands: how many health checks are clean, and whether that got better."""

from collections import Counter
from dataclasses import dataclass

from django.utils.translation import gettext as _

from audit.health.check import Severity
from audit.health.trend import trend
from memory.models import Scope

from .sparks import Spark, line

# Their bodies take 0.5 ms each to read.
REPORTS = 12


@dataclass(frozen=True)
class Standing:
    """The newest kept report: `clean` of `checks` found nothing. `way`: better, worse or same
    than the report before, "" where there is none; errors weigh before warnings."""

    clean: int
    checks: int
    way: str
    spark: Spark | None


def standing(scope: Scope) -> Standing | None:
    """None where no report was kept yet."""
    found = trend(scope, REPORTS)
    if not found.states:
        return None
    tally: dict[int, Counter] = {then.report_id: Counter() for then in found.states}
    for points in found.checks.values():
        for point in points:
            tally[point.report_id][point.severity] += 1
    counts = list(tally.values())
    cleans = [one[Severity.OK] for one in counts]
    told = _("clean checks in the last %(n)d reports: from %(first)s to %(last)s, at most %(top)s")
    return Standing(cleans[-1], counts[-1].total(), _way(counts), line(cleans, told))


def _way(counts: list[Counter]) -> str:
    if len(counts) < 2:
        return ""
    before, now = ((one[Severity.ERROR], one[Severity.WARNING]) for one in counts[-2:])
    return "same" if before == now else "better" if now < before else "worse"
