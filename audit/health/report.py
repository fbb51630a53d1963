"""The health report: every check run on one scope, and the reports kept."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from itertools import count
from typing import Any

from django.db.models import Count, Q

from audit.models import HealthReport
from memory import clock
from memory.index.storage import one_view
from memory.models import Memory, Scope, ScopeError, Status, Workspace
from memory.write.transaction import write_transaction
from memory.write.webhooks import emit

from . import registry
from .check import Check, Limits, Severity
from .compare import beside
from .counted import keep_rows
from .figures import Finding, Report
from .thresholds import thresholds_of

Progress = Callable[[int, int], None]


def run_report(
    scope: Scope, checks: Iterable[str] | None = None, progress: Progress | None = None
) -> Report:
    """Run the named checks, or all, as the store is at one moment; the worst come first.

    Raises `registry.UnknownCheck`. A scope bound to a user gives that user's report. `progress` is
    told after each step how many are done, and of how many.
    """
    return run_reports([scope], checks, progress=progress)[0]


def run_reports(
    scopes: Sequence[Scope],
    checks: Iterable[str] | None = None,
    within: AbstractContextManager | None = None,
    progress: Progress | None = None,
) -> list[Report]:
    """A report a scope, all of the same moment; what they share is read only once. `within`: what
    the checks judge in, another time than the present."""
    chosen = [registry.check(name) for name in (registry.checks() if checks is None else checks)]
    for prepare in dict.fromkeys(check.prepare for check in chosen):
        for scope in scopes:
            prepare(scope)
    with one_view(), within or nullcontext():
        at = clock.now()
        step = _steps(len(chosen) * (1 + len(scopes)), progress)
        looks = [step(_look(check)) for check in chosen]
        reports = [_report(scope, at, looks, step) for scope in scopes]
        return [_beside_kept(scope, each) for scope, each in zip(scopes, reports, strict=True)]


def save_report(scope: Scope, report: Report) -> HealthReport:
    """Keep a workspace's report. Raises `ScopeError` for a scope bound to a user, `ValueError` for
    a report of the past: what is kept is what was seen at its time."""
    _whole_workspace(scope)
    if report.as_of is not None:
        raise ValueError("a report of the past is not kept")
    with write_transaction():
        kept = HealthReport.everywhere.create(
            workspace_id=scope.workspace_id,
            at=report.at,
            worst=report.worst,
            body=report.figures(),
            took_ms=report.took_ms,
        )
        keep_rows(scope, report.at, report.findings)
        told = {"report_id": kept.pk, "worst": kept.worst}
        emit(scope.workspace_id, "health.reported", told)
        return kept


def latest_report(scope: Scope) -> Report | None:
    """The newest kept report of the workspace. Raises `ScopeError` for a scope bound to a user:
    it speaks of everybody's memories."""
    _whole_workspace(scope)
    kept = HealthReport.objects.within(scope).order_by("-at", "-id").first()
    return open_report(kept) if kept else None


def open_report(kept: HealthReport) -> Report:
    """A kept report beside the one kept before it."""
    rows = HealthReport.everywhere.filter(workspace_id=kept.workspace_id)
    earlier = rows.filter(Q(at__lt=kept.at) | Q(at=kept.at, pk__lt=kept.pk))
    last = earlier.order_by("-at", "-id").first()
    return beside(read_report(kept), read_report(last) if last else None)


def _beside_kept(scope: Scope, report: Report) -> Report:
    """What was kept speaks of a whole workspace: a user's report is compared with nothing."""
    if scope.user_id is not None:
        return report
    earlier = HealthReport.objects.within(scope).filter(at__lte=report.at)
    last = earlier.order_by("-at", "-id").first()
    return beside(report, read_report(last) if last else None)


def _look(check: Check) -> tuple[Check, Any, float]:
    began = time.perf_counter()
    return check, check.look(), _since(began)


def _steps(total: int, progress: Progress | None) -> Callable[[Any], Any]:
    """Passes on what it is given, and tells that one more of `total` steps is done."""
    done = count(1)

    def step(value: Any) -> Any:
        if progress:
            progress(next(done), total)
        return value

    return step


def _report(
    scope: Scope, at: datetime, looks: list[tuple[Check, Any, float]], step: Callable[[Any], Any]
) -> Report:
    thresholds = thresholds_of(scope)
    findings = [step(_judge(scope, *look, thresholds[look[0].id])) for look in looks]
    findings.sort(key=lambda finding: -Severity.ORDER.index(finding.severity))
    return Report(
        at=at,
        workspace=Workspace.objects.get(pk=scope.workspace_id).name,
        sqlite=sqlite3.sqlite_version,
        counts=_counts(scope),
        findings=tuple(findings),
        took_ms=round(sum(finding.took_ms for finding in findings), 1),
    )


def _judge(scope: Scope, check: Check, seen: Any, looked_ms: float, limits: Limits) -> Finding:
    began = time.perf_counter()
    result = check.judge(scope, seen)
    return Finding(
        id=check.id,
        severity=check.grade(result, limits),
        count=result.count,
        total=result.total,
        share=result.share,
        sample=result.sample,
        detail=dict(result.detail),
        took_ms=round(looked_ms + _since(began), 1),
        limits=limits,
        keys=result.keys,
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
        findings=tuple(map(_read_finding, known)),
        took_ms=kept.took_ms,
    )


def _read_finding(item: dict[str, Any]) -> Finding:
    limits = item.get("limits")
    return Finding(
        **item | {"sample": tuple(item["sample"]), "limits": Limits(*limits) if limits else None}
    )
