"""A planner for many rows at once."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory.models import Memory, Scope
from memory.write.planner import Planner


class ImportPlanner(Planner):
    """Finds planned rows at once: a trial of a whole file plans thousands of them."""

    def __init__(self, scope: Scope):
        super().__init__(scope)
        self._keys: dict[tuple, dict[UUID, None]] = {}
        self._prints: dict[tuple, dict[UUID, None]] = {}
        self._facts: dict[UUID, dict[UUID, None]] = {}
        self._last: dict[UUID, int] = {}

    def add(self, action: str, **columns: Any) -> Memory:
        return self._indexed(super().add(action, **columns))

    def change(self, memory: Memory, action: str, *, undoing: bool = False, **sets: Any) -> Memory:
        return self._indexed(super().change(memory, action, undoing=undoing, **sets))

    def amend(self, memory: Memory, action: str, **sets: Any) -> Memory:
        """More columns of a row: with its last change in this plan, else as a change of its own."""
        number = self._last.get(memory.public_id)
        if number is None:
            return self.change(memory, action, **sets)
        change = self.changes[number]
        self.changes[number] = replace(change, sets={**change.sets, **sets})
        row = self.rows[memory.public_id]
        for name, value in sets.items():
            setattr(row, name, value)
        return row

    def _indexed(self, memory: Memory) -> Memory:
        memory_id = memory.public_id
        self._last[memory_id] = len(self.changes) - 1
        self._keys.setdefault(key_of(vars(memory)), {})[memory_id] = None
        self._prints.setdefault(place_of(vars(memory)), {})[memory_id] = None
        self._facts.setdefault(memory.fact, {})[memory_id] = None
        return memory

    def _of_key(self, *wanted: str) -> Iterable[Memory]:
        return [self.rows[memory_id] for memory_id in self._keys.get(wanted, ())]

    def _of_print(self, *wanted: str) -> Iterable[Memory]:
        return [self.rows[memory_id] for memory_id in self._prints.get(wanted, ())]

    def _of_fact(self, fact: UUID) -> Iterable[Memory]:
        rows = [self.rows[memory_id] for memory_id in self._facts.get(fact, ())]
        return [row for row in rows if row.fact == fact]


def place_of(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["user_id"], row["agent_id"], row["fingerprint"]


def key_of(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return row["user_id"], row["agent_id"], row["entity_key"], row["attribute_key"]
