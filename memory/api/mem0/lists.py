"""Many of mem0's memories: add, list, search, delete all."""

from typing import Any

from ninja import Query, Router, Schema
from pydantic import Field

from ..auth import needs
from ..reply import reply
from .asking import LONGEST_PAGE, PAGE, listed, searched
from .bodies import AddIn, ListIn, SearchIn
from .deleting import asked_to_delete, delete_all
from .writing import added

router = Router(tags=["mem0"])
PAGED = "v1.1"


class Paged(Schema):
    page: int | None = Field(None, ge=1, le=100_000)
    page_size: int | None = Field(None, ge=1)

    @property
    def size(self) -> int:
        return min(self.page_size or PAGE, LONGEST_PAGE)


class ListAsked(ListIn, Paged):
    filters: None = None


@router.post("/v3/memories/add/", auth=needs("write"))
def add(request, body: AddIn):
    """Remember a dialogue. With `infer` what the user says that is worth it, by this store's own
    gate; without, each user message as it stands."""
    return reply(added(request.scope, body))


@router.post("/v1/memories/", auth=needs("write"))
def add_first(request, body: AddIn):
    """As `add`, for older clients."""
    return reply(added(request.scope, body))


@router.post("/v3/memories/", auth=needs("read"))
def list_filtered(request, body: ListIn, paged: Query[Paged]):
    """Memories by `filters`, newest first."""
    return reply(listed(request.scope, body, page=paged.page or 1, size=paged.size))


@router.post("/v2/memories/", auth=needs("read"))
def list_second(request, body: ListIn, paged: Query[Paged]):
    """As `list_filtered`, for older clients: without `page` a bare list."""
    page = listed(request.scope, body, page=paged.page or 1, size=paged.size)
    return reply(page if paged.page or body.output_format == PAGED else page["results"])


@router.get("/v1/memories/", auth=needs("read"))
def list_first(request, asked: Query[ListAsked]):
    """By user, agent, app or run in the address; without `page` a bare list."""
    page = listed(request.scope, asked, page=asked.page or 1, size=asked.size)
    return reply(page if asked.page or asked.output_format == PAGED else page["results"])


@router.delete("/v1/memories/", auth=needs("correct"))
def delete_many(request):
    """Retract all of a user, agent, app or run. More than 20 only with the `confirm_token` of the
    409 that says how many they are."""
    return reply(delete_all(request.scope, *asked_to_delete(request)))


@router.post("/v3/memories/search/", auth=needs("read"))
def search(request, body: SearchIn):
    """What answers a question, best first."""
    return reply(searched(request.scope, body))


@router.post("/v2/memories/search/", auth=needs("read"))
def search_second(request, body: SearchIn):
    """As `search`, for older clients."""
    return reply(_bare(searched(request.scope, body), body))


@router.post("/v1/memories/search/", auth=needs("read"))
def search_first(request, body: SearchIn):
    """As `search`, for older clients."""
    return reply(_bare(searched(request.scope, body), body))


def _bare(found: dict[str, Any], body: SearchIn) -> Any:
    return found if body.output_format == PAGED else found["results"]
