"""Keeping the indexes: which rows stand in them, written in the transaction of the change."""

from collections.abc import Iterable

from django.db import connection
from django.db.models import F

from memory.models import Memory, Owner, Status, Turn

from .entry import Entry, entry_for, owner_mark, owner_prefix, workspace_prefix
from .schema import BROWSE, RECALL, TURNS


def put(memory: Memory, entry: Entry | None = None, *, was: str | None = None) -> None:
    """Bring the indexes in step with one saved memory.

    `was` is its state before the change, None for a new row. Text never changes in place, so
    the browse row is written once; the recall row comes and goes with the active state.
    """
    owner = owner_of(memory)
    is_active, was_active = memory.status == Status.ACTIVE, was == Status.ACTIVE
    if was is None:
        entry = entry or entry_for(memory)
        columns = entry.columns(workspace_prefix(memory.workspace_id), owner_mark(owner.pk))
        _replace(BROWSE, memory.pk, *columns)
    if is_active and not was_active:
        entry = entry or entry_for(memory)
        _replace(RECALL, memory.pk, *entry.columns(owner_prefix(owner.pk)))
        _count(owner, 1)
    elif was_active and not is_active:
        _delete(RECALL, memory.pk)
        _count(owner, -1)


def take_out(memory: Memory) -> None:
    """Leave no trace of a row in either index; the owner's counter is the caller's."""
    for table in (RECALL, BROWSE):
        _delete(table, memory.pk)


def owner_of(row: Memory | Turn) -> Owner:
    return Owner.objects.get_or_create(workspace_id=row.workspace_id, user_id=row.user_id)[0]


def merge_a_little(steps: int = 8) -> None:
    """Merge index segments in small bites (64 pages each, at most 14 ms); unmerged ones cost
    every query 0.05-0.08 ms each. Call it under the write lock, outside a transaction."""
    with connection.cursor() as cursor:
        for table in (RECALL, BROWSE, TURNS):
            for _ in range(steps):
                before = cursor.execute("SELECT total_changes()").fetchone()[0]
                cursor.execute(f"INSERT INTO {table}({table}, rank) VALUES ('merge', 64)")
                after = cursor.execute("SELECT total_changes()").fetchone()[0]
                if after - before < 2:
                    break


def optimise() -> None:
    """Merge everything into one segment; seconds at 100 k rows, so for maintenance only."""
    with connection.cursor() as cursor:
        for table in (RECALL, BROWSE, TURNS):
            cursor.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def clear() -> None:
    """Empty the indexes."""
    with connection.cursor() as cursor:
        for table in (RECALL, BROWSE, TURNS):
            cursor.execute(f"DELETE FROM {table}")


def fill(memories: Iterable[Memory], owners: dict[tuple[int, str], Owner]) -> None:
    """Add rows to cleared indexes, many at once: ten times as fast as `put` for each. `owners`
    is kept from call to call; their counters are not touched."""
    browse, recall = [], []
    for memory in memories:
        key = (memory.workspace_id, memory.user_id)
        owner = owners.get(key) or owners.setdefault(key, owner_of(memory))
        entry = entry_for(memory)
        prefix = workspace_prefix(memory.workspace_id)
        browse.append((memory.pk, *entry.columns(prefix, owner_mark(owner.pk))))
        if memory.status == Status.ACTIVE:
            recall.append((memory.pk, *entry.columns(owner_prefix(owner.pk))))
    with connection.cursor() as cursor:
        for table, rows in ((BROWSE, browse), (RECALL, recall)):
            cursor.executemany(
                f"INSERT INTO {table}(rowid, words, bigrams) VALUES (%s, %s, %s)", rows
            )


def _replace(table: str, rowid: int, words: str, bigrams: str) -> None:
    _delete(table, rowid)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table}(rowid, words, bigrams) VALUES (%s, %s, %s)",
            [rowid, words, bigrams],
        )


def _delete(table: str, rowid: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE rowid = %s", [rowid])


def _count(owner: Owner, step: int) -> None:
    Owner.objects.filter(pk=owner.pk).update(active=F("active") + step)
