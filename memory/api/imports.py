"""Imports: a file of another system, tried or brought in by a job."""

import json
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from ninja import File, Form, Router, Schema
from ninja.files import UploadedFile
from pydantic import Field, field_validator

from memory.exchange import uploads
from memory.exchange.formats import AUTO, Options, formats
from memory.exchange.source import FormatError
from memory.exchange.work import TRIAL, begin, carry_out, drop
from memory.jobs.work import find
from memory.models import Job, JobState
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput
from memory.write.revise import NotFound

from .auth import MissingScope, needs
from .fields import Body, Reason
from .jobs import JobForm, job_form
from .problems import READ, WRITE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["imports"])


class ImportIn(Schema):
    """`format` is "auto" or one of `GET /imports/formats`. `user_id` and `agent_id` are for rows
    that name none; the file of one person is kept under `user_id`. `columns`, of a table: a JSON
    object of column to field, such as {"型号":"entity"}. With `dry_run` nothing is written: the
    job's counts and rows say what would come of it. What was erased here stays away and counts as
    "erased", unless `bring_back` is chosen, which needs `erase` and a reason."""

    format: str = AUTO
    user_id: str = Field("", max_length=200)
    agent_id: str = Field("", max_length=200)
    columns: str = ""
    dry_run: bool = False
    bring_back: bool = False
    reason: str = Field("", max_length=2000)

    @field_validator("format")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in (AUTO, *formats()):
            raise ValueError(f"one of {', '.join([AUTO, *formats()])}")
        return value


class FormatForm(Schema):
    name: str
    title: str


class ApplyIn(Body):
    """`bring_back`: as of an import; it is said here once more."""

    reason: Reason = ""
    bring_back: bool = Field(False, strict=True)


@router.post("", auth=needs("write"), response={202: JobForm, WRITE: Problem})
def start_import(request, file: File[UploadedFile], asked: Form[ImportIn]):
    """Bring in a file of another system, with its states, times and earlier values; the answer is
    a job. A row that came before changes nothing, one that was changed there supersedes. What is
    rejected: `GET /jobs/{id}/rows`. Needs `write`."""
    request.scope.narrow(asked.user_id or None)
    _check_right(request, asked.bring_back)
    options = Options(asked.user_id.strip(), asked.agent_id.strip(), _columns(asked.columns))
    try:
        upload = uploads.keep(file.chunks())
    except FormatError as error:
        raise InvalidInput([("file", str(error))]) from error
    try:
        job = begin(
            request.scope, upload, file.name or "", form=asked.format, options=options,
            dry_run=asked.dry_run, bring_back=asked.bring_back, reason=asked.reason,
        )  # fmt: skip
    except Exception:
        uploads.discard(upload)
        raise
    return reply(job_form(job), status=202)


@router.get("/formats", auth=needs("read"), response={200: list[FormatForm], READ: Problem})
def list_formats(request):
    """The formats that can be read. Needs `read`."""
    known = formats().values()
    return reply([{"name": one.name, "title": str(one.title)} for one in known])


@router.post("/{job_id}/apply", auth=needs("write"), response={202: JobForm, WRITE_ONE: Problem})
def apply_import(request, job_id: UUID, body: ApplyIn):
    """Bring in what a dry run has tried (409 before it is done, or when its file is not kept any
    more, a day later). Asked again, it gives the same job. Needs `write`."""
    _check_right(request, body.bring_back)
    trial = _trial(request, job_id)
    if trial.state != JobState.DONE:
        raise Conflict(f"the trial is {trial.state}")
    job = carry_out(request.scope, trial, body.reason, bring_back=body.bring_back)
    return reply(job_form(job), status=202)


@router.delete("/{job_id}", auth=needs("write"), response={204: None, WRITE_ONE: Problem})
def drop_trial(request, job_id: UUID):
    """Drop a dry run: its file is removed at once, else a day later (409 once its import has
    begun). What was told of its rows stays with the job. Needs `write`."""
    drop(_trial(request, job_id))
    return HttpResponse(status=204)


def _trial(request, job_id: UUID) -> Job:
    found = find(request.scope, job_id)
    if found is None or found.kind != TRIAL:
        raise NotFound(str(job_id))
    return found


def _check_right(request, bring_back: bool) -> None:
    if bring_back and "erase" not in request.auth.scopes:
        raise MissingScope("erase")


def _columns(text: str) -> dict[str, str]:
    if not text.strip():
        return {}
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise InvalidInput([("columns", "a JSON object of column to field")])
    return found
