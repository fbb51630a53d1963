"""Drawing up a plan: changes are tried on a copy of the rows, nothing is written."""

from copy import copy
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet

from memory import clock
from memory.models import Batch, Memory, Scope, Status
from memory.models.ids import new_id

from .held import without_secrets
from .plan import Plan, PlannedChange

WAITING = (Status.CANDIDATE, Status.QUARANTINED)


class Planner:
    """Collects changes for one scope. `rows` shows each touched row as it will be."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.now = clock.now()
        self.changes: list[PlannedChange] = []
        self.rows: dict[UUID, Memory] = {}
        self.before: dict[UUID, Memory] = {}

    def add(self, action: str, **columns: Any) -> Memory:
        """Plan a new row; its public id is fixed now, so that other rows can point to it."""
        memory_id = columns.pop("public_id", None) or new_id()
        columns.setdefault("fact", memory_id)
        self.changes.append(PlannedChange(action, memory_id, None, columns))
        memory = Memory(public_id=memory_id, workspace_id=self.scope.workspace_id, **columns)
        memory.created_at = memory.updated_at = self.now
        self.rows[memory_id] = memory
        return memory

    def change(self, memory: Memory, action: str, *, undoing: bool = False, **sets: Any) -> Memory:
        """Plan a change of columns of a row that exists or was planned before."""
        known = self.rows.get(memory.public_id, memory)
        self.changes.append(PlannedChange(action, memory.public_id, known.revision, sets, undoing))
        self.before.setdefault(memory.public_id, known)
        after = copy(known)
        for name, value in sets.items():
            setattr(after, name, value)
        after.revision += 1
        after.updated_at = self.now
        self.rows[memory.public_id] = after
        return after

    def plan(self, verb: str, reason: str, undoes: Batch | None = None) -> Plan:
        """What was collected; of the reason secrets are masked."""
        users = {memory.user_id for memory in self.rows.values()}
        return Plan(
            self.scope,
            verb,
            without_secrets(reason),
            tuple(self.changes),
            undoes,
            user_id=users.pop() if len(users) == 1 else "",
        )

    def current(self, user_id: str, agent_id: str, entity_key: str, attribute_key: str):
        """The active single-valued row of a key, as it will be after what is planned so far."""
        wanted = (user_id, agent_id, entity_key, attribute_key)
        for row in self.rows.values():
            key = (row.user_id, row.agent_id, row.entity_key, row.attribute_key)
            if key == wanted and row.single_valued and row.status == Status.ACTIVE:
                return row
        return self._untouched(
            self._of_key(*wanted).filter(status=Status.ACTIVE, single_valued=True)
        )

    def standing(self, memory: Memory) -> Memory | None:
        """The active row that stands where `memory` would stand again: the current value of its
        key, or, for a kind of many values, the present version of its fact."""
        if memory.single_valued:
            return self.current(
                memory.user_id, memory.agent_id, memory.entity_key, memory.attribute_key
            )
        rows = Memory.objects.within(self.scope).filter(fact=memory.fact, status=Status.ACTIVE)
        return rows.exclude(public_id=memory.public_id).first()

    def last_of_key(self, user_id: str, agent_id: str, entity_key: str, attribute_key: str):
        """The newest row of a key in whatever state, so that a fact keeps one history."""
        return self._of_key(user_id, agent_id, entity_key, attribute_key).order_by("-id").first()

    def repeat(self, user_id: str, agent_id: str, fingerprint: str):
        """An active row that says exactly the same."""
        for row in self.rows.values():
            same = (row.user_id, row.agent_id, row.fingerprint) == (user_id, agent_id, fingerprint)
            if same and row.status == Status.ACTIVE:
                return row
        return self._untouched(
            Memory.objects.within(self.scope).filter(
                user_id=user_id,
                agent_id=agent_id,
                fingerprint=fingerprint,
                status=Status.ACTIVE,
            )
        )

    def waiting(self, user_id: str, agent_id: str, fingerprint: str) -> Memory | None:
        """A candidate or held row that says exactly the same: that key's value, or that text."""
        for row in self.rows.values():
            same = (row.user_id, row.agent_id, row.fingerprint) == (user_id, agent_id, fingerprint)
            if same and row.status in WAITING:
                return row
        return self._untouched(
            Memory.objects.within(self.scope).filter(
                user_id=user_id,
                agent_id=agent_id,
                fingerprint=fingerprint,
                status__in=WAITING,
            )
        )

    def next_version(self, fact: UUID) -> int:
        planned = [row.version for row in self.rows.values() if row.fact == fact]
        stored = (
            Memory.objects.within(self.scope).filter(fact=fact).aggregate(last=Max("version"))
        )["last"]
        return max([stored or 0, *planned]) + 1

    def chain(self, current: Memory) -> list[Memory]:
        """`current` and the rows that it stands on, newest first, as their links lead."""
        stored = Memory.objects.within(self.scope).filter(fact=current.fact)
        rows = {row.public_id: row for row in stored} | self.rows
        links = [current]
        while (before := rows.get(links[-1].supersedes_id)) is not None:
            links.append(before)
        return links

    def _untouched(self, rows: QuerySet[Memory]) -> Memory | None:
        # Picked here: as a condition, the list of a large batch made every question slower.
        return next((row for row in rows if row.public_id not in self.rows), None)

    def _of_key(self, user_id: str, agent_id: str, entity_key: str, attribute_key: str):
        return Memory.objects.within(self.scope).filter(
            user_id=user_id,
            agent_id=agent_id,
            entity_key=entity_key,
            attribute_key=attribute_key,
        )


def began(memory: Memory) -> datetime:
    """When a row's value began to hold, as far as is known."""
    return memory.valid_from or memory.occurred_at or memory.created_at
