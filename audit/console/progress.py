"""How far a job is, as every page of one shows it: rate, time left, who carries it out, result."""

from dataclasses import dataclass
from datetime import timedelta

from django.urls import reverse
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _

from audit.hygiene.work import HYGIENE
from audit.models import HealthReport
from audit.questions.ask import QUESTIONS
from memory import clock
from memory.exchange.work import IMPORT, TRIAL, UNDO
from memory.jobs import alive
from memory.jobs.work import progress, title_of
from memory.models import Job, JobState, Scope, Workspace

from .import_words import why_file

PILLS = {
    JobState.QUEUED: "candidate",
    JobState.RUNNING: "quarantined",
    JobState.DONE: "active",
    JobState.FAILED: "rejected",
    JobState.CANCELLED: "plain",
}
OPEN = (JobState.QUEUED, JobState.RUNNING)
# Before so long has gone by, a rate says nothing.
SURE_SECONDS = 3.0


@dataclass(frozen=True)
class Pace:
    """`rate` in rows a second, `left` in words; "" where it cannot be told yet."""

    rate: str = ""
    left: str = ""


def told(job: Job) -> dict:
    """What a row of a list of jobs needs."""
    done, total = progress(job)
    return {
        "job": job,
        "title": title_of(job),
        "pill": PILLS[job.state],
        "done": done,
        "total": total,
        "is_open": job.state in OPEN,
    }


def told_whole(job: Job) -> dict:
    """What the page of one job needs, beside that."""
    found = told(job)
    more = {
        "pace": pace(job, found["done"], found["total"]),
        "percent": _percent(found["done"], found["total"]),
        "has_worker": found["is_open"] and alive.is_there(),
        "result": result_of(job),
        "why": why_file(job.result.get("code", "")),
    }
    return found | more


def pace(job: Job, done: int, total: int | None) -> Pace:
    """How fast it has gone since it was begun, and how long the rest takes at that rate."""
    if job.state != JobState.RUNNING or job.started_at is None or not done:
        return Pace()
    took = (clock.now() - job.started_at).total_seconds()
    if took < SURE_SECONDS:
        return Pace()
    rate = done / took
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
    if not total or total <= done:
        return Pace(shown)
    return Pace(shown, _time((total - done) / rate))


def result_of(job: Job) -> tuple[str, str] | None:
    """What came of it: the words and the address of a link; None where the page says it all."""
    if job.kind in (TRIAL, IMPORT, UNDO):
        return _("See the import"), reverse("import", args=[job.public_id])
    if job.kind == QUESTIONS:
        return _("See the run"), reverse("question-run", args=[job.params["run"]])
    if job.state != JobState.DONE:
        return None
    if job.kind == HYGIENE:
        return _("See what was found"), reverse("hygiene-look", args=[job.public_id])
    if job.kind == "health" and _is_kept(job):
        return _("See the report"), reverse("health-report", args=[job.result["report"]])
    if len(batches := job.result.get("batches", ())) == 1:
        return _("See what changed"), reverse("batch", args=[batches[0]])
    return None


def made_by(job: Job) -> Workspace | None:
    """The workspace that the job made, for a button that leads there."""
    name = job.result.get("workspace") if job.state == JobState.DONE else None
    return Workspace.objects.filter(name=name).first() if name else None


def _is_kept(job: Job) -> bool:
    rows = HealthReport.objects.within(Scope(job.workspace_id, job.actor, job.surface))
    return rows.filter(pk=job.result.get("report")).exists()


def _percent(done: int, total: int | None) -> int | None:
    return min(100 * done // total, 100) if total else None


def _time(seconds: float) -> str:
    if seconds < 60:
        return _("less than a minute")
    now = clock.now()
    return timeuntil(now + timedelta(seconds=seconds), now, depth=1)
