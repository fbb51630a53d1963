"""A look at an export as a job. The uploaded file goes as soon as it is read; what was found, and
the cleaned export, wait a day or until they are dropped, for their owner's process alone."""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from memory.exchange import uploads
from memory.exchange.source import FormatError
from memory.jobs.work import Report, WorkError, runner, start
from memory.models import Job, JobState, Scope

from .clean import NotCleaned
from .lab import Look, Refused, look_at, read_look

HYGIENE = "hygiene"
_STEP = re.compile(r"(\d+)(?: of (\d+))? rows")


def begin(scope: Scope, chunks: Iterable[bytes], name: str, form: str, largest_mb: int) -> Job:
    """Have an export looked at. Raises `FormatError` for one that is too large or empty,
    `QueueTimeout`."""
    upload, name = uploads.keep(chunks), uploads.plain_name(name)
    params = {"_upload": upload, "_most": largest_mb, "file": name, "format": form}
    try:
        return start(scope, HYGIENE, params)
    except BaseException:
        uploads.discard(upload)
        raise


@runner(HYGIENE, _("Look at an export"))
def run_look(job: Job, report: Report) -> None:
    """Look at the file, keep what was found, and remove the file."""
    asked = job.params
    path, name = uploads.path_of(asked["_upload"]), asked["file"]

    def hear(line: str) -> None:
        if step := _STEP.search(line):
            report.live(int(step[1]), int(step[2]) if step[2] else None)

    if not path.exists():
        raise WorkError("the file is not kept any more; upload it again")
    try:
        look = look_at(path, name=name, form=asked["format"], largest_mb=asked["_most"], say=hear)
        kept = {"_look": _kept(json.dumps(look.told).encode())}
        if look.can_be_cleaned:
            with suppress(NotCleaned, FormatError):
                kept["_cleaned"] = _kept(look.cleaned(path.read_bytes()))
    except Refused as error:
        raise WorkError(str(error)) from error
    finally:
        uploads.discard(asked["_upload"])
    report(look.rows, look.rows, rows=look.rows, rejected=len(look.rejects), **kept)


def look_of(job: Job) -> Look | None:
    """What a job found; None where it is not kept (any more)."""
    told = _read(job, "_look")
    return None if told is None else read_look(json.loads(told), job.params["file"])


def cleaned_of(job: Job) -> bytes | None:
    """The cleaned export; None where there is none or it is not kept any more."""
    return _read(job, "_cleaned")


def drop(job: Job) -> None:
    """Remove all that is kept of a look."""
    for upload in _files_of(job):
        uploads.discard(upload)


@uploads.also_wanted
def _wanted(scope: Scope, since: datetime) -> set[str]:
    own = Job.objects.within(scope).filter(kind=HYGIENE)
    open_ones = own.filter(state__in=(JobState.QUEUED, JobState.RUNNING))
    done = own.filter(state=JobState.DONE, finished_at__gte=since)
    return {upload for job in open_ones.union(done, all=True) for upload in _files_of(job)}


def _files_of(job: Job) -> list[str]:
    names = [job.params.get("_upload"), job.result.get("_look"), job.result.get("_cleaned")]
    return [name for name in names if name]


def _kept(data: bytes) -> str:
    return uploads.keep([data])


def _read(job: Job, name: str) -> bytes | None:
    if job.state != JobState.DONE or not (upload := job.result.get(name)):
        return None
    try:
        return uploads.path_of(upload).read_bytes()
    except FileNotFoundError:
        return None
