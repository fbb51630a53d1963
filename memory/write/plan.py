"""A plan: what a write is going to change, said before anything has changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from memory.models import Batch, Change, Memory, Scope


@dataclass(frozen=True)
class PlannedChange:
    """One row's change. `sees` is the revision that the plan was made from, None for a new row;
    `sets` are the columns that it sets (for a new row, all that are not default). `whole`: a new
    row as it was kept elsewhere, whose state, revision and times stand as they are given."""

    action: str
    memory_id: UUID
    sees: int | None
    sets: Mapping[str, Any]
    undoing: bool = False
    whole: bool = False


class Erases(Protocol):
    """What an erasure takes away beside rows and ledger. `foreign`, once it is clean: batches of
    other memories whose reasons it took."""

    foreign: Sequence[Batch]

    def clean(self, batch: Batch) -> None:
        """Carry it out, in the transaction of the plan."""


@dataclass(frozen=True)
class Plan:
    """Changes that are applied together, in this order, or not at all."""

    scope: Scope
    verb: str
    reason: str
    changes: tuple[PlannedChange, ...]
    undoes: Batch | None = None
    user_id: str = ""
    erasing: "Erases | None" = None

    def __iter__(self) -> Iterator[PlannedChange]:
        return iter(self.changes)


@dataclass(frozen=True)
class Applied:
    """What became of a plan. `batch` is None when the plan was empty."""

    batch: Batch | None
    entries: tuple[Change, ...] = ()
    memories: Mapping[UUID, Memory] = field(default_factory=dict)


class StalePlan(Exception):
    """A row has moved since the plan was made: nothing was changed."""

    def __init__(self, memory_ids: list[UUID]):
        self.memory_ids = memory_ids
        super().__init__(f"changed in the meantime: {', '.join(map(str, memory_ids))}")


class Conflict(Exception):
    """The plan would break a rule that the store holds: nothing was changed."""
