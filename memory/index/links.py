"""Which entities the active memories name: kept beside the indexes, in the same transactions."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from django.db import connection

from memory.models import EntityLink, LinkRole, Memory, Scope, Status
from memory.text.names import could_be_name
from memory.text.normalise import key as normalised

from .filters import stored
from .search import WAS_ACTIVE
from .storage import one_view

LINKS = EntityLink._meta.db_table
# The speaker is no thing that leads from one memory to another: everything is about them.
SPEAKER = "user"
PAGE = 5000

# (name, role)s of one memory, sorted.
Named = tuple[tuple[str, str], ...]


class Shared(NamedTuple):
    """Two memories, by primary key, that name the same entity; `role` is what it is to the first
    and `other_role` to the other."""

    pk: int
    key: str
    role: str
    other: int
    other_role: str


def names_in(entity_key: str, value_key: str, links: Iterable[str]) -> Named:
    """What a memory with these columns names, each once: its entity, else one of its links, else
    its value where that can be a name."""
    found = {value_key: LinkRole.VALUE.value} if could_be_name(value_key) else {}
    found |= {normalised(name): LinkRole.LINK.value for name in links}
    found[entity_key] = LinkRole.ENTITY.value
    return tuple(sorted(pair for pair in found.items() if 0 < len(pair[0]) <= _LONGEST))


_LONGEST = EntityLink._meta.get_field("key").max_length


def named(memory: Memory) -> Named:
    return names_in(memory.entity_key, memory.value_key, memory.links)


def put_links(memory: Memory, *, was_active: bool) -> None:
    """Bring the links in step with one saved memory. A merge adds links to a row in place."""
    wanted: Named = named(memory) if memory.status == Status.ACTIVE else ()
    if was_active:
        rows = EntityLink.objects.filter(memory_id=memory.pk)
        if wanted and wanted == tuple(sorted(rows.values_list("key", "role"))):
            return
        drop_links(memory.pk)
    if wanted:
        _insert([(memory, wanted)])


def drop_links(pk: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {LINKS} WHERE memory_id = %s", [pk])


def clear_links() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {LINKS}")


def fill_links(memories: Iterable[Memory]) -> None:
    """Add the links of active rows that have none yet, many at once."""
    _insert((memory, named(memory)) for memory in memories)


def _insert(rows: Iterable[tuple[Memory, Named]]) -> None:
    values = [
        (memory.pk, memory.workspace_id, memory.user_id, name, role)
        for memory, pairs in rows
        for name, role in pairs
    ]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {LINKS}(memory_id, workspace_id, user_id, key, role) "
            "VALUES (%s, %s, %s, %s, %s)",
            values,
        )


def wrong_links() -> Iterator[tuple[str, int, str]]:
    """Each memory whose links are not what its row says: "missing", "extra" or "different", its
    primary key and its id. Each page of rows is compared as of one instant."""
    last, columns = 0, ("workspace_id", "user_id", "status", "entity_key", "value_key", "links")
    while True:
        with one_view():
            rows = Memory.everywhere.filter(pk__gt=last).order_by("pk")
            page = list(rows.values_list("pk", "public_id", *columns)[:PAGE])
            if not page:
                return
            kept = EntityLink.objects.filter(memory_id__gt=last, memory_id__lte=page[-1][0])
            kept = kept.order_by("memory_id", "key", "role")
            found = {
                pk: [tuple(row[1:]) for row in some]
                for pk, some in groupby(
                    kept.values_list("memory_id", "workspace_id", "user_id", "key", "role"),
                    key=lambda row: row[0],
                )
            }
        for pk, public_id, workspace_id, user_id, status, *parts in page:
            pairs = names_in(*parts) if status == Status.ACTIVE else ()
            right = [(workspace_id, user_id, *pair) for pair in pairs]
            there = found.get(pk, [])
            if there != right:
                what = "missing" if not there else "different" if right else "extra"
                yield what, pk, str(public_id)
        last = page[-1][0]


# One text whatever the number of keys, so that it is compiled once.
_PAIRS = (
    f"SELECT a.memory_id, a.key, a.role, b.memory_id, b.role FROM {LINKS} a "
    f"CROSS JOIN {LINKS} b ON {{}} AND b.memory_id <> a.memory_id "
    "WHERE a.memory_id IN (SELECT value FROM json_each(%s)) AND a.key <> %s"
)
_FEW = _PAIRS.format(
    f"b.id IN (SELECT c.id FROM {LINKS} c WHERE c.workspace_id = %s AND c.user_id = %s "
    "AND c.key = a.key ORDER BY c.role, c.id LIMIT %s)"
)
_BESIDE = _PAIRS.format("b.memory_id IN (SELECT value FROM json_each(%s)) AND b.key = a.key")


def shared(scope: Scope, pks: Sequence[int], beside: Collection[int], few: int) -> list[Shared]:
    """Active memories of the scope's user that name an entity which one of `pks` names: all of
    those `beside`, and of others `few` an entity, those first whose own entity it is."""
    if not pks:
        return []
    # The primary keys are the scope's own: they come from its search.
    first = [json.dumps(list(pks)), SPEAKER]
    with connection.cursor() as cursor:
        cursor.execute(_FEW, [scope.workspace_id, scope.user_id, few, *first])
        found = cursor.fetchall()
        # Asked only where a name has more, since it looks for each beside each.
        counts = Counter(row[:2] for row in found)
        if counts and max(counts.values()) >= few - 1:
            cursor.execute(_BESIDE, [json.dumps(list(beside)), *first])
            found += cursor.fetchall()
    return [Shared(*row) for row in sorted(set(found))]


def shared_as_of(
    scope: Scope,
    names: Mapping[int, Named],
    beside: Collection[int],
    few: int,
    moment: datetime,
) -> list[Shared]:
    """The same of the rows that were active at `moment`; `names` are those of the first memories.

    Reads every row of the user that has such an entity, value or any links; for people.
    """
    wanted = {name for pairs in names.values() for name, _ in pairs} - {SPEAKER}
    if not wanted:
        return []
    marks = ", ".join(["%s"] * len(wanted))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.id FROM memory_memory m WHERE m.workspace_id = %s AND m.user_id = %s AND "
            f"(m.entity_key IN ({marks}) OR m.value_key IN ({marks}) OR m.links <> '[]') "
            f"AND {WAS_ACTIVE} ORDER BY m.id",
            [scope.workspace_id, scope.user_id, *wanted, *wanted, stored(moment)],
        )
        pks = [row[0] for row in cursor.fetchall()]
    rows = Memory.objects.within(scope).filter(pk__in=pks).order_by("pk")
    naming: dict[str, list[tuple[str, int]]] = {}
    for row in rows.only("entity_key", "value_key", "links"):
        for name, role in named(row):
            naming.setdefault(name, []).append((role, row.pk))
    found = []
    for pk, pairs in names.items():
        for name, role in pairs:
            everyone = sorted(naming.get(name, ())) if name in wanted else []
            near = [pair for pair in everyone if pair[1] in beside]
            for other_role, other in dict.fromkeys([*everyone[:few], *near]):
                if other != pk:
                    found.append(Shared(pk, name, role, other, other_role))
    return sorted(found)
