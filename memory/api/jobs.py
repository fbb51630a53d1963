"""Jobs: what was asked for, how far it is, what became of its rows."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Query, Router, Schema
from pydantic import Field

from memory.jobs.work import NotOpen, cancel, find, progress, shown_params, shown_result
from memory.models import Job, JobRow, JobState
from memory.write.plan import Conflict
from memory.write.proposal import NAME_LIMIT
from memory.write.revise import NotFound

from .auth import needs
from .fields import UserId
from .form import iso
from .paging import Page, Paging, counted, page_form, page_of
from .problems import READ, READ_ONE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["jobs"])
_STATES = "|".join(JobState.values)


class JobForm(Schema):
    """`done` of `total` rows, `total` null where it is not known. `result` holds counts and the
    ids of batches; `error` says why a job failed. `moved_at` is its last sign of life."""

    id: UUID
    kind: str
    state: str
    user_id: str
    actor: str
    surface: str
    reason: str
    params: dict[str, Any]
    done: int
    total: int | None
    result: dict[str, Any]
    error: str
    rows: str
    created_at: datetime
    started_at: datetime | None
    moved_at: datetime | None
    finished_at: datetime | None


class JobRowForm(Schema):
    """What became of one row of what was offered, with the row as it came, masked."""

    row: int
    action: str
    memory_id: UUID | None
    code: str
    message: str
    raw: dict[str, Any]


class JobFilters(Paging):
    user_id: UserId | None = None
    kind: str | None = Field(None, min_length=1, max_length=20)
    state: Annotated[str, Field(pattern=f"^({_STATES})$")] | None = None


class RowFilters(Paging):
    action: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)


@router.get("", auth=needs("read"), response={200: Page[JobForm], READ: Problem})
def list_jobs(request, asked: Query[JobFilters]):
    """What was asked for, newest first. Needs `read`."""
    rows = Job.objects.within(request.scope.narrow(asked.user_id))
    wanted = {"kind": asked.kind, "state": asked.state}
    rows = rows.filter(**{name: value for name, value in wanted.items() if value})
    found, after = page_of(rows, "-id", asked)
    return reply(page_form([job_form(row) for row in found], after, counted(rows)))


@router.get("/{job_id}", auth=needs("read"), response={200: JobForm, READ_ONE: Problem})
def read_job(request, job_id: UUID):
    """One job. Ask again until `state` is done, failed or cancelled. Needs `read`."""
    return reply(job_form(_found(request, job_id)))


@router.get(
    "/{job_id}/rows", auth=needs("read"), response={200: Page[JobRowForm], READ_ONE: Problem}
)
def list_job_rows(request, job_id: UUID, asked: Query[RowFilters]):
    """The rows worth telling of, such as those rejected, in their order. Needs `read`."""
    rows = JobRow.objects.filter(job=_found(request, job_id))
    if asked.action:
        rows = rows.filter(action=asked.action)
    found, after = page_of(rows, "id", asked)
    return reply(page_form([row_form(row) for row in found], after, counted(rows)))


@router.post("/{job_id}/cancel", auth=needs("write"), response={200: JobForm, WRITE_ONE: Problem})
def cancel_job(request, job_id: UUID):
    """End a job that waits or runs (409 otherwise). What it has done stays. Needs `write`."""
    try:
        return reply(job_form(cancel(_found(request, job_id))))
    except NotOpen as error:
        raise Conflict("the job is over") from error


def job_form(job: Job) -> dict[str, Any]:
    done, total = progress(job)
    return {
        "id": str(job.public_id),
        "kind": job.kind,
        "state": job.state,
        "user_id": job.user_id,
        "actor": job.actor,
        "surface": job.surface,
        "reason": job.reason,
        "params": shown_params(job),
        "done": done,
        "total": total,
        "result": shown_result(job),
        "error": job.error,
        "rows": f"/api/v1/jobs/{job.public_id}/rows",
        **{
            name: (at := getattr(job, name)) and iso(at)
            for name in ("created_at", "started_at", "moved_at", "finished_at")
        },
    }


def row_form(row: JobRow) -> dict[str, Any]:
    return {
        "row": row.number,
        "action": row.action,
        "memory_id": row.memory_id and str(row.memory_id),
        "code": row.code,
        "message": row.message,
        "raw": row.raw,
    }


def _found(request, job_id: UUID) -> Job:
    job = find(request.scope, job_id)
    if job is None:
        raise NotFound(str(job_id))
    return job
