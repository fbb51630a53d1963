"""The same fact in other words: found, kept as pairs for a person, never merged by chance.

Only exact repeats confirm each other by themselves. A policy may let more do so
(`merge_similar`); differing numbers, entities, dates and negation stay apart even then.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.db import DatabaseError
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from memory import clock
from memory.index.similar import nearest
from memory.models import DuplicatePair, Kind, Memory, PairState, Policy, Scope, Status, Workspace
from memory.text.similar import Likeness, likeness

from .planner import Planner
from .queue import QueueTimeout
from .transaction import write_transaction

# So many of an owner's rows are compared with one (about 3 ms).
CANDIDATES = 20
# Of a larger batch the sweep looks at the rest, so that an import does not wait for it.
AT_WRITE = 20
SWEEP = 500


class Swept(NamedTuple):
    """`last`: the key to go on after, None when the end is reached; `looked` at so many rows,
    `found` so many new pairs."""

    last: int | None
    looked: int
    found: int


def alike(a: Memory, b: Memory) -> Likeness:
    """How alike two memories are: their texts, and what their parts say of it."""
    told = likeness(a.text, b.text)
    if told.veto:
        return told
    if a.entity_key and b.entity_key and a.entity_key != b.entity_key:
        return _apart(told, "name")
    if a.value_key and b.value_key and a.value_key != b.value_key:
        values = likeness(a.value, b.value)
        if values.veto or values.added or values.overlap < 1:
            return _apart(told, values.veto or "word")
    if a.kind == b.kind == Kind.EVENT and _days(a) != _days(b):
        return _apart(told, "date")
    return told


def similar(scope: Scope, memory: Memory, limit: int = CANDIDATES) -> list[tuple[Memory, Likeness]]:
    """Other active memories of the same owner that may say the same, most alike first."""
    found = nearest(
        memory.workspace_id, memory.user_id, memory.agent_id, memory.text, limit,
        but=memory.pk or 0,
    )  # fmt: skip
    # Most are told apart by their texts alone, and whole rows cost more to read.
    near = [pk for pk, text in found if likeness(memory.text, text).is_possible]
    if not near:
        return []
    rows = Memory.objects.within(scope).filter(pk__in=near, status=Status.ACTIVE)
    told = [(row, alike(memory, row)) for row in rows]
    likely = [(row, how) for row, how in told if how.is_possible]
    return sorted(likely, key=lambda pair: (-pair[1].score, pair[0].pk))


def same_in_other_words(planner: Planner, row: Mapping[str, Any], policy: Policy) -> Memory | None:
    """The active memory that a new row of these columns says again, where the policy lets such
    merge by themselves: of the same kind, at least 0.9 alike, nothing that keeps them apart."""
    if not policy.merge_similar:
        return None
    new = Memory(workspace_id=planner.scope.workspace_id, **row)
    for found, how in similar(planner.scope, new):
        memory = planner.rows.get(found.public_id, found)
        is_theirs = (memory.kind, memory.status) == (new.kind, Status.ACTIVE)
        if is_theirs and how.is_same:
            return memory
    return None


def note_pairs(scope: Scope, memories: Iterable[Memory]) -> int:
    """Keep the pairs that new memories make; how many are new. Called after their write: what
    cannot be kept now, the sweep finds."""
    try:
        return _keep(scope, list(memories)[:AT_WRITE])
    except (QueueTimeout, DatabaseError):
        return 0


def sweep(workspace: Workspace, limit: int = SWEEP, after: int = 0) -> Swept:
    """Look at the next `limit` active memories after the key `after` for pairs not yet kept.

    Doing a part again changes nothing. Raises `QueueTimeout`.
    """
    scope = Scope(workspace.pk, "maintenance", "command")
    rows = Memory.objects.within(scope).filter(status=Status.ACTIVE, pk__gt=after)
    looked = list(rows.order_by("pk")[:limit])
    found = _keep(scope, looked)
    return Swept(looked[-1].pk if len(looked) == limit else None, len(looked), found)


def open_pairs(scope: Scope) -> QuerySet[DuplicatePair]:
    """Pairs that wait for a person: of two active memories; those whose merge was undone wait
    again."""
    active = Memory.objects.within(scope).filter(status=Status.ACTIVE)
    undone = Q(state=PairState.MERGED, batch__undone_by__isnull=False)
    return DuplicatePair.objects.within(scope).filter(
        Q(state=PairState.OPEN) | undone,
        Exists(active.filter(public_id=OuterRef("first"))),
        Exists(active.filter(public_id=OuterRef("second"))),
    )


def keep_apart(scope: Scope, pairs: Iterable[DuplicatePair], reason: str) -> int:
    """Say that these are two things; they are not offered again. How many there were. Raises
    `QueueTimeout`."""
    return _decide(scope, pairs, PairState.APART, reason)


def offer_again(scope: Scope, pairs: Iterable[DuplicatePair], reason: str) -> int:
    """Take `keep_apart` back. Raises `QueueTimeout`."""
    return _decide(scope, pairs, PairState.OPEN, reason)


def _decide(scope: Scope, pairs: Iterable[DuplicatePair], state: PairState, reason: str) -> int:
    with write_transaction():
        rows = DuplicatePair.objects.within(scope).filter(pk__in=[pair.pk for pair in pairs])
        return rows.update(
            state=state, decided_at=clock.now(), decided_by=scope.actor, reason=reason
        )


def _keep(scope: Scope, memories: Sequence[Memory]) -> int:
    found: dict[tuple[UUID, UUID], DuplicatePair] = {}
    for memory in memories:
        for other, how in similar(scope, memory):
            first, second = sorted((memory, other), key=lambda row: row.pk)
            key = (first.public_id, second.public_id)
            found[key] = DuplicatePair(
                workspace_id=scope.workspace_id,
                user_id=memory.user_id,
                first=key[0],
                second=key[1],
                score=round(how.score, 4),
                found_at=clock.now(),
            )
    new = _not_yet_kept(scope, found)
    if new:
        with write_transaction():
            DuplicatePair.objects.within(scope).bulk_create(new, ignore_conflicts=True)
    return len(new)


def _not_yet_kept(
    scope: Scope, found: Mapping[tuple[UUID, UUID], DuplicatePair]
) -> list[DuplicatePair]:
    """Without those that are kept, in whatever state, and those of two facts that a person has
    kept apart in earlier versions."""
    if not found:
        return []
    ids = {memory_id for key in found for memory_id in key}
    pairs = DuplicatePair.objects.within(scope)
    kept = set(pairs.filter(first__in=ids, second__in=ids).values_list("first", "second"))
    facts = dict(
        Memory.objects.within(scope).filter(public_id__in=ids).values_list("public_id", "fact")
    )
    versions = dict(
        Memory.objects.within(scope)
        .filter(fact__in=set(facts.values()))
        .values_list("public_id", "fact")
    )
    apart = {
        frozenset((versions[first], versions[second]))
        for first, second in pairs.filter(
            state=PairState.APART, first__in=versions, second__in=versions
        ).values_list("first", "second")
    }
    return [
        pair
        for key, pair in found.items()
        if key not in kept and frozenset((facts[key[0]], facts[key[1]])) not in apart
    ]


def _apart(told: Likeness, veto: str) -> Likeness:
    return Likeness(told.score, told.overlap, veto, told.added)


def _days(memory: Memory):
    return memory.occurred_at and timezone.localdate(memory.occurred_at)
