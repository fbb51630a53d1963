"""Drawing up a plan: changes are tried on a copy of the rows, nothing is written."""

from collections.abc import Callable, Iterable
from copy import copy
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory import clock
from memory.index.prepared import Prepared
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
        for row in self._of_key(*wanted):
            if row.single_valued and row.status == Status.ACTIVE:
                return row
        return self._untouched(self._stored(_current, *wanted))

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
        found = self._stored(_last_of_key, user_id, agent_id, entity_key, attribute_key)
        return next(iter(found), None)

    def repeat(self, user_id: str, agent_id: str, fingerprint: str):
        """An active row that says exactly the same."""
        for row in self._of_print(user_id, agent_id, fingerprint):
            if row.status == Status.ACTIVE:
                return row
        return self._untouched(self._stored(_repeats, user_id, agent_id, fingerprint))

    def waiting(self, user_id: str, agent_id: str, fingerprint: str) -> Memory | None:
        """A candidate or held row that says exactly the same: that key's value, or that text."""
        for row in self._of_print(user_id, agent_id, fingerprint):
            if row.status in WAITING:
                return row
        return self._untouched(self._stored(_waiting, user_id, agent_id, fingerprint))

    def next_version(self, fact: UUID) -> int:
        planned = [row.version for row in self._of_fact(fact)]
        stored = [version for (version,) in _last_version(self.scope.workspace_id, fact)]
        return max([0, *stored, *planned]) + 1

    def chain(self, current: Memory) -> list[Memory]:
        """`current` and the rows that it stands on, newest first, as their links lead."""
        stored = Memory.objects.within(self.scope).filter(fact=current.fact)
        rows = {row.public_id: row for row in stored} | self.rows
        links = [current]
        while (before := rows.get(links[-1].supersedes_id)) is not None:
            links.append(before)
        return links

    def _of_key(self, *wanted: str) -> Iterable[Memory]:
        for row in self.rows.values():
            if (row.user_id, row.agent_id, row.entity_key, row.attribute_key) == wanted:
                yield row

    def _of_print(self, *wanted: str) -> Iterable[Memory]:
        for row in self.rows.values():
            if (row.user_id, row.agent_id, row.fingerprint) == wanted:
                yield row

    def _of_fact(self, fact: UUID) -> Iterable[Memory]:
        return (row for row in self.rows.values() if row.fact == fact)

    def _stored(self, rows: Prepared, user_id: str, *values: str) -> list[Memory]:
        if self.scope.user_id not in (None, user_id):
            return []
        return rows(self.scope.workspace_id, user_id, *values)

    def _untouched(self, rows: Iterable[Memory]) -> Memory | None:
        # Picked here: as a condition, the list of a large batch made every question slower.
        return next((row for row in rows if row.public_id not in self.rows), None)


def _prepared(query: Callable[..., QuerySet], *names: str, **fixed: Any) -> Prepared:
    """Memories of a workspace that have values in columns of these `names`, and the `fixed`."""
    return Prepared(
        lambda workspace_id, *values: query(
            Memory.everywhere.filter(
                workspace_id=workspace_id, **dict(zip(names, values, strict=True)), **fixed
            )
        ),
        int,
        *[str] * len(names),
    )


_KEY = ("user_id", "agent_id", "entity_key", "attribute_key")
_PRINT = ("user_id", "agent_id", "fingerprint")
_current = _prepared(QuerySet.all, *_KEY, status=Status.ACTIVE, single_valued=True)
_last_of_key = _prepared(lambda rows: rows.order_by("-id")[:1], *_KEY)
_repeats = _prepared(QuerySet.all, *_PRINT, status=Status.ACTIVE)
_waiting = _prepared(QuerySet.all, *_PRINT, status__in=WAITING)
_last_version = Prepared(
    lambda workspace_id, fact: (
        Memory.everywhere.filter(workspace_id=workspace_id, fact=fact)
        .order_by("-version")
        .values_list("version")[:1]
    ),
    int,
    UUID,
)


def began(memory: Memory) -> datetime:
    """When a row's value began to hold, as far as is known."""
    return memory.valid_from or memory.occurred_at or memory.created_at
