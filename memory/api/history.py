"""The ledger of one fact, or of one batch, in JSON."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from ninja import Schema

from memory.models import Change, Memory, Scope
from memory.write.snapshot import restored

from .fields import Limit
from .form import MemoryForm, iso, memory_form
from .paging import Paging


class ChangeForm(Schema):
    """One ledger entry: a memory before and after; both null once it has been erased."""

    at: datetime
    actor: str
    surface: str
    action: str
    memory_id: UUID
    version: int | None
    before: MemoryForm | None
    after: MemoryForm | None
    reason: str
    batch_id: UUID


class HistoryPaging(Paging):
    limit: Limit = 200


def changes_of(scope: Scope, memory: Memory) -> QuerySet[Change]:
    """Every entry of the memory's fact that this scope may see, oldest first."""
    entries = Change.objects.filter(fact=memory.fact, batch__workspace_id=scope.workspace_id)
    if scope.user_id is not None:
        # A fact may have been moved from one user to another: each sees the own part.
        own = Memory.objects.within(scope).filter(fact=memory.fact)
        entries = entries.filter(memory_id__in=own.values("public_id"))
    return entries.select_related("batch")


def change_form(entry: Change, workspace: str) -> dict[str, Any]:
    after = entry.after
    return {
        "at": iso(entry.at),
        "actor": entry.batch.actor,
        "surface": entry.batch.surface,
        "action": entry.action,
        "memory_id": str(entry.memory_id),
        "version": after and after["version"],
        "before": _then(entry.before, workspace),
        "after": _then(after, workspace),
        "reason": entry.batch.reason,
        "batch_id": str(entry.batch.public_id),
    }


def _then(values: dict | None, workspace: str) -> dict[str, Any] | None:
    return values and memory_form(Memory(**restored(values)), workspace)
