"""Files that were uploaded, kept for their owner's process alone until the import is over."""

import os
import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings

from memory import clock
from memory.models import Job, JobState, Scope, Workspace

from .source import FormatError

_MB = 1_000_000
TRIAL, IMPORT = "import_trial", "import"
# How long a trial's file waits for somebody to say yes, and a new file for its job.
KEPT_SECONDS, GRACE_SECONDS = 24 * 3600, 60
_UNFIT = re.compile(r"[^\w.\- ()\[\]]+")


Wanted = Callable[[Scope, datetime], set[str]]
_others: list[Wanted] = []


def also_wanted(function: Wanted) -> Wanted:
    """Register what else knows, of a workspace's scope, which uploads are needed: by open jobs, and
    by what was done since the moment given."""
    _others.append(function)
    return function


def folder() -> Path:
    path = Path(settings.DATA_DIR) / "imports"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def path_of(upload: str) -> Path:
    """Where an upload lies, by its id. Raises `ValueError` for what is no id."""
    return folder() / str(UUID(upload))


def keep(chunks: Iterable[bytes]) -> str:
    """Write a file down, readable by this account only; its id. Raises `FormatError` for one that
    is too large or empty, `OSError`."""
    upload, size = str(uuid4()), 0
    path = path_of(upload)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                size += len(chunk)
                if size > settings.IMPORT_MAX_MB * _MB:
                    raise FormatError("too_large", f"is larger than {settings.IMPORT_MAX_MB} MB")
                file.write(chunk)
        if not size:
            raise FormatError("empty", "is empty")
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return upload


def discard(upload: str) -> None:
    path_of(upload).unlink(missing_ok=True)


def plain_name(name: str) -> str:
    """A file's name as it may be shown: no folders, no signs, not long."""
    return _UNFIT.sub("_", name.replace("\\", "/").rpartition("/")[2])[-100:].strip() or "file"


def forget() -> int:
    """Remove the files that no import needs any more: of a trial that waits for somebody to say
    yes a day later, of all else at once."""
    now = clock.now()
    fresh = now.timestamp() - GRACE_SECONDS
    there = [path for path in folder().iterdir() if path.stat().st_mtime < fresh]
    if not there:
        return 0
    wanted = _wanted([path.name for path in there], now - timedelta(seconds=KEPT_SECONDS))
    gone = [path for path in there if path.name not in wanted]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _wanted(names: list[str], since: datetime) -> set[str]:
    """Those of these files that an open job needs, or a trial that was done since then and not
    brought in yet."""
    found: set[str] = set()
    for workspace in Workspace.objects.values_list("pk", flat=True):
        scope = Scope(workspace, "maintenance", "command")
        jobs = Job.objects.within(scope).filter(params__upload__in=names)
        tried = {TRIAL: set(), IMPORT: set()}
        for kind, state, at, upload in jobs.filter(kind__in=tried).values_list(
            "kind", "state", "finished_at", "params__upload"
        ):
            if state in (JobState.QUEUED, JobState.RUNNING):
                found.add(upload)
            elif kind == IMPORT or (state == JobState.DONE and at >= since):
                tried[kind].add(upload)
        found |= tried[TRIAL] - tried[IMPORT]
        for other in _others:
            found |= other(scope, since)
    return found
