"""`apply(plan)`: the only verb that changes memory."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from memory import clock
from memory.index import entry as index_entry
from memory.index import rows as index_rows
from memory.index.prepared import Prepared, insert_row, update_row
from memory.models import (
    FIXED,
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
from .erase.digest import tombstone_of
from .ledger import ERASE, ERASE_REASON, erased_digest
from .plan import Applied, Conflict, Plan, PlannedChange, StalePlan
from .snapshot import COLUMNS, snapshot
from .transaction import write_transaction
from .webhooks import emit_changes

# A merge of index segments after every sixteenth ledger entry: more often costs writes, more
# rarely costs every query.
MERGE_EVERY = 16

_last_entry = Prepared(lambda: Change.objects.order_by("-id").only("id", "hash")[:1])
_of_workspace = Prepared(
    lambda memory_id, workspace_id: Memory.everywhere.filter(
        public_id=memory_id, workspace_id=workspace_id
    ),
    UUID,
    int,
)


def apply(plan: Plan) -> Applied:
    """Carry out a plan in one transaction: rows, ledger, indexes.

    Raises `StalePlan` when a row has moved since, `Conflict` when the store's own rules refuse,
    `ForbiddenMove` for a move that the table of states does not allow, `queue.QueueTimeout`
    when it could not get its turn. In every such case nothing has changed.
    """
    if not plan.changes:
        return Applied(None)
    # Segmenting a text is the slow part of a write; it needs no lock.
    born = {change.memory_id: _born(change, plan.scope) for change in plan if change.sees is None}
    entries = {memory_id: index_entry.entry_for(memory) for memory_id, memory in born.items()}
    try:
        with write_transaction():
            applied = _carry_out(plan, born, entries)
            transaction.on_commit(lambda: _merge_when_due(applied.entries))
            transaction.on_commit(embed_thread.wake)
    except IntegrityError as error:
        if "UNIQUE" in str(error):
            raise Conflict("another value is current for this entity and attribute") from error
        raise Conflict(str(error)) from error
    return applied


def _carry_out(plan: Plan, born: dict[UUID, Memory], entries: dict) -> Applied:
    rows = _seen_rows(plan)
    batch = Batch(
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
    insert_row(batch)
    last = _last_entry.first()
    written: list[Change] = []
    erased: list[Memory] = []
    for change in plan:
        if change.action == ERASE:
            erased.append(rows.pop(change.memory_id))
            last = _write_erasure(batch, erased[-1], last)
            written.append(last)
            continue
        memory = rows.get(change.memory_id)
        before = snapshot(memory) if memory else None
        was = memory.status if memory else None
        if memory:
            _change(memory, change, batch)
        else:
            memory = _insert(born[change.memory_id], None if change.whole else batch.at)
        rows[change.memory_id] = memory
        index_rows.put(memory, entries.get(change.memory_id), was=was)
        written.append(_write_entry(batch, change, memory, before, last))
        last = written[-1]
    if plan.erasing is not None:
        _take_away(erased)
        plan.erasing.clean(batch)
        for other in plan.erasing.foreign:
            last = _write_lost_reason(batch, other, last)
            written.append(last)
    emit_changes(plan.scope, batch, written)
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
        for memory_id in wanted
        for memory in _of_workspace(memory_id, plan.scope.workspace_id)
        if plan.scope.user_id in (None, memory.user_id)
    }
    moved = [
        memory_id
        for memory_id, sees in wanted.items()
        if memory_id not in found or found[memory_id].revision != sees
    ]
    if moved:
        raise StalePlan(moved)
    return found


def _insert(memory: Memory, at: datetime | None) -> Memory:
    if at is not None:
        memory.created_at = memory.updated_at = at
    insert_row(memory)
    return memory


def _change(memory: Memory, change: PlannedChange, batch: Batch) -> None:
    if fixed := FIXED & change.sets.keys():
        raise TypeError(f"never changed in place: {', '.join(sorted(fixed))}")
    check_move(memory.status, change.sets.get("status", memory.status), undoing=change.undoing)
    for name, value in change.sets.items():
        setattr(memory, name, value)
    memory.revision += 1
    memory.updated_at = batch.at
    update_row(memory, {*change.sets, "revision", "updated_at"})


def _born(change: PlannedChange, scope: Scope) -> Memory:
    memory = Memory(public_id=change.memory_id, workspace_id=scope.workspace_id)
    for name, value in change.sets.items():
        if name not in COLUMNS:
            raise TypeError(f"not a column of a memory: {name}")
        setattr(memory, name, value)
    if not change.whole and memory.status not in BIRTHS:
        raise ForbiddenMove("new", memory.status)
    if scope.user_id is not None and memory.user_id != scope.user_id:
        raise ScopeError("outside the scope of this credential")
    return memory


def _write_entry(
    batch: Batch, change: PlannedChange, memory: Memory, before: dict | None, last: Change | None
) -> Change:
    payload = {"before": before, "after": snapshot(memory)}
    return _entry(
        batch,
        last,
        memory_id=memory.public_id,
        fact=memory.fact,
        action=change.action,
        status_before=before["status"] if before else "",
        status_after=memory.status,
        revision_before=before["revision"] if before else None,
        revision_after=memory.revision,
        payload=payload,
        payload_digest=payload_digest(payload),
    )


def _write_erasure(batch: Batch, memory: Memory, last: Change | None) -> Change:
    return _entry(
        batch,
        last,
        memory_id=memory.public_id,
        fact=memory.fact,
        action=ERASE,
        status_before=memory.status,
        status_after="",
        revision_before=memory.revision,
        revision_after=memory.revision + 1,
        payload=None,
        payload_digest=erased_digest(tombstone_of(memory)),
    )


def _write_lost_reason(batch: Batch, other: Batch, last: Change | None) -> Change:
    """That a batch of other memories has lost its reason."""
    return _entry(
        batch,
        last,
        memory_id=other.public_id,
        fact=other.public_id,
        action=ERASE_REASON,
        status_after="",
        revision_after=0,
        payload=None,
        payload_digest=payload_digest(None),
    )


def _entry(batch: Batch, last: Change | None, **columns: Any) -> Change:
    entry = Change(
        # Given here, under the write lock, because the hash covers it.
        id=last.pk + 1 if last else 1,
        batch=batch,
        at=batch.at,
        previous_hash=last.hash if last else GENESIS,
        **columns,
    )
    entry.hash = entry.sealed_hash()
    insert_row(entry)
    return entry


def _take_away(memories: Sequence[Memory]) -> None:
    """The rows with all that goes with them, and what the ledger holds of them."""
    keys = [memory.pk for memory in memories]
    for memory in memories:
        index_rows.put_out(memory)
    rows = Memory.everywhere.filter(pk__in=keys)
    # They point to each other.
    rows.update(supersedes=None, superseded_by=None)
    rows.delete()
    ids = [memory.public_id for memory in memories]
    Change.objects.filter(memory_id__in=ids, payload__isnull=False).update(payload=None)


def _merge_when_due(entries: Sequence[Change]) -> None:
    if any(entry.pk % MERGE_EVERY == 0 for entry in entries):
        with queue.turn():
            index_rows.merge_a_little()
