"""Rebuilding the indexes, and proving that they say what the table says.

`PRAGMA integrity_check` answers "ok" on an index that has lost rows; only a comparison row by
row tells.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, QuerySet
from django.db.models.signals import post_migrate, post_save, pre_save

from memory.models import EntityLink, Memory, Owner, Status, Turn, TurnRole

from .links import wrong_links
from .proof import (
    MEMORY_COLUMNS,
    TURN_COLUMNS,
    Numbers,
    Stored,
    Wanted,
    memories_anew,
    prove_memories,
    turn_prover,
    turns_anew,
)
from .rows import clear, fill, optimise, put, take_out
from .schema import BROWSE, RECALL, TURNS
from .storage import guard_ledger, is_installed, one_view
from .turn_rows import fill_turns, put_fixture

PAGE = 2000


@dataclass(frozen=True)
class Drift:
    """One disagreement: `what` is "missing", "extra", "different" or "count"."""

    index: str
    what: str
    rowid: int
    public_id: str = ""


def drift() -> Iterator[Drift]:
    """Every row in which an index and its table disagree, walking by pages of ids.

    Writers may go on meanwhile: each page of rows is compared as of one instant.
    """
    yield from _drift(Memory, (RECALL, BROWSE), MEMORY_COLUMNS, prove_memories, memories_anew)
    yield from _drift(Turn, (TURNS,), TURN_COLUMNS, turn_prover(), turns_anew)
    yield from (Drift("links", what, pk, public_id) for what, pk, public_id in wrong_links())
    yield from _wrong_counts()


def _drift(
    model: type[Memory | Turn],
    tables: tuple[str, ...],
    columns: tuple[str, ...],
    prove: Callable[[list, Numbers, Stored], Iterator[int]],
    anew: Callable[[list, Numbers], Wanted],
) -> Iterator[Drift]:
    """`prove` takes the rows off `Stored` that stamps prove; of all others the right columns are
    made `anew`, which costs a segmentation each."""
    last = 0
    while True:
        with one_view():
            rows = model.everywhere.filter(id__gt=last).order_by("id")
            page = list(rows.values_list(*columns, named=True)[:PAGE])
            upper = page[-1].pk if len(page) == PAGE else None
            stored = {table: _stored(table, last, upper) for table in tables}
            users = Owner.objects.filter(user_id__in={row.user_id for row in page})
            numbers = {(o.workspace_id, o.user_id): o.pk for o in users}
            proved = set(prove(page, numbers, stored))
            doubted = [row.pk for row in page if row.pk not in proved]
            expected = list(anew(list(rows.filter(pk__in=doubted)), numbers)) if doubted else []
        for table, row, right in expected:
            found = stored[table].pop(row.pk, None)
            if found != right:
                what = "missing" if found is None else "different"
                yield Drift(table, what, row.pk, str(row.public_id))
        for table, rows in stored.items():
            yield from (Drift(table, "extra", rowid) for rowid in rows)
        if upper is None:
            break
        last = upper


def _stored(table: str, after: int, upto: int | None) -> dict[int, tuple[str, ...]]:
    bound, values = ("", [after]) if upto is None else (" AND rowid <= %s", [after, upto])
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT rowid, * FROM {table} WHERE rowid > %s{bound}", values)
        return {rowid: tuple(columns) for rowid, *columns in cursor.fetchall()}


def _wrong_counts() -> Iterator[Drift]:
    with one_view():
        owners, active, turns = list(Owner.objects.all()), _counted(_ACTIVE), _counted(_SAID)
    for owner in owners:
        key = (owner.workspace_id, owner.user_id)
        if (owner.active, owner.turns) != (active.get(key, 0), turns.get(key, 0)):
            yield Drift("owner", "count", owner.pk)


_ACTIVE = Memory.everywhere.filter(status=Status.ACTIVE)
_SAID = Turn.everywhere.exclude(role=TurnRole.SYSTEM).exclude(user_id="")


def _counted(rows: QuerySet) -> dict[tuple[int, str], int]:
    """How many of these rows each owner has."""
    counted = rows.order_by().values_list("workspace_id", "user_id").annotate(n=Count("id"))
    return {(workspace_id, user_id): n for workspace_id, user_id, n in counted}


def size() -> int:
    """How many steps a rebuild takes: one for each memory and turn, and one for what is left."""
    return Memory.everywhere.count() + Turn.everywhere.count() + 1


def rebuild(progress: Callable[[int], None] = lambda done: None) -> int:
    """Make the indexes and the owners' counters anew from the tables; the number of memories.

    Call it inside a write transaction: readers keep the old index until it commits. `progress`
    hears how many of `size` steps are done.
    """
    clear()
    owners: dict[tuple[int, str], Owner] = {}
    memories = 0
    for page in _pages(Memory):
        fill(page, owners)
        memories += len(page)
        progress(memories)
    done = memories
    for page in _pages(Turn):
        fill_turns(page, owners)
        done += len(page)
        progress(done)
    Owner.objects.update(active=0, turns=0)
    for name, rows in (("active", _ACTIVE), ("turns", _SAID)):
        for (workspace_id, user_id), count in _counted(rows).items():
            owner = Owner.objects.filter(workspace_id=workspace_id, user_id=user_id)
            owner.update(**{name: count})
    optimise()
    progress(done + 1)
    return memories


def _pages(model: type[Memory | Turn]) -> Iterator[list]:
    last = 0
    while page := list(model.everywhere.filter(id__gt=last).order_by("id")[:PAGE]):
        yield page
        last = page[-1].pk


def connect() -> None:
    """Rows can arrive and vanish around `apply` and `add_turns`: fixtures (raw saves) and
    `flush`."""
    post_save.connect(_fixture_row, sender=Memory, dispatch_uid="index fixture row")
    post_save.connect(_fixture_turn, sender=Turn, dispatch_uid="index fixture turn")
    pre_save.connect(_fixture_link, sender=EntityLink, dispatch_uid="index fixture link")
    post_migrate.connect(_after_migrate, dispatch_uid="index after migrate")


def _fixture_link(sender, instance: EntityLink, raw: bool, **kwargs) -> None:
    """Its memory, loaded before it, has made the same link under another number."""
    if raw:
        own = {name: getattr(instance, name) for name in ("memory_id", "key", "role")}
        EntityLink.objects.filter(**own).exclude(pk=instance.pk).delete()


def _fixture_row(sender, instance: Memory, raw: bool, **kwargs) -> None:
    if raw:
        # `was` is not known: the row may have been there in any state.
        take_out(instance)
        put(instance)
        _recount(instance, active=_ACTIVE)


def _fixture_turn(sender, instance: Turn, raw: bool, **kwargs) -> None:
    if raw:
        put_fixture(instance)
        _recount(instance, turns=_SAID)


def _recount(row: Memory | Turn, **counters: QuerySet) -> None:
    """The fixture may have brought the counter along already: count, don't add."""
    own = {"workspace_id": row.workspace_id, "user_id": row.user_id}
    counts = {name: rows.filter(**own).count() for name, rows in counters.items()}
    Owner.objects.filter(**own).update(**counts)


def _after_migrate(sender, using: str, **kwargs) -> None:
    if sender.name != "memory" or not is_installed():
        return
    # A migration that rebuilds a table drops its triggers without a word.
    guard_ledger()
    if not (Memory.everywhere.exists() or Turn.everywhere.exists()):
        clear()
