"""Rows that say something else of the same thing."""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db.models import Q

from memory.models import DuplicatePair, Kind, Memory, Status
from memory.recall.past import as_it_was
from memory.text.normalise import normalise
from memory.text.similar import likeness
from memory.write.sameness import open_pairs

from .case import Case, last_said

# A card with more rows than this is a topic and not one thing.
MOST = 200
WAITING = (Status.CANDIDATE, Status.QUARANTINED)
STANDING = (Status.ACTIVE, *WAITING)
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")


def rivals(case: Case, memories: Sequence[Memory]) -> dict[Memory, list[Memory]]:
    """For each memory the others of its owner, active or waiting, that say something else of the
    same thing, the latest first; two queries for however many memories."""
    near = [item.memory.public_id for item in case.seen.ranked[: case.request.limit]]
    standing = Memory.objects.within(case.request.scope).filter(status__in=STANDING).order_by()
    # Joined by "or" these would be one scan of the owner's rows; apart each has its index.
    ways = (
        Q(entity_key__in={memory.entity_key for memory in memories if memory.entity_key}),
        Q(fact__in={memory.fact for memory in memories}),
        Q(conflicts_with__in={memory.public_id for memory in memories}, status__in=WAITING),
        Q(public_id__in=near),
    )
    first, *others = (standing.filter(way).values_list("pk", flat=True) for way in ways)
    found = list(standing.filter(pk__in=list(first.union(*others).order_by("-pk")[:MOST])))
    if case.request.as_of is not None:
        past = as_it_was({row.pk: row for row in found}, case.request.as_of).values()
        found = [row for row in past if row.status in STANDING]
    found.sort(key=last_said, reverse=True)
    return {
        memory: [row for row in found if row.pk != memory.pk and disagree(case, memory, row)]
        for memory in memories
    }


def newer(case: Case, memories: Sequence[Memory]) -> dict[Memory, list[Memory]]:
    """The rivals that were said later."""
    return {
        memory: [row for row in others if last_said(row) > last_said(memory)]
        for memory, others in rivals(case, memories).items()
    }


def disagree(case: Case, one: Memory, other: Memory) -> bool:
    """Whether two memories say different things of the same thing.

    Either they share a fact, a key or a noted conflict, or they have the same words with another
    number. Under two names of one entity, amounts of the same measure are one thing only where
    one is live state and the older has outlived the limit of such: stock and goods on order are
    both so many pieces, but what was counted last week is nobody's stock.
    """
    if one.value_key and one.value_key == other.value_key:
        return False
    if one.fact == other.fact or one.public_id == other.conflicts_with:
        return True
    if one.entity_key and one.entity_key == other.entity_key:
        if one.attribute_key == other.attribute_key:
            return one.single_valued or other.single_valued or _of_one_measure(one, other)
        return _is_old_state(case, one, other)
    if one.entity_key and other.entity_key:
        return False
    return likeness(one.text, other.text).is_conflict


def measure(value: str) -> str:
    """A value without its number: 120 件 and 38 件 are both "# 件"; "" where it has none."""
    plain = normalise(value).strip()
    return _NUMBER.sub("#", plain) if _NUMBER.search(plain) else ""


def pairs_among(case: Case, memories: Iterable[Memory]) -> list[DuplicatePair]:
    """Possible duplicates among these that nobody has decided on."""
    ids = [memory.public_id for memory in memories]
    return list(open_pairs(case.scope).filter(first__in=ids, second__in=ids).order_by("pk"))


def _of_one_measure(one: Memory, other: Memory) -> bool:
    """Two amounts under one key contradict each other, but what happened twice may differ."""
    if Kind.EVENT in (one.kind, other.kind):
        return False
    return bool(measure(one.value)) and measure(one.value) == measure(other.value)


def _is_old_state(case: Case, one: Memory, other: Memory) -> bool:
    if Kind.INVENTORY not in (one.kind, other.kind) or not _of_one_measure(one, other):
        return False
    older = min(one, other, key=last_said)
    hours = case.policies.of(Kind.INVENTORY, older.domain).ttl_hours
    return hours is not None and case.age(older) > timedelta(hours=hours)
