"""The people's side's own jobs: reports on time, findings without being asked for."""

import time
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils.translation import gettext_lazy as _

from audit.findings.scan import scan
from audit.health import daily
from audit.health.report import run_report, save_report
from audit.health.texts import is_behind, read_on
from audit.hygiene import work as _looks  # noqa: F401  (its runner)
from audit.models import HealthReport
from audit.questions.ask import QUESTIONS, go_on
from audit.questions.results import runs
from memory import clock
from memory.demo.loader import TITLE, load, script
from memory.demo.loader import WORKSPACE as DEMO
from memory.jobs.registry import TURN_SECONDS, job
from memory.jobs.work import Report, WorkError, patient_transaction, runner, scope_of
from memory.models import Job, Role, Scope, Workspace


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


@job(every=60, is_due=lambda: any(map(daily.is_behind, _scopes())))
def count_days() -> dict:
    """Count what happened on each of the last days where it is more than a page should count."""
    end = time.monotonic() + TURN_SECONDS
    left = [daily.catch_up(scope, max(end - time.monotonic(), 0.0)) for scope in _scopes()]
    return {"behind": sum(left)}


@runner("health", _("Health report"), single=True)
def health_report(job: Job, report: Report) -> None:
    """Run every check on the workspace and keep the report."""
    scope = scope_of(job)
    made = run_report(scope, progress=report.live)
    kept, checks = save_report(scope, made), len(made.findings)
    report(checks, checks, report=kept.pk, worst=made.worst)


@runner(QUESTIONS, _("Run of the questions"), goes_on=True)
def ask_questions(job: Job, report: Report) -> None:
    """Ask on in a run of the acceptance questions; what was asked before a kill stands."""
    scope, left = scope_of(job), 1
    kept = runs(scope).filter(public_id=job.params["run"]).first()
    if kept is None:
        raise WorkError("the run is no longer there")
    while left:
        left = go_on(scope, kept)
        report(kept.total - left, kept.total)
        if left:
            report.pause()


@runner("demo", _("Demo data"), single=True)
def load_demo(job: Job, report: Report) -> None:
    """Play the demo's script into its own workspace, with whoever asked as its admin."""
    person = get_user_model().objects.filter(username=job.actor.removeprefix("person:")).first()
    if person is None:
        raise WorkError("whoever asked is no longer here")
    _let_in(person)
    total = sum(1 for _step in script())
    workspace, _played = load(lambda done: report.live(done, total))
    report(total, total, workspace=workspace.name)


def _let_in(person) -> None:
    """Into a demo that is there already, only its members and whoever runs the installation."""
    with patient_transaction():
        workspace, made = Workspace.objects.get_or_create(name=DEMO, defaults={"title": TITLE})
        if made or person.is_superuser:
            workspace.memberships.get_or_create(person=person, defaults={"role": Role.ADMIN})
        elif not workspace.memberships.filter(person=person).exists():
            raise WorkError("there is a demo already: its admin can add you")
