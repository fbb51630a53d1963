"""What the kept reports say over time: each check's figures, and the memories by state."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from audit.models import HealthReport
from memory.models import Scope, ScopeError, Status

from .compare import percent
from .report import read_report

# Eight years of a report every two weeks, or half a year of one every day; a page of them reads
# in about 0.1 s.
MOST = 200


@dataclass(frozen=True)
class Point:
    """One check in one kept report."""

    at: datetime
    report_id: int
    severity: str
    count: int
    total: int
    share: float

    @property
    def percent(self) -> str:
        return percent(self.share)

    def to_dict(self) -> dict[str, Any]:
        return {
            "at": self.at.isoformat(),
            "report_id": self.report_id,
            "severity": self.severity,
            "count": self.count,
            "total": self.total,
            "share": self.share,
        }


@dataclass(frozen=True)
class StatesThen:
    """How many memories were in each state when a report was made."""

    at: datetime
    report_id: int
    counts: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        return {"at": self.at.isoformat(), "report_id": self.report_id, "counts": self.counts}


@dataclass(frozen=True)
class Trend:
    """The newest kept reports as series, oldest first. A report in which a check did not run
    yet has no point of it. `is_cut`: there are older reports."""

    checks: dict[str, list[Point]] = field(default_factory=dict)
    states: Sequence[StatesThen] = ()
    is_cut: bool = False

    def of(self, check_id: str) -> list[Point]:
        return self.checks.get(check_id, [])


def trend(scope: Scope, most: int = MOST, until: datetime | None = None) -> Trend:
    """The series of at most the newest `most` kept reports, of those made until then. Raises
    `ScopeError` for a scope bound to a user: reports speak of everybody's memories."""
    if scope.user_id is not None:
        raise ScopeError("a kept report is of a whole workspace")
    rows = HealthReport.objects.within(scope)
    if until is not None:
        rows = rows.filter(at__lte=until)
    kept = list(rows.order_by("-at", "-id")[: most + 1])
    checks: dict[str, list[Point]] = {}
    states = []
    for row in reversed(kept[:most]):
        report = read_report(row)
        counts = {name: report.counts.get(name, 0) for name in Status.values}
        states.append(StatesThen(report.at, row.pk, counts))
        for one in report.findings:
            point = Point(report.at, row.pk, one.severity, one.count, one.total, one.share)
            checks.setdefault(one.id, []).append(point)
    return Trend(checks, states, len(kept) > most)
