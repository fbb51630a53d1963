"""Rebuilding the indexes, and proving that they say what the table says.

`PRAGMA integrity_check` answers "ok" on an index that has lost rows; only a comparison row by
row tells.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count
from django.db.models.signals import post_migrate, post_save

from memory.models import Memory, Owner, Status

from .entry import entry_for, owner_mark, owner_prefix, workspace_prefix
from .rows import clear, fill, optimise, put, take_out
from .schema import BROWSE, RECALL
from .storage import guard_ledger, is_installed, one_view

PAGE = 2000


@dataclass(frozen=True)
class Drift:
    """One disagreement: `what` is "missing", "extra", "different" or "count"."""

    index: str
    what: str
    rowid: int
    public_id: str = ""


def drift() -> Iterator[Drift]:
    """Every row in which an index and the table disagree, walking by pages of ids.

    Writers may go on meanwhile: each page of rows is compared as of one instant.
    """
    last = 0
    while True:
        with one_view():
            page = list(Memory.everywhere.filter(id__gt=last).order_by("id")[:PAGE])
            upper = page[-1].pk if len(page) == PAGE else None
            stored = {table: _stored(table, last, upper) for table in (RECALL, BROWSE)}
            users = Owner.objects.filter(user_id__in={memory.user_id for memory in page})
            owners = {(o.workspace_id, o.user_id): o for o in users}
        for memory in page:
            owner = owners.get((memory.workspace_id, memory.user_id))
            yield from _compare(memory, owner, stored)
        for table, rows in stored.items():
            yield from (Drift(table, "extra", rowid) for rowid in rows)
        if upper is None:
            break
        last = upper
    yield from _wrong_counts()


def _stored(table: str, after: int, upto: int | None) -> dict[int, tuple[str, str]]:
    bound, values = ("", [after]) if upto is None else (" AND rowid <= %s", [after, upto])
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT rowid, words, bigrams FROM {table} WHERE rowid > %s{bound}",
            values,
        )
        return {rowid: (words, bigrams) for rowid, words, bigrams in cursor.fetchall()}


def _compare(memory: Memory, owner: Owner | None, stored: dict) -> Iterator[Drift]:
    entry = entry_for(memory)
    number = owner.pk if owner else 0
    wanted = {BROWSE: entry.columns(workspace_prefix(memory.workspace_id), owner_mark(number))}
    if memory.status == Status.ACTIVE:
        wanted[RECALL] = entry.columns(owner_prefix(number))
    for table, columns in wanted.items():
        found = stored[table].pop(memory.pk, None)
        if found is None:
            yield Drift(table, "missing", memory.pk, str(memory.public_id))
        elif found != columns:
            yield Drift(table, "different", memory.pk, str(memory.public_id))


def _wrong_counts() -> Iterator[Drift]:
    with one_view():
        owners, truth = list(Owner.objects.all()), _active_rows()
    for owner in owners:
        if owner.active != truth.get((owner.workspace_id, owner.user_id), 0):
            yield Drift("owner", "count", owner.pk)


def _active_rows() -> dict[tuple[int, str], int]:
    rows = Memory.everywhere.filter(status=Status.ACTIVE).values("workspace_id", "user_id")
    return {(row["workspace_id"], row["user_id"]): row["n"] for row in rows.annotate(n=Count("id"))}


def rebuild(progress: Callable[[int], None] = lambda done: None) -> int:
    """Make both indexes and the owners' counters anew from the table; the number of rows.

    Call it inside a write transaction: readers keep the old index until it commits.
    """
    clear()
    owners: dict[tuple[int, str], Owner] = {}
    done = last = 0
    while page := list(Memory.everywhere.filter(id__gt=last).order_by("id")[:PAGE]):
        fill(page, owners)
        done, last = done + len(page), page[-1].pk
        progress(done)
    Owner.objects.update(active=0)
    for (workspace_id, user_id), active in _active_rows().items():
        Owner.objects.filter(workspace_id=workspace_id, user_id=user_id).update(active=active)
    optimise()
    return done


def connect() -> None:
    """Rows can arrive and vanish around `apply`: fixtures (raw saves) and `flush`."""
    post_save.connect(_fixture_row, sender=Memory, dispatch_uid="index fixture row")
    post_migrate.connect(_after_migrate, dispatch_uid="index after migrate")


def _fixture_row(sender, instance: Memory, raw: bool, **kwargs) -> None:
    if raw:
        # `was` is not known: the row may have been there in any state.
        take_out(instance)
        put(instance)
        # The fixture may have brought the counter along already: count, don't add.
        active = Memory.everywhere.filter(
            workspace_id=instance.workspace_id, user_id=instance.user_id, status=Status.ACTIVE
        ).count()
        Owner.objects.filter(workspace_id=instance.workspace_id, user_id=instance.user_id).update(
            active=active
        )


def _after_migrate(sender, using: str, **kwargs) -> None:
    if sender.name != "memory" or not is_installed():
        return
    # A migration that rebuilds a table drops its triggers without a word.
    guard_ledger()
    if not Memory.everywhere.exists():
        clear()
