"""The store, or one user's part of it, as text files, today or as it was."""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path

from memory.index.past import as_of
from memory.index.storage import one_view
from memory.models import Memory, Scope
from memory.write.snapshot import snapshot

from .text import ENDING, block, file_name, file_text, is_export

# Rows read at once: a file is put together from its user's, never from all.
PAGE = 1000


def files(scope: Scope, moment: datetime | None = None) -> Iterator[tuple[str, str]]:
    """(name, text) of each user's file, by user; as of `moment`. Raises `InTheFuture`."""
    with one_view(), as_of(moment):
        rows = Memory.objects.within(scope).order_by("user_id", "fact", "version", "public_id")
        for user_id, own in groupby(rows.iterator(PAGE), key=lambda row: row.user_id):
            yield file_name(user_id), file_text(user_id, (block(snapshot(row)) for row in own))


def export(scope: Scope, folder: Path, moment: datetime | None = None) -> list[Path]:
    """Write the files into `folder`, which is made if need be, and take away those of an earlier
    export whose user has no memories any more: what was erased does not outlive it here. A file
    that is the same already is not touched. Raises `OSError`, `InTheFuture`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in files(scope, moment):
        path = folder / name
        data = text.encode()
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
        written.append(path)
    for path in _of_before(scope, folder):
        if path not in written:
            path.unlink()
    return written


def _of_before(scope: Scope, folder: Path) -> list[Path]:
    if scope.user_id is not None:
        own = folder / file_name(scope.user_id)
        return [own] if own.exists() and _is_ours(own) else []
    return [path for path in folder.glob(f"*{ENDING}") if _is_ours(path)]


def _is_ours(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return is_export(file.readline())
