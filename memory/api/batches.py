"""Batches: what changed together, and back."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet
from ninja import Query, Router, Schema

from memory.models import Batch
from memory.write.accesses import note_ids
from memory.write.apply import apply
from memory.write.outcome import Outcome
from memory.write.revise import NotFound
from memory.write.undo import plan_undo

from .auth import needs
from .changed import Changed, changed_form
from .fields import Reasoned, UserId
from .form import iso
from .history import ChangeForm, HistoryPaging, change_form
from .paging import Page, Paging, counted, page_form, page_of
from .problems import READ, READ_ONE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["batches"])


class BatchForm(Schema):
    """`changes` counts its ledger entries."""

    id: UUID
    user_id: str
    at: datetime
    actor: str
    surface: str
    verb: str
    reason: str
    undoes: UUID | None
    undone_by: UUID | None
    changes: int


class BatchWithChanges(BatchForm):
    """`items` are its ledger entries, oldest first, by pages."""

    items: list[ChangeForm]
    next: str | None
    total: int
    total_capped: bool


class BatchFilters(Paging):
    user_id: UserId | None = None


@router.get("", auth=needs("read"), response={200: Page[BatchForm], READ: Problem})
def list_batches(request, asked: Query[BatchFilters]):
    """What changed, newest first. Needs `read`."""
    rows = Batch.objects.within(request.scope.narrow(asked.user_id))
    batches, after = page_of(_told(rows), "-id", asked)
    return reply(page_form([batch_form(batch) for batch in batches], after, counted(rows)))


@router.get("/{batch_id}", auth=needs("read"), response={200: BatchWithChanges, READ_ONE: Problem})
def read_batch(request, batch_id: UUID, asked: Query[HistoryPaging]):
    """One batch with its changes. Needs `read`."""
    batch = _find(request, batch_id)
    rows = batch.changes.select_related("batch")
    entries, after = page_of(rows, "id", asked)
    items = [change_form(entry, request.auth.workspace.name) for entry in entries]
    note_ids(request.scope, (entry.memory_id for entry in entries), "history")
    return reply(batch_form(batch) | page_form(items, after, counted(rows)))


@router.post("/{batch_id}/undo", auth=needs("correct"), response={200: Changed, WRITE_ONE: Problem})
def undo(request, batch_id: UUID, body: Reasoned | None = None):
    """Put everything that the batch changed back as it was, as a batch of its own; 409 with
    the later `batches` where those stand on it. Needs `correct`."""
    batch = _find(request, batch_id)
    planner = plan_undo(request.scope, batch)
    applied = apply(planner.plan("undo", body.reason if body else "", undoes=batch))
    outcomes = [Outcome("undone", row) for row in applied.memories.values()]
    return reply(changed_form(request, applied.batch, outcomes))


def batch_form(batch: Batch) -> dict[str, Any]:
    return {
        "id": str(batch.public_id),
        "user_id": batch.user_id,
        "at": iso(batch.at),
        "actor": batch.actor,
        "surface": batch.surface,
        "verb": batch.verb,
        "reason": batch.reason,
        "undoes": str(batch.undoes.public_id) if batch.undoes else None,
        "undone_by": str(batch.undone_by.public_id) if batch.is_undone else None,
        "changes": batch.change_count,
    }


def _told(rows: QuerySet[Batch]) -> QuerySet[Batch]:
    return rows.select_related("undoes", "undone_by").annotate(change_count=Count("changes"))


def _find(request, batch_id: UUID) -> Batch:
    batch = _told(Batch.objects.within(request.scope)).filter(public_id=batch_id).first()
    if batch is None:
        raise NotFound(str(batch_id))
    return batch
