"""The paths of mem0's self-hosted server, for clients whose base address ends in /mem0."""

from uuid import UUID

from ninja import Query, Router
from pydantic import Field

from ..auth import needs
from ..reply import reply
from .asking import LONGEST_PAGE, PAGE, listed, searched
from .bodies import AddIn, ListIn, SearchIn, UpdateIn
from .deleting import asked_to_delete, delete_all
from .items import delete_one, history_of, read_one, update_one
from .writing import added

router = Router(tags=["mem0"])


class ListAsked(ListIn):
    filters: None = None
    top_k: int | None = Field(None, ge=1)


@router.post("/memories", auth=needs("write"))
def add(request, body: AddIn):
    """Remember a dialogue."""
    return reply(added(request.scope, body))


@router.get("/memories", auth=needs("read"))
def list_all(request, asked: Query[ListAsked]):
    """Memories of a user, agent, app or run, newest first, at most 200."""
    size = min(asked.top_k or PAGE, LONGEST_PAGE)
    return reply({"results": listed(request.scope, asked, page=1, size=size)["results"]})


@router.delete("/memories", auth=needs("correct"))
def delete_many(request):
    """Retract all of a user, agent, app or run; above the cap only with the `confirm_token`."""
    return reply(delete_all(request.scope, *asked_to_delete(request)))


@router.post("/search", auth=needs("read"))
def search(request, body: SearchIn):
    """What answers a question, best first."""
    return reply(searched(request.scope, body))


@router.get("/memories/{uuid:memory_id}", auth=needs("read"))
def read(request, memory_id: UUID):
    """The memory as it stands now."""
    return reply(read_one(request.scope, memory_id))


@router.put("/memories/{uuid:memory_id}", auth=needs("correct"))
def update(request, memory_id: UUID, body: UpdateIn):
    """A new version supersedes the current one; the id stays."""
    return reply(update_one(request.scope, memory_id, body))


@router.delete("/memories/{uuid:memory_id}", auth=needs("correct"))
def delete(request, memory_id: UUID):
    """Retract it."""
    return reply(delete_one(request.scope, memory_id))


@router.get("/memories/{uuid:memory_id}/history", auth=needs("read"))
def history(request, memory_id: UUID):
    """What was added, updated and deleted, oldest first."""
    return reply(history_of(request.scope, memory_id))
