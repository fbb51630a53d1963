"""What mem0 calls events: here the batches, and turns that a model has yet to read."""

from typing import Any
from uuid import UUID

from django.db.models import Count
from ninja import Query, Router

from memory.models import Batch, Extraction
from memory.write.revise import NotFound

from ..auth import needs
from ..form import iso
from ..paging import counted
from ..reply import reply
from .asking import page_links, start_of
from .lists import Paged

router = Router(tags=["mem0"])
# By the verb of a batch; of others the verb itself.
EVENTS = {
    "remember": "ADD", "import": "ADD", "bring_back": "ADD", "restore": "ADD",
    "correct": "UPDATE", "amend": "UPDATE", "merge": "UPDATE",
    "retract": "DELETE", "erase": "DELETE",
}  # fmt: skip


@router.get("/v1/events/", auth=needs("read"))
def events(request, paged: Query[Paged]):
    """What was changed, newest first."""
    rows = Batch.objects.within(request.scope)
    page, size = paged.page or 1, paged.size
    start = start_of(page, size)
    told = rows.annotate(change_count=Count("changes")).order_by("-id")
    found = list(told[start : start + size + 1])
    links = page_links(page, size, is_last=len(found) <= size)
    return reply({"count": counted(rows), **links, "results": [_told(b) for b in found[:size]]})


@router.get("/v1/event/{uuid:event_id}/", auth=needs("read"))
def event(request, event_id: UUID):
    """What became of an addition: done with its answer, or waiting for the model to read it."""
    rows = Batch.objects.within(request.scope).filter(public_id=event_id)
    batch = rows.annotate(change_count=Count("changes")).first()
    if batch is not None:
        return reply(_told(batch))
    waiting = Extraction.objects.filter(
        turn__public_id=event_id, workspace_id=request.scope.workspace_id
    )
    if request.scope.user_id is not None:
        waiting = waiting.filter(turn__user_id=request.scope.user_id)
    one = waiting.first()
    if one is None:
        raise NotFound(str(event_id))
    return reply(_form(event_id, "ADD", "SUCCEEDED" if one.done_at else "PENDING"))


def _told(batch: Batch) -> dict[str, Any]:
    event_type = EVENTS.get(batch.verb, batch.verb.upper())
    return _form(batch.public_id, event_type, "SUCCEEDED") | {
        "user_id": batch.user_id or None,
        "actor": batch.actor,
        "reason": batch.reason,
        "changes": batch.change_count,
        "created_at": iso(batch.at),
    }


def _form(event_id: UUID, event_type: str, status: str) -> dict[str, Any]:
    return {
        "id": str(event_id),
        "event_id": str(event_id),
        "event_type": event_type,
        "status": status,
    }
