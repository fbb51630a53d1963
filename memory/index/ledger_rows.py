"""The ledger's rows as their bytes lie in the file: what is read through the models looks the
same after many a changed byte (a blank in JSON, the T of a time)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import connection

PAGE = 1000
_ENTRY = (
    "id", "batch_id", "memory_id", "fact", "at", "action", "status_before", "status_after",
    "revision_before", "revision_after", "payload", "payload_digest", "previous_hash", "hash",
)  # fmt: skip
_BATCH = (
    "public_id", "workspace_id", "user_id", "at", "actor", "surface", "verb", "reason",
    "reason_digest", "undoes_id",
)  # fmt: skip


class Row(NamedTuple):
    """One entry, then its batch (all None where that is gone); a byte that is no UTF-8 is half a
    surrogate pair."""

    id: Any
    batch_id: Any
    memory_id: Any
    fact: Any
    at: Any
    action: Any
    status_before: Any
    status_after: Any
    revision_before: Any
    revision_after: Any
    payload: Any
    payload_digest: Any
    previous_hash: Any
    hash: Any
    batch_public_id: Any
    workspace_id: Any
    user_id: Any
    batch_at: Any
    actor: Any
    surface: Any
    verb: Any
    reason: Any
    reason_digest: Any
    undoes_id: Any


# As an expression a time is not converted.
_COLUMNS = ", ".join(
    f"{table}.{name} || ''" if name == "at" else f"{table}.{name}"
    for table, names in (("c", _ENTRY), ("b", _BATCH))
    for name in names
)
_JOINED = "memory_change c LEFT JOIN memory_batch b ON b.id = c.batch_id"
_ERASED = (
    "SELECT e.memory_id, e.digest, MAX(c.id) FROM memory_erasure e LEFT JOIN memory_change c "
    "ON c.memory_id = e.memory_id AND c.action = 'erase'"
)


def entries() -> Iterator[Row]:
    """Every entry by its number. Pages are read one by one, so that no reader stands in the way
    of the write-ahead log; an append-only table reads the same."""
    last: int | None = None
    while page := _page(last):
        yield from page
        last = page[-1].id


def says(action: str, memory_id: str) -> bool:
    """Whether an entry of this action names this id, given as hex."""
    sql = "SELECT 1 FROM memory_change WHERE memory_id = %s AND action = %s LIMIT 1"
    return bool(_select(sql, [memory_id, action]))


def memories_of_batch(batch_id: int) -> set[str]:
    """The memories, as hex, that a batch has changed."""
    rows = _select("SELECT memory_id FROM memory_change WHERE batch_id = %s", [batch_id])
    return {memory_id for (memory_id,) in rows}


def tombstones() -> dict[str, tuple[str, int | None]]:
    """Of each erased memory, as hex: the digest that its tombstone bears, and the number of the
    entry that erased it, None where there is none."""
    rows = _select(f"{_ERASED} GROUP BY e.memory_id", [])
    return {memory_id: (digest, number) for memory_id, digest, number in rows}


def tombstone(memory_id: str) -> tuple[str, int | None] | None:
    """The same of one memory; None where it has no tombstone."""
    rows = _select(f"{_ERASED} WHERE e.memory_id = %s GROUP BY e.memory_id", [memory_id])
    return rows[0][1:] if rows else None


def _page(after: int | None) -> list[Row]:
    where, values = ("WHERE c.id > %s", [after]) if after is not None else ("", [])
    rows = _select(f"SELECT {_COLUMNS} FROM {_JOINED} {where} ORDER BY c.id LIMIT {PAGE}", values)
    return [Row(*row) for row in rows]


def _select(sql: str, values: list) -> list[tuple]:
    connection.ensure_connection()
    raw = connection.connection
    kept, raw.text_factory = raw.text_factory, _text
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall()
    finally:
        raw.text_factory = kept


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
