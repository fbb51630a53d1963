"""`apply(plan)`: the only verb that changes memory."""

from collections.abc import Sequence
from uuid import UUID

from django.db import IntegrityError, transaction

from memory import clock
from memory.index import entry as index_entry
from memory.index import rows as index_rows
from memory.models import (
    GENESIS,
    Batch,
    Change,
    ForbiddenMove,
    Memory,
    Scope,
    ScopeError,
    check_move,
    payload_digest,
    reason_digest,
)
from memory.models.states import BIRTHS

from . import queue
from .embed_thread import embed_thread
from .plan import Applied, Conflict, Plan, PlannedChange, StalePlan
from .snapshot import COLUMNS, snapshot
from .transaction import write_transaction

# A merge of index segments after every sixteenth ledger entry: more often costs writes, more
# rarely costs every query.
MERGE_EVERY = 16


def apply(plan: Plan) -> Applied:
    """Carry out a plan in one transaction: rows, ledger, indexes.

    Raises `StalePlan` when a row has moved since, `Conflict` when the store's own rules refuse,
    `ForbiddenMove` for a move that the table of states does not allow, `queue.QueueTimeout`
    when it could not get its turn. In every such case nothing has changed.
    """
    if not plan.changes:
        return Applied(None)
    # Segmenting a text is the slow part of a write; it needs no lock.
    entries = {
        change.memory_id: index_entry.entry_for(_born(change, plan.scope))
        for change in plan
        if change.sees is None
    }
    try:
        with write_transaction():
            applied = _carry_out(plan, entries)
            transaction.on_commit(lambda: _merge_when_due(applied.entries))
            transaction.on_commit(embed_thread.wake)
    except IntegrityError as error:
        if "UNIQUE" in str(error):
            raise Conflict("another value is current for this entity and attribute") from error
        raise Conflict(str(error)) from error
    return applied


def _carry_out(plan: Plan, entries: dict) -> Applied:
    rows = _seen_rows(plan)
    batch = Batch.everywhere.create(
        workspace_id=plan.scope.workspace_id,
        user_id=plan.scope.user_id or plan.user_id,
        at=clock.now(),
        actor=plan.scope.actor,
        surface=plan.scope.surface,
        verb=plan.verb,
        reason=plan.reason,
        reason_digest=reason_digest(plan.reason),
        undoes=plan.undoes,
    )
    last = Change.objects.order_by("-id").only("id", "hash").first()
    written: list[Change] = []
    for change in plan:
        memory = rows.get(change.memory_id)
        before = snapshot(memory) if memory else None
        was = memory.status if memory else None
        memory = _changed(memory, change, plan.scope, batch)
        rows[change.memory_id] = memory
        index_rows.put(memory, entries.get(change.memory_id), was=was)
        written.append(_write_entry(batch, change, memory, before, last))
        last = written[-1]
    return Applied(batch, tuple(written), rows)


def _seen_rows(plan: Plan) -> dict[UUID, Memory]:
    first: dict[UUID, int | None] = {}
    for change in plan:
        first.setdefault(change.memory_id, change.sees)
    wanted = {memory_id: sees for memory_id, sees in first.items() if sees is not None}
    if not wanted:
        return {}
    found = {
        memory.public_id: memory
        for memory in Memory.objects.within(plan.scope).filter(public_id__in=wanted)
    }
    moved = [
        memory_id
        for memory_id, sees in wanted.items()
        if memory_id not in found or found[memory_id].revision != sees
    ]
    if moved:
        raise StalePlan(moved)
    return found


def _changed(memory: Memory | None, change: PlannedChange, scope: Scope, batch: Batch) -> Memory:
    if memory is None:
        memory = _born(change, scope)
        memory.created_at = memory.updated_at = batch.at
        memory.save(force_insert=True)
        return memory
    check_move(memory.status, change.sets.get("status", memory.status), undoing=change.undoing)
    for name, value in change.sets.items():
        setattr(memory, name, value)
    memory.revision += 1
    memory.updated_at = batch.at
    memory.save(force_update=True)
    return memory


def _born(change: PlannedChange, scope: Scope) -> Memory:
    memory = Memory(public_id=change.memory_id, workspace_id=scope.workspace_id)
    for name, value in change.sets.items():
        if name not in COLUMNS:
            raise TypeError(f"not a column of a memory: {name}")
        setattr(memory, name, value)
    if memory.status not in BIRTHS:
        raise ForbiddenMove("new", memory.status)
    if scope.user_id is not None and memory.user_id != scope.user_id:
        raise ScopeError("outside the scope of this credential")
    return memory


def _write_entry(
    batch: Batch, change: PlannedChange, memory: Memory, before: dict | None, last: Change | None
) -> Change:
    payload = {"before": before, "after": snapshot(memory)}
    entry = Change(
        # Given here, under the write lock, because the hash covers it.
        id=last.pk + 1 if last else 1,
        batch=batch,
        memory_id=memory.public_id,
        fact=memory.fact,
        at=batch.at,
        action=change.action,
        status_before=before["status"] if before else "",
        status_after=memory.status,
        revision_before=before["revision"] if before else None,
        revision_after=memory.revision,
        payload=payload,
        payload_digest=payload_digest(payload),
        previous_hash=last.hash if last else GENESIS,
    )
    entry.hash = entry.sealed_hash()
    entry.save(force_insert=True)
    return entry


def _merge_when_due(entries: Sequence[Change]) -> None:
    if any(entry.pk % MERGE_EVERY == 0 for entry in entries):
        with queue.turn():
            index_rows.merge_a_little()
