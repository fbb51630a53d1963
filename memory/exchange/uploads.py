"""Files that were uploaded, kept for their owner's process alone until the import is over."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from uuid import UUID, uuid4

from django.conf import settings

from memory import clock
from memory.models import Job, JobState, Scope, Workspace

from .source import FormatError

_MB = 1_000_000
# How long a trial's file waits for somebody to say yes.
KEPT_SECONDS = 24 * 3600
_UNFIT = re.compile(r"[^\w.\- ()\[\]]+")


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
    """Remove the files of imports that are over, and those that nobody came back for in a day."""
    wanted = {
        job.params.get("upload")
        for workspace in Workspace.objects.values_list("pk", flat=True)
        for job in Job.objects.within(Scope(workspace, "maintenance", "command")).filter(
            kind__in=("import", "import_trial"), state__in=(JobState.QUEUED, JobState.RUNNING)
        )
    }
    old = clock.now().timestamp() - KEPT_SECONDS
    gone = [
        path
        for path in folder().iterdir()
        if path.name not in wanted and path.stat().st_mtime < old
    ]
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)
