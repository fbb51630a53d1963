"""The ledger as a git history: one commit a batch, as a stream that `git fast-import` reads."""

import re
from bisect import insort
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from memory.index.past import as_of
from memory.index.storage import one_view
from memory.models import Batch, Change, Memory, Scope
from memory.write.snapshot import snapshot

from .text import block, file_name, file_text, place

BRANCH = "refs/heads/main"
PAGE = 500
_UNFIT = re.compile(r"[<>\x00-\x1f\x7f]+")


class _Files:
    """Each user's blocks as the stream has them so far."""

    def __init__(self) -> None:
        self._blocks: dict[str, dict[str, str]] = {}
        self._places: dict[str, list[tuple[tuple[str, int, str], str]]] = {}

    def put(self, row: dict) -> str:
        """Take in a memory as it is from now on; whose file that moves."""
        user_id, memory_id = row["user_id"], row["public_id"]
        blocks = self._blocks.setdefault(user_id, {})
        if memory_id not in blocks:
            insort(self._places.setdefault(user_id, []), (place(row), memory_id))
        blocks[memory_id] = block(row)
        return user_id

    def text(self, user_id: str) -> bytes:
        blocks = self._blocks[user_id]
        ordered = (blocks[memory_id] for _, memory_id in self._places[user_id])
        return file_text(user_id, ordered).encode()

    @property
    def users(self) -> list[str]:
        return sorted(self._blocks)


def stream(scope: Scope, since: datetime | None = None) -> Iterator[bytes]:
    """The stream, piece by piece. With `since` the first commit holds the store as it was then,
    and only later batches follow. What was erased stands in no commit. Raises `InTheFuture`.

    Holds the text of the scope's memories in memory, and writes a user's whole file with every
    batch that touches it: for a user of 10,000 memories about 5 MB a batch.
    """
    with one_view():
        yield b"feature done\n"
        # A batch of several users bears nobody's name.
        files, batches = _Files(), Batch.objects.within(replace(scope, user_id=None))
        if since is not None:
            batches = batches.filter(at__gt=since)
            yield from _beginning(scope, since, files)
        found = []
        for batch in batches.order_by("id").iterator(PAGE):
            found.append(batch)
            if len(found) == PAGE:
                yield from _commits(scope, found, files)
                found = []
        yield from _commits(scope, found, files)
        yield b"done\n"


def _beginning(scope: Scope, since: datetime, files: _Files) -> Iterator[bytes]:
    with as_of(since):
        for row in Memory.objects.within(scope).order_by("id").iterator(PAGE):
            files.put(snapshot(row))
    if files.users:
        told = f"the store as it was at {since.isoformat()}"
        yield _commit("mase", "mase", since, told)
        yield from (_file(files, user_id) for user_id in files.users)


def _commits(scope: Scope, batches: list[Batch], files: _Files) -> Iterator[bytes]:
    entries: dict[int, list[Change]] = {batch.pk: [] for batch in batches}
    for entry in Change.objects.filter(batch_id__in=entries).order_by("id"):
        entries[entry.batch_id].append(entry)
    for batch in batches:
        rows = [entry.after for entry in entries[batch.pk]]
        own = [row for row in rows if row and scope.user_id in (None, row["user_id"])]
        if not own and scope.user_id is not None:
            continue
        yield _commit(batch.actor, batch.surface, batch.at, _message(batch))
        for user_id in sorted({files.put(row) for row in own}):
            yield _file(files, user_id)


def _message(batch: Batch) -> str:
    told = f"{batch.verb}: {batch.reason}" if batch.reason else batch.verb
    return f"{told}\n\nbatch {batch.public_id}\n"


def _commit(actor: str, surface: str, at: datetime, message: str) -> bytes:
    who = f"{_fit(actor)} <{_fit(actor)}@{_fit(surface)}> {int(at.timestamp())} +0000\n".encode()
    text = message.encode()
    return b"".join(
        (
            f"commit {BRANCH}\n".encode(), b"author ", who, b"committer ", who,
            b"data %d\n" % len(text), text, b"\n",
        )
    )  # fmt: skip


def _file(files: _Files, user_id: str) -> bytes:
    text = files.text(user_id)
    return f"M 100644 inline {_quoted(file_name(user_id))}\n".encode() + b"data %d\n%b\n" % (
        len(text),
        text,
    )


def _fit(text: str) -> str:
    return " ".join(_UNFIT.sub(" ", text).split()) or "unknown"


def _quoted(path: str) -> str:
    """A file's name has no character but letters, figures and a few signs; a space at its
    beginning would still be read as the end of the one before."""
    return f'"{path}"'
