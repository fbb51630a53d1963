"""One memory of mem0's: read, update, delete, its history."""

from typing import Any
from uuid import UUID

from ninja import Router

from memory.models import Change, Memory, Scope, Status
from memory.write.accesses import note
from memory.write.apply import apply
from memory.write.revise import plan_retract
from memory.write.snapshot import restored

from ..auth import needs
from ..form import iso
from ..history import changes_of
from ..reply import reply
from .bodies import UpdateIn
from .form import mem0_form
from .found import GONE, current, versions_of
from .writing import updated

router = Router(tags=["mem0"])
MOST_CHANGES = 1000


@router.get("/v1/memories/{uuid:memory_id}/", auth=needs("read"))
def read(request, memory_id: UUID):
    """The memory as it stands now."""
    return reply(read_one(request.scope, memory_id))


@router.put("/v1/memories/{uuid:memory_id}/", auth=needs("correct"))
def update(request, memory_id: UUID, body: UpdateIn):
    """A new version supersedes the current one; the id stays."""
    return reply(update_one(request.scope, memory_id, body))


@router.delete("/v1/memories/{uuid:memory_id}/", auth=needs("correct"))
def delete(request, memory_id: UUID):
    """Retract it: it is never given again, its history stays, and the batch can be undone."""
    return reply(delete_one(request.scope, memory_id))


@router.get("/v1/memories/{uuid:memory_id}/history/", auth=needs("read"))
def history(request, memory_id: UUID):
    """What was added, updated and deleted, oldest first; of a deleted memory too."""
    return reply(history_of(request.scope, memory_id))


def read_one(scope: Scope, memory_id: UUID) -> dict[str, Any]:
    memory = current(scope, memory_id)
    note(scope, [memory], "one")
    return mem0_form(memory)


def update_one(scope: Scope, memory_id: UUID, body: UpdateIn) -> dict[str, Any]:
    return mem0_form(updated(scope, current(scope, memory_id), body))


def delete_one(scope: Scope, memory_id: UUID) -> dict[str, Any]:
    memory = current(scope, memory_id)
    applied = apply(plan_retract(scope, [memory]).plan("retract", ""))
    return {
        "message": "Memory deleted successfully!",
        "id": str(memory.fact),
        "lifecycle_state": Status.RETRACTED.value,
        "batch_id": str(applied.batch.public_id),
    }


def history_of(scope: Scope, memory_id: UUID) -> list[dict[str, Any]]:
    memory = versions_of(scope, memory_id)[0]
    rows, texts = [], {}
    for entry in changes_of(scope, memory).order_by("id")[:MOST_CHANGES]:
        event, before, after = _told(entry)
        if after is not None:
            texts[after.public_id] = after.text
        if event is None:
            continue
        old = before.text if before else texts.get(after.supersedes_id)
        rows.append(_row(entry, memory, event, old, after))
    note(scope, [memory], "history")
    return rows


def _told(entry: Change) -> tuple[str | None, Memory | None, Memory | None]:
    before, after = (_then(values) for values in (entry.before, entry.after))
    if after is None:
        return None, before, after
    if before is None:
        return ("UPDATE" if after.supersedes_id else "ADD"), before, after
    if after.status in GONE and before.status not in GONE:
        return "DELETE", before, after
    if after.status == Status.ACTIVE and before.status in GONE:
        return "ADD", None, after
    return None, before, after


def _row(
    entry: Change, memory: Memory, event: str, old: str | None, after: Memory
) -> dict[str, Any]:
    return {
        "id": f"{entry.pk}",
        "memory_id": str(memory.fact),
        "old_memory": old,
        "new_memory": None if event == "DELETE" else after.text,
        "event": event,
        "user_id": after.user_id or None,
        "metadata": after.metadata,
        "created_at": iso(after.created_at),
        "updated_at": iso(entry.at),
        "is_deleted": event == "DELETE",
        "actor": entry.batch.actor,
        "reason": entry.batch.reason,
        "batch_id": str(entry.batch.public_id),
        "version_id": str(after.public_id),
    }


def _then(values: dict | None) -> Memory | None:
    return values and Memory(**restored(values))
