"""Memories as JSON lines that lose nothing: `restore` brings them back row for row.

The first line is a header, then come the turns, the memories and the tombstones of erased ones,
each by its id, then, where asked for, the ledger's batches and entries; the last line says that
nothing is missing. One line, one JSON object:

```
{"type": "header", "format": "mase-memories", "version": 1, "workspace": "default", "at": "…", …}
{"type": "turn", "id": "…", "user_id": "ann", "role": "user", "content": "…", …, "hash": "…"}
{"type": "memory", "id": "…", "fact": "…", "version": 2, "status": "active", "text": "…", …}
{"type": "erasure", "id": "…", "memory_id": "…", "digest": "…", …}
{"type": "end", "lines": 3, "sha256": "…", "seal": "…"}
```

A memory has every column under the name that the API gives it. `hash` is the SHA-256 of its line's
other fields as compact JSON with sorted names; the end's `sha256` is that of all the hashes in
their order, and `seal` is keyed: it tells whether this installation wrote them. The same rows make
the same lines: only the header tells where and when.
"""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from memory import clock
from memory.models import Batch, Change, Erasure, Memory, Turn, Workspace
from memory.write.snapshot import COLUMNS

from .choice import PAGE, Choice

FORMAT, VERSION = "mase-memories", 1
# A line's name of a column, where it is another.
_NAMES = {
    "public_id": "id",
    "supersedes_id": "supersedes",
    "superseded_by_id": "superseded_by",
}
# The number of a workspace says nothing elsewhere.
MEMORY = {name: _NAMES.get(name, name) for name in COLUMNS if name != "workspace_id"}
TURN = {
    name: _NAMES.get(name, name)
    for name in (
        "public_id", "user_id", "agent_id", "session_id", "role", "content", "occurred_at",
        "created_at", "metadata", "erased_at",
    )
}  # fmt: skip
ERASURE = {
    name: _NAMES.get(name, name)
    for name in ("public_id", "memory_id", "fact", "user_id", "at", "digest")
}
_BATCH = {
    name: _NAMES.get(name, name)
    for name in (
        "public_id", "user_id", "at", "actor", "surface", "verb", "reason", "reason_digest",
    )
}  # fmt: skip
_CHANGE = {
    "id": "number", "memory_id": "memory_id", "fact": "fact", "at": "at", "action": "action",
    "status_before": "status_before", "status_after": "status_after",
    "revision_before": "revision_before", "revision_after": "revision_after",
    "payload": "payload", "payload_digest": "payload_digest",
    "previous_hash": "previous_hash", "hash": "entry_hash",
}  # fmt: skip


class Chain:
    """The hashes of the lines so far."""

    def __init__(self) -> None:
        self.lines = 0
        self._digest = hashlib.sha256()

    def add(self, line_hash: str) -> None:
        self.lines += 1
        self._digest.update(line_hash.encode())

    def end(self) -> dict[str, Any]:
        """The last line of an export of these."""
        digest = self._digest.hexdigest()
        return {"type": "end", "lines": self.lines, "sha256": digest, "seal": seal(digest)}


def pieces(chosen: Choice, *, with_ledger: bool = False) -> Iterator[bytes]:
    """The export line by line; to be read within the view of the moment that was chosen.

    Raises `ValueError` for a ledger of anything but a whole workspace: the chain of a part of it
    proves nothing.
    """
    if with_ledger and (chosen.scope.user_id is not None or not chosen.is_whole):
        raise ValueError("the ledger goes with a whole workspace")
    yield _written(_header(chosen, with_ledger))
    chain = Chain()
    for line in _lines(chosen, with_ledger):
        line["hash"] = line_hash(line)
        chain.add(line["hash"])
        yield _written(line)
    yield _written(chain.end())


def line_hash(line: dict[str, Any]) -> str:
    """What the `hash` of a line has to be."""
    said = {name: value for name, value in line.items() if name != "hash"}
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def seal(digest: str) -> str:
    return hmac.digest(settings.PEPPER.encode(), f"export:{digest}".encode(), "sha256").hex()


def _header(chosen: Choice, with_ledger: bool) -> dict[str, Any]:
    counted = {"turns": chosen.turns, "memories": chosen.rows, "erasures": chosen.erasures}
    if with_ledger:
        counted |= {"batches": chosen.batches, "changes": chosen.changes}
    return {
        "type": "header",
        "format": FORMAT,
        "version": VERSION,
        "workspace": Workspace.objects.get(pk=chosen.scope.workspace_id).name,
        "user_id": chosen.scope.user_id,
        "at": clock.now().isoformat(),
        "as_of": chosen.moment and chosen.moment.isoformat(),
        "whole": chosen.is_whole,
        "counts": {name: rows.order_by().count() for name, rows in counted.items()},
    }


def _lines(chosen: Choice, with_ledger: bool) -> Iterator[dict[str, Any]]:
    yield from _of("turn", chosen.turns, TURN)
    yield from _of("memory", chosen.rows, MEMORY)
    yield from _of("erasure", chosen.erasures, ERASURE)
    if with_ledger:
        for batch in chosen.batches.select_related("undoes").order_by("id").iterator(PAGE):
            undoes = batch.undoes and str(batch.undoes.public_id)
            yield {"type": "batch", **_plain(batch, _BATCH), "undoes": undoes}
        for entry in chosen.changes.select_related("batch").order_by("id").iterator(PAGE):
            batch_id = str(entry.batch.public_id)
            yield {"type": "change", "batch_id": batch_id, **_plain(entry, _CHANGE)}


def _of(name: str, rows: QuerySet, columns: dict[str, str]) -> Iterator[dict[str, Any]]:
    # By public id: the order is the same in every store, and an index gives it.
    for row in rows.order_by("public_id").iterator(PAGE):
        yield {"type": name, **_plain(row, columns)}


def _plain(row: Turn | Memory | Erasure | Batch | Change, columns: dict[str, str]) -> dict:
    return {told: _json(getattr(row, name)) for name, told in columns.items()}


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, UUID):
        return str(value)
    return str(value) if isinstance(value, str) else value


def _written(line: dict[str, Any]) -> bytes:
    text = json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"
