"""The entities of one user as names and as a graph, read off the links."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet

from memory.models import EntityLink, LinkRole, Memory, Scope, ScopeError
from memory.text.normalise import key as normalised

from .links import SPEAKER, named

MOST, DEEPEST = 100, 2


@dataclass(frozen=True)
class Entity:
    """A name as the newest memory that has it writes it; how many active memories are about it,
    and how many others name it."""

    key: str
    name: str
    memories: int
    named_by: int


@dataclass(frozen=True)
class Edge:
    """What one active memory ties together: its entity (else its first link) and a thing that it
    names, by `role`. `attribute` says as what, where it is the memory's value."""

    source: str
    target: str
    role: str
    attribute: str
    memory_id: UUID


@dataclass(frozen=True)
class Graph:
    """`nodes` by distance from where it began, with their names; `is_cut`: there are more."""

    nodes: dict[str, str]
    edges: tuple[Edge, ...]
    is_cut: bool


def entities(scope: Scope, *, after: str = "", limit: int) -> list[Entity]:
    """The user's entities by key, those after `after`: what a memory is about or links. A value
    alone is none; where it is one too, the memories that have it count among `named_by`."""
    rows = _mine(scope).filter(key__gt=after).values("key").annotate(
        own=Count("id", Q(role=LinkRole.ENTITY)),
        other=Count("id", ~Q(role=LinkRole.ENTITY)),
        taken=Count("id", ~Q(role=LinkRole.VALUE)),
    )  # fmt: skip
    found = list(rows.filter(taken__gt=0).order_by("key")[:limit])
    names = _names(scope, [row["key"] for row in found])
    return [Entity(row["key"], names[row["key"]], row["own"], row["other"]) for row in found]


def count_entities(scope: Scope, most: int) -> int:
    """How many entities there are, at most `most`."""
    rows = _mine(scope).exclude(role=LinkRole.VALUE).values("key").distinct()
    return rows[:most].count()


def graph_of(scope: Scope, keys: Collection[str], *, depth: int = 1, most: int = MOST) -> Graph:
    """What is tied to these names, up to `depth` ties away; at most `most` nodes and as many
    edges. The speaker is shown but not followed: everything is about them."""
    nodes: dict[str, None] = dict.fromkeys(keys)
    edges: dict[Edge, None] = {}
    ring, is_cut = list(nodes), False
    for step in range(min(depth, DEEPEST)):
        if step:
            ring = [name for name in nodes if name not in ring and name != SPEAKER]
        found, more = _edges(scope, ring, most)
        is_cut |= more
        for edge in found:
            new = {edge.source, edge.target} - nodes.keys()
            if len(nodes) + len(new) > most:
                is_cut = True
                continue
            edges[edge] = None
            nodes |= dict.fromkeys((edge.source, edge.target))
    is_cut |= len(edges) > most
    return Graph(_names(scope, list(nodes)), tuple(edges)[:most], is_cut)


def is_entity(scope: Scope, key: str) -> bool:
    """Whether some active memory of the user is about this or links it."""
    return bool(_linked(scope, [key]))


def memories_naming(rows: QuerySet[Memory], scope: Scope, name: str) -> QuerySet[Memory]:
    """Of these rows those about an entity in whatever state, and the active ones that name it."""
    own = normalised(name)
    links = EntityLink.objects.filter(workspace_id=scope.workspace_id, key=own)
    return rows.filter(Q(entity_key=own) | Q(pk__in=links.values("memory_id")))


def _mine(scope: Scope) -> QuerySet[EntityLink]:
    if scope.user_id is None:
        raise ScopeError("links are those of one user")
    return EntityLink.objects.filter(workspace_id=scope.workspace_id, user_id=scope.user_id)


def _edges(scope: Scope, ring: Sequence[str], most: int) -> tuple[list[Edge], bool]:
    """The edges that touch the names of a ring, of the newest memories, and whether of more."""
    if not ring:
        return [], False
    touching = _mine(scope).filter(key__in=ring).order_by("-memory_id")
    pks = list(touching.values_list("memory_id", flat=True).distinct()[: most + 1])
    rows = {row.pk: row for row in _written(scope, pks[:most])}
    pairs = {pk: dict(named(row)) for pk, row in rows.items()}
    linked = _linked(scope, {name for held in pairs.values() for name in held})
    edges = []
    for pk in sorted(rows, reverse=True):
        row, held = rows[pk], pairs[pk]
        source = row.entity_key or next((name for name in map(normalised, row.links) if name), "")
        for name, role in held.items():
            if name != source and name in linked and {source, name} & set(ring):
                attribute = row.attribute if name == row.value_key else ""
                edges.append(Edge(source, name, role, attribute, row.public_id))
    return edges, len(pks) > most


def _linked(scope: Scope, names: Collection[str]) -> set[str]:
    """Those of the names that some memory is about or links: a value alone is no entity."""
    rows = _mine(scope).filter(key__in=names).exclude(role=LinkRole.VALUE)
    return set(rows.values_list("key", flat=True).distinct())


def _names(scope: Scope, keys: Sequence[str]) -> dict[str, str]:
    """Each name as the newest memory that has it writes it, in the order of the keys."""
    newest = _mine(scope).filter(key__in=keys).values("key").annotate(last=Max("memory_id"))
    last = dict(newest.values_list("key", "last"))
    rows = {row.pk: row for row in _written(scope, set(last.values()))}
    written = {}
    for name, pk in last.items():
        row = rows[pk]
        said = [row.entity, *row.links, row.value]
        written[name] = next((text for text in said if normalised(text) == name), name)
    return {name: written.get(name, name) for name in keys}


def _written(scope: Scope, pks: Collection[int]) -> QuerySet[Memory]:
    columns = ("public_id", "entity", "entity_key", "attribute", "value", "value_key", "links")
    return Memory.objects.within(scope).filter(pk__in=pks).only(*columns)
