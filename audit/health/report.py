"""The health report: every check run on one scope, and the reports kept."""

import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count

from audit.models import HealthReport
from memory import clock
from memory.index.storage import one_view
from memory.models import Memory, Scope, ScopeError, Status, Workspace
from memory.write.transaction import write_transaction

from . import registry
from .check import Check, Severity


@dataclass(frozen=True)
class Finding:
    """One check's result within a report; its words come from the check, in the active language.

    `severity` is "ok" or, when something was found, the check's own.
    """

    id: str
    severity: str
    count: int
    total: int
    share: float
    sample: tuple[str, ...] = ()
    detail: dict[str, Any] = field(default_factory=dict)
    took_ms: float = 0.0

    @property
    def check(self) -> Check:
        return registry.check(self.id)

    @property
    def title(self) -> str:
        return str(self.check.title)

    @property
    def why(self) -> str:
        return str(self.check.why)

    @property
    def advice(self) -> str:
        return str(self.check.advice)

    @property
    def notes(self) -> list[str]:
        return self.check.notes(self.detail)

    @property
    def url(self) -> str | None:
        """The page that shows exactly the rows counted, or None."""
        return self.check.url(self.count)

    @property
    def label(self) -> str:
        return str(Severity.LABELS[self.severity])

    @property
    def percent(self) -> str:
        return "<0.1%" if 0 < self.share < 0.001 else f"{self.share:.1%}"

    @property
    def more(self) -> int:
        """How many rows the sample leaves out."""
        return max(self.count - len(self.sample), 0)

    def figures(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "severity": self.severity,
            "count": self.count,
            "total": self.total,
            "share": self.share,
            "sample": list(self.sample),
            "detail": self.detail,
            "took_ms": self.took_ms,
        }

    def to_dict(self) -> dict[str, Any]:
        words = ("title", "why", "advice", "notes", "url")
        return self.figures() | {name: getattr(self, name) for name in words}


@dataclass(frozen=True)
class Report:
    """`workspace` is a name, `counts` the memories by status, `took_ms` the time
    of the checks."""

    at: datetime
    workspace: str
    sqlite: str
    counts: dict[str, int]
    findings: tuple[Finding, ...]
    took_ms: float

    @property
    def worst(self) -> str:
        return Severity.worst(finding.severity for finding in self.findings)

    @property
    def label(self) -> str:
        return str(Severity.LABELS[self.worst])

    @property
    def statuses(self) -> list[tuple[str, int]]:
        """The counts under the states' names in the active language."""
        return [(str(Status(status).label), n) for status, n in self.counts.items()]

    def figures(self) -> dict[str, Any]:
        """The report without words, as it is kept."""
        return self._frame() | {"checks": [finding.figures() for finding in self.findings]}

    def to_dict(self) -> dict[str, Any]:
        """The report in plain JSON types, its words in the active language."""
        return self._frame() | {"checks": [finding.to_dict() for finding in self.findings]}

    def _frame(self) -> dict[str, Any]:
        return {
            "at": self.at.isoformat(),
            "workspace": self.workspace,
            "worst": self.worst,
            "sqlite": self.sqlite,
            "counts": self.counts,
            "took_ms": self.took_ms,
        }


def run_report(scope: Scope, checks: Iterable[str] | None = None) -> Report:
    """Run the named checks, or all, as the store is at one moment; the worst come first.

    Raises `registry.UnknownCheck`. A scope bound to a user gives that user's report.
    """
    return run_reports([scope], checks)[0]


def run_reports(scopes: Sequence[Scope], checks: Iterable[str] | None = None) -> list[Report]:
    """A report a scope, all of the same moment; what they share is read only once."""
    chosen = [registry.check(name) for name in (registry.checks() if checks is None else checks)]
    for check in chosen:
        for scope in scopes:
            check.prepare(scope)
    with one_view():
        at = clock.now()
        looks = [_look(check) for check in chosen]
        return [_report(scope, at, looks) for scope in scopes]


def save_report(scope: Scope, report: Report) -> HealthReport:
    """Keep a workspace's report. Raises `ScopeError` for a scope bound to a user."""
    _whole_workspace(scope)
    with write_transaction():
        return HealthReport.everywhere.create(
            workspace_id=scope.workspace_id,
            at=report.at,
            worst=report.worst,
            body=report.figures(),
            took_ms=report.took_ms,
        )


def latest_report(scope: Scope) -> Report | None:
    """The newest kept report of the workspace. Raises `ScopeError` for a scope bound to a user:
    it speaks of everybody's memories."""
    _whole_workspace(scope)
    kept = HealthReport.objects.within(scope).order_by("-at", "-id").first()
    return read_report(kept) if kept else None


def _look(check: Check) -> tuple[Check, Any, float]:
    began = time.perf_counter()
    return check, check.look(), _since(began)


def _report(scope: Scope, at: datetime, looks: list[tuple[Check, Any, float]]) -> Report:
    findings = [_judge(scope, *look) for look in looks]
    findings.sort(key=lambda finding: -Severity.ORDER.index(finding.severity))
    return Report(
        at=at,
        workspace=Workspace.objects.get(pk=scope.workspace_id).name,
        sqlite=sqlite3.sqlite_version,
        counts=_counts(scope),
        findings=tuple(findings),
        took_ms=round(sum(finding.took_ms for finding in findings), 1),
    )


def _judge(scope: Scope, check: Check, seen: Any, looked_ms: float) -> Finding:
    began = time.perf_counter()
    result = check.judge(scope, seen)
    return Finding(
        id=check.id,
        severity=check.severity if result.found else Severity.OK,
        count=result.count,
        total=result.total,
        share=result.share,
        sample=result.sample,
        detail=dict(result.detail),
        took_ms=round(looked_ms + _since(began), 1),
    )


def _counts(scope: Scope) -> dict[str, int]:
    rows = Memory.objects.within(scope).order_by().values_list("status").annotate(n=Count("id"))
    found = dict(rows)
    return {status: found.get(status, 0) for status in Status.values}


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 1)


def _whole_workspace(scope: Scope) -> None:
    if scope.user_id is not None:
        raise ScopeError("a kept report is of a whole workspace")


def read_report(kept: HealthReport) -> Report:
    """A kept report as it was, its words in the active language."""
    body = kept.body
    # A check may have been taken out of the house since.
    known = [item for item in body["checks"] if item["id"] in registry.checks()]
    return Report(
        at=kept.at,
        workspace=body["workspace"],
        sqlite=body["sqlite"],
        counts=body["counts"],
        findings=tuple(Finding(**item | {"sample": tuple(item["sample"])}) for item in known),
        took_ms=kept.took_ms,
    )
