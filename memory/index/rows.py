"""Keeping the indexes: which rows stand in them, written in the transaction of the change."""

from collections.abc import Iterable

from django.db import connection

from memory.models import Memory, MemoryStamp, Owner, Status, Turn, TurnStamp

from .entry import Entry, entry_for, owner_mark, owner_prefix, workspace_prefix
from .links import clear_links, drop_links, fill_links, put_links
from .prepared import Prepared
from .schema import BROWSE, RECALL, TURNS
from .stamps import READ, Stamp, keep_memory_stamps, memory_said, stamp

# Pages of an index that one bite of `optimise_a_little` writes.
BITE = 256


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
        keep_memory_stamps([(memory.pk, _stamp(memory, owner, columns))])
    if is_active and not was_active:
        entry = entry or entry_for(memory)
        _replace(RECALL, memory.pk, *entry.columns(owner_prefix(owner.pk)))
        _count(owner, 1)
    elif was_active and not is_active:
        _delete(RECALL, memory.pk)
        _count(owner, -1)
    put_links(memory, was_active=was_active)


def take_out(memory: Memory) -> None:
    """Leave no trace of a row in either index; the owner's counter is the caller's."""
    for table in (RECALL, BROWSE):
        _delete(table, memory.pk)
    MemoryStamp.objects.filter(pk=memory.pk).delete()
    drop_links(memory.pk)


def put_out(memory: Memory) -> None:
    """Take a memory that is about to be removed out of the indexes and out of its owner's count."""
    if memory.status == Status.ACTIVE:
        _count(owner_of(memory), -1)
    take_out(memory)


def owner_of(row: Memory | Turn) -> Owner:
    owner = find_owner(row.workspace_id, row.user_id)
    return owner or Owner.objects.create(workspace_id=row.workspace_id, user_id=row.user_id)


def find_owner(workspace_id: int, user_id: str) -> Owner | None:
    """None for one who never had a row."""
    return _owners.first(workspace_id, user_id)


_owners = Prepared(
    lambda workspace_id, user_id: Owner.objects.filter(workspace_id=workspace_id, user_id=user_id),
    int,
    str,
)


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


def optimise_a_little(*, first: bool) -> bool:
    """A bite of `optimise`, which takes the terms of removed rows out of the segments for good;
    whether there is more. `first` begins with the segments of this moment. Under the write lock,
    outside a transaction; of 100 k rows it takes seconds in all, a bite some 20 ms."""
    more = False
    with connection.cursor() as cursor:
        for table in (RECALL, BROWSE, TURNS):
            pages = -BITE if first else BITE
            before = cursor.execute("SELECT total_changes()").fetchone()[0]
            cursor.execute(f"INSERT INTO {table}({table}, rank) VALUES ('merge', %s)", [pages])
            after = cursor.execute("SELECT total_changes()").fetchone()[0]
            more = more or after - before >= 2
    return more


def clear() -> None:
    """Empty the indexes."""
    with connection.cursor() as cursor:
        for table in (RECALL, BROWSE, TURNS):
            cursor.execute(f"DELETE FROM {table}")
    for stamps in (MemoryStamp, TurnStamp):
        stamps.objects.all().delete()
    clear_links()


def fill(memories: Iterable[Memory], owners: dict[tuple[int, str], Owner]) -> None:
    """Add rows to cleared indexes, many at once: ten times as fast as `put` for each. `owners`
    is kept from call to call; their counters are not touched."""
    browse, recall, stamps, links = [], [], [], []
    for memory in memories:
        key = (memory.workspace_id, memory.user_id)
        owner = owners.get(key) or owners.setdefault(key, owner_of(memory))
        entry = entry_for(memory)
        prefix = workspace_prefix(memory.workspace_id)
        columns = entry.columns(prefix, owner_mark(owner.pk))
        browse.append((memory.pk, *columns))
        stamps.append((memory.pk, _stamp(memory, owner, columns)))
        if memory.status == Status.ACTIVE:
            recall.append((memory.pk, *entry.columns(owner_prefix(owner.pk))))
            links.append(memory)
    with connection.cursor() as cursor:
        for table, rows in ((BROWSE, browse), (RECALL, recall)):
            cursor.executemany(
                f"INSERT INTO {table}(rowid, words, bigrams) VALUES (%s, %s, %s)", rows
            )
    keep_memory_stamps(stamps)
    fill_links(links)


def _stamp(memory: Memory, owner: Owner, columns: tuple[str, str]) -> Stamp:
    """Of the browse row; the recall row is the same terms behind another prefix."""
    return stamp(memory_said([getattr(memory, name) for name in READ], owner.pk), columns)


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
    count = "UPDATE memory_owner SET active = active + %s WHERE id = %s"
    with connection.cursor() as cursor:
        cursor.execute(count, [step, owner.pk])
