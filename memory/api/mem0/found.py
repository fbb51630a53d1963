"""What an id of mem0's client means here."""

from collections.abc import Iterable
from uuid import UUID

from memory.models import Memory, Scope, Status
from memory.write.revise import NotFound, find

GONE = (Status.RETRACTED, Status.REJECTED)


class Deleted(NotFound):
    """It was retracted: to mem0's client, deleted. Its history remains."""


def versions_of(scope: Scope, fact: UUID) -> list[Memory]:
    """All versions of a fact, the one that stands for it first; by the id of any version too.
    Raises `NotFound`, `Erased`."""
    rows = list(Memory.objects.within(scope).filter(fact=fact))
    if not rows:
        known = find(scope, fact)
        rows = list(Memory.objects.within(scope).filter(fact=known.fact))
    return sorted(rows, key=_standing)


def current(scope: Scope, fact: UUID) -> Memory:
    """The version that stands for a fact. Raises `NotFound`, `Erased`, and `Deleted` once it was
    retracted."""
    memory = versions_of(scope, fact)[0]
    if memory.status in GONE:
        raise Deleted(str(fact))
    return memory


def all_current(scope: Scope, facts: Iterable[UUID]) -> list[Memory]:
    """The standing version of each, each once. Raises as `current`."""
    return [current(scope, fact) for fact in dict.fromkeys(facts)]


def _standing(memory: Memory) -> tuple:
    return memory.status != Status.ACTIVE, -memory.version, -memory.pk
