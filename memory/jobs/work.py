"""Work that somebody asked for and that outlasts a request: imports, reindexing, reports.

`start` keeps a `Job`; a worker carries it out with the runner of its kind and the page and the API
show how far it is. A kind registers its runner where its app gets ready (`AppConfig.ready` imports
the module), as its package stands above this one:

    @runner("import", _("import"), goes_on=True)
    def run(job: Job, report: Report) -> None:
        for piece in pieces(job.params, after=job.done):
            with patient_transaction():
                ...                                   # what the piece changes, by `apply`
                report.row(7, "rejected", code="empty", message="no text", raw={...})
                report(job.done + len(piece), total, batches=[...])
            report.pause()

`report` writes how far it is, the rows and the results in the runner's own transaction: after a
kill the next worker finds what was done and what was told of it, both or neither. With `goes_on`
the runner starts after `job.done` and whatever it keeps in `job.result`; it is called again after
every turn of a worker. Without, it starts anew after a kill and `pause` never ends its turn.
`params` and `result` are shown, so no texts and no paths go into them; what of them begins with
"_" is the runner's own and is not shown.
What a runner raises as `WorkError` is told to whoever asked; any other error is only logged.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache as once
from typing import Any
from uuid import UUID

from django.db.models.functions import Coalesce
from django.utils.module_loading import autodiscover_modules

from memory import clock
from memory.index.lossy import cache
from memory.models import Job, JobRow, JobState, Scope
from memory.write import queue
from memory.write.transaction import write_transaction

from .registry import TURN_SECONDS

logger = logging.getLogger(__name__)
# Nobody waits for an answer: a writer that is at it for long is no reason to fail.
PATIENCE_SECONDS = 60.0
# More rows than a person looks through; what is beyond them is counted.
ROWS_KEPT = 10_000
# Begun so often without getting on, a job is what ends its workers.
MOST_STARTS = 5
LIVE_SECONDS = 3600
_OPEN = (JobState.QUEUED, JobState.RUNNING)


class WorkError(Exception):
    """The job cannot be done; the message is for whoever asked for it."""


class UnknownKind(LookupError):
    """No runner is registered under this name."""


class NotOpen(Exception):
    """The job is over already."""


class Stopped(Exception):
    """The job was cancelled, or its turn is over. A runner lets it pass."""


@dataclass(frozen=True)
class Kind:
    """`title` for people. `goes_on`: see above. `single`: one at a time in a workspace is enough;
    `start` then gives the one that is open."""

    name: str
    title: Any
    run: Callable[["Job", "Report"], None]
    goes_on: bool = False
    single: bool = False


_kinds: dict[str, Kind] = {}


def runner(name: str, title: Any, *, goes_on: bool = False, single: bool = False):
    """Register a function of a job and its `Report` as what carries out this kind of job."""

    def registered(function):
        _kinds[name] = Kind(name, title, function, goes_on, single)
        return function

    return registered


def kinds() -> dict[str, Kind]:
    """Every kind of job of every installed app, by its name."""
    _discover()
    return _kinds


@once
def _discover() -> None:
    from . import bulk, runners, undoing  # noqa: F401

    autodiscover_modules("jobs")


def shown_params(job: Job) -> dict[str, Any]:
    """What was asked for, without what only the runner reads."""
    return {name: value for name, value in job.params.items() if not name.startswith("_")}


def shown_result(job: Job) -> dict[str, Any]:
    """What came of it, without what only the runner reads."""
    hidden = {name for name in job.result if name.startswith("_")} | {"starts"}
    return {name: value for name, value in job.result.items() if name not in hidden}


def title_of(job: Job) -> str:
    """The kind in words; its bare name where nothing carries it out any more."""
    kind = kinds().get(job.kind)
    return str(kind.title) if kind else job.kind


def start(
    scope: Scope,
    kind: str,
    params: dict[str, Any] | None = None,
    *,
    reason: str = "",
    total: int | None = None,
    user_id: str = "",
) -> Job:
    """Ask for a job in JSON `params`; with `user_id`, or by a scope of one user, it is that user's
    to see. Raises `UnknownKind`, `ScopeError` and `QueueTimeout`."""
    chosen = kinds().get(kind)
    if chosen is None:
        raise UnknownKind(kind)
    scope = scope.narrow(user_id or None)
    with write_transaction():
        if chosen.single:
            own = Job.everywhere.filter(workspace_id=scope.workspace_id, state__in=_OPEN)
            if waiting := own.filter(kind=kind).first():
                return waiting
        return Job.everywhere.create(
            workspace_id=scope.workspace_id,
            user_id=scope.user_id or "",
            kind=kind,
            actor=scope.actor,
            surface=scope.surface,
            reason=reason,
            params=params or {},
            total=total,
            created_at=clock.now(),
        )


def find(scope: Scope, job_id: UUID) -> Job | None:
    """The job of this id, if the scope may see it."""
    return Job.objects.within(scope).filter(public_id=job_id).first()


def cancel(job: Job) -> Job:
    """End an open job: what it has done stays, what it was just at is given back. Raises `NotOpen`
    and `QueueTimeout`."""
    over = {"state": JobState.CANCELLED, "finished_at": clock.now()}
    with write_transaction():
        if not Job.everywhere.filter(pk=job.pk, state__in=_OPEN).update(**over):
            raise NotOpen(str(job.public_id))
    job.refresh_from_db()
    return job


def scope_of(job: Job) -> Scope:
    """The scope in which it was asked for."""
    return Scope(job.workspace_id, job.actor, job.surface, job.user_id or None)


@contextmanager
def patient_transaction() -> Iterator[None]:
    """A write transaction of a background job, which waits a minute for its turn. Raises
    `QueueTimeout`; the job is then tried again later."""
    with queue.turn(PATIENCE_SECONDS), write_transaction():
        yield


class Report:
    """What a runner calls to tell how far it is. Raises `Stopped` for a job that was cancelled."""

    def __init__(self, job: Job, *, until: float | None = None) -> None:
        self._job, self._until = job, until
        self._rows: list[JobRow] = []

    def __call__(self, done: int, total: int | None = None, **result: Any) -> None:
        """Write it down, with the rows told of since; `result` goes into that of the job."""
        job = self._job
        job.done, job.moved_at = done, clock.now()
        job.total = job.total if total is None else total
        job.result = {**job.result, **result}
        job.result.pop("starts", None)
        with patient_transaction():
            self._keep_rows()
            self._write("done", "total", "moved_at", "result")

    def row(
        self,
        number: int,
        action: str,
        *,
        code: str = "",
        message: str = "",
        raw: dict[str, Any] | None = None,
        memory_id: UUID | None = None,
    ) -> None:
        """Tell what became of one row; `raw` masked. It is written with the next call."""
        self._rows.append(
            JobRow(
                job=self._job,
                number=number,
                action=action,
                code=code,
                message=message,
                raw=raw or {},
                memory_id=memory_id,
            )
        )

    def live(self, done: int, total: int | None = None) -> None:
        """Only show it, from within a long transaction, whose writes nobody sees yet."""
        cache.set(_live_key(self._job), [done, total], LIVE_SECONDS)

    def pause(self) -> None:
        """To be called outside of a transaction, between two pieces: here the job may end."""
        if not self._mine().exists():
            raise Stopped("cancelled")
        if self._until is not None and time.monotonic() > self._until:
            raise Stopped("turn over")

    def _keep_rows(self) -> None:
        rows, self._rows = self._rows, []
        if not rows:
            return
        room = max(ROWS_KEPT - JobRow.objects.filter(job=self._job).count(), 0)
        JobRow.objects.bulk_create(rows[:room], batch_size=500)
        if (left := len(rows) - room) > 0:
            told = self._job.result
            told["rows_left_out"] = told.get("rows_left_out", 0) + left

    def _write(self, *names: str) -> None:
        if not self._mine().update(**{name: getattr(self._job, name) for name in names}):
            raise Stopped("cancelled")

    def _mine(self):
        return Job.everywhere.filter(pk=self._job.pk, state=JobState.RUNNING)


def progress(job: Job) -> tuple[int, int | None]:
    """How far it is, and of how much; what a long transaction shows counts too."""
    if job.state == JobState.RUNNING and (shown := cache.get(_live_key(job))):
        return (shown[0], shown[1] or job.total) if shown[0] >= job.done else (job.done, job.total)
    return job.done, job.total


def is_due() -> bool:
    """Whether a job waits for a worker, or was left by one that was killed."""
    return Job.everywhere.filter(state__in=_OPEN).exists()


def work(seconds: float = TURN_SECONDS) -> dict[str, int]:
    """Carry out open jobs, in turns, for about so long; only one process may be at it. Raises
    `QueueTimeout`."""
    end, turns = time.monotonic() + seconds, 0
    while (job := _next()) is not None:
        _take_turn(job, end)
        turns += 1
        if time.monotonic() > end:
            break
    return {"turns": turns}


def _next() -> Job | None:
    """The open job that has waited longest; those running were left or have had their turn."""
    rows = Job.everywhere.filter(state__in=_OPEN).annotate(last=Coalesce("moved_at", "created_at"))
    return rows.order_by("last", "pk").first()


def _take_turn(job: Job, end: float) -> None:
    kind = kinds().get(job.kind)
    if not _begin(job):
        return
    if kind is None or job.result["starts"] > MOST_STARTS:
        why = "nothing carries out this kind" if kind is None else "it did not get on"
        _end(job, JobState.FAILED, why)
        return
    try:
        kind.run(job, Report(job, until=end if kind.goes_on else None))
    except Stopped:
        return
    except queue.QueueTimeout:
        raise
    except WorkError as error:
        _end(job, JobState.FAILED, str(error))
    except Exception as error:
        logger.exception("job %s of kind %s failed", job.public_id, job.kind)
        _end(job, JobState.FAILED, f"{type(error).__name__}; it has been logged")
    else:
        _end(job, JobState.DONE)


def _begin(job: Job) -> bool:
    """Note that it is begun, and how often it was since it last got on; False: it was cancelled."""
    job.refresh_from_db()
    now = clock.now()
    job.state, job.moved_at, job.started_at = JobState.RUNNING, now, job.started_at or now
    job.result = {**job.result, "starts": job.result.get("starts", 0) + 1}
    noted = {name: getattr(job, name) for name in ("state", "moved_at", "started_at", "result")}
    with patient_transaction():
        return bool(Job.everywhere.filter(pk=job.pk, state__in=_OPEN).update(**noted))


def _end(job: Job, state: str, error: str = "") -> None:
    result = {name: value for name, value in job.result.items() if name != "starts"}
    over = {"state": state, "error": error, "finished_at": clock.now(), "result": result}
    with patient_transaction():
        Job.everywhere.filter(pk=job.pk, state=JobState.RUNNING).update(**over)
    cache.delete(_live_key(job))


def _live_key(job: Job) -> str:
    return f"job:{job.public_id}"
