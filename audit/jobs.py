"""The people's side's own jobs: reports on time, findings without being asked for."""

import time
from datetime import timedelta

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from audit.findings.scan import scan
from audit.health.report import run_report, save_report
from audit.health.texts import is_behind, read_on
from audit.models import HealthReport
from memory import clock
from memory.jobs.registry import TURN_SECONDS, job
from memory.jobs.work import Report, runner, scope_of
from memory.models import Job, Scope, Workspace


def _scopes() -> list[Scope]:
    return [
        Scope(pk, "maintenance", "command") for pk in Workspace.objects.values_list("pk", flat=True)
    ]


def _without_report() -> list[Scope]:
    """The workspaces that have no report as young as it should be."""
    if not settings.HEALTH_REPORT_DAYS:
        return []
    since = clock.now() - timedelta(days=settings.HEALTH_REPORT_DAYS)
    return [
        scope
        for scope in _scopes()
        if not HealthReport.objects.within(scope).filter(at__gt=since).exists()
    ]


@job(every=300, is_due=lambda: bool(_without_report()))
def report_health() -> dict:
    """Make and keep the report of every workspace whose time has come."""
    due = _without_report()
    for scope in due:
        save_report(scope, run_report(scope))
    return {"reports": len(due)}


@job(every=300)
def scan_recalls() -> dict:
    """Look in what is new in the recall log for memories that were no longer valid."""
    done = [scan(scope) for scope in _scopes()]
    return {
        "read": sum(one.read for one in done),
        "occurrences": sum(one.occurrences for one in done),
    }


@job(every=300, is_due=lambda: any(map(is_behind, _scopes())))
def read_texts() -> dict:
    """Read what is new for the checks of texts, so that a report finds it done."""
    end, read = time.monotonic() + TURN_SECONDS, 0
    for scope in _scopes():
        read += read_on(scope, max(end - time.monotonic(), 0.0))
    return {"read": read}


@runner("health", _("Health report"), single=True)
def health_report(job: Job, report: Report) -> None:
    """Run every check on the workspace and keep the report."""
    scope = scope_of(job)
    made = run_report(scope, progress=report.live)
    kept, checks = save_report(scope, made), len(made.findings)
    report(checks, checks, report=kept.pk, worst=made.worst)
