"""Entities: the names that a user's memories are about, and what ties them together."""

import base64
import binascii
from uuid import UUID

from ninja import Query, Router, Schema
from pydantic import Field

from memory.index.browse import COUNT_CAP
from memory.index.graph import DEEPEST, count_entities, entities, graph_of, is_entity
from memory.models import Scope
from memory.text.normalise import key
from memory.write.proposal import InvalidInput
from memory.write.revise import NotFound

from .auth import needs
from .fields import UserId
from .paging import Page, Paging, page_form
from .problems import READ, READ_ONE, Problem
from .reply import reply

router = Router(tags=["entities"])


class EntityForm(Schema):
    """`memories` are the active ones about it, `named_by` those that only name it, as their value
    or among their links."""

    name: str
    memories: int
    named_by: int


class EntityPaging(Paging):
    user_id: UserId | None = None


class Ties(Schema):
    user_id: UserId | None = None
    depth: int = Field(1, ge=1, le=DEEPEST)


class EdgeForm(Schema):
    """`memory_id` ties `source` to `target`: as the value of its `attribute`, or as a link."""

    source: str
    target: str
    role: str
    attribute: str
    memory_id: UUID


class GraphForm(Schema):
    """At most 100 nodes and 100 edges; `truncated` says that there are more."""

    name: str
    nodes: list[str]
    edges: list[EdgeForm]
    truncated: bool


@router.get("", auth=needs("read"), response={200: Page[EntityForm], READ: Problem})
def list_entities(request, asked: Query[EntityPaging]):
    """The entities of one user's active memories, by name. Needs `read`."""
    scope = _of_one(request, asked.user_id)
    found = entities(scope, after=_after(asked.cursor), limit=asked.limit + 1)
    shown = found[: asked.limit]
    after = _cursor(shown[-1].key) if len(found) > asked.limit else None
    items = [{"name": e.name, "memories": e.memories, "named_by": e.named_by} for e in shown]
    return reply(page_form(items, after, count_entities(scope, COUNT_CAP + 1)))


@router.get("/{path:name}/links", auth=needs("read"), response={200: GraphForm, READ_ONE: Problem})
def links(request, name: str, asked: Query[Ties]):
    """What one user's active memories tie an entity to, up to `depth` ties away. Needs `read`."""
    scope, wanted = _of_one(request, asked.user_id), key(name)
    graph = graph_of(scope, [wanted], depth=asked.depth)
    if not graph.edges and not is_entity(scope, wanted):
        raise NotFound(name)
    shown = graph.nodes
    edges = [
        {
            "source": shown[edge.source],
            "target": shown[edge.target],
            "role": edge.role,
            "attribute": edge.attribute,
            "memory_id": str(edge.memory_id),
        }
        for edge in graph.edges
    ]
    return reply(
        {
            "name": shown[wanted],
            "nodes": list(shown.values()),
            "edges": edges,
            "truncated": graph.is_cut,
        }
    )


def _of_one(request, user_id: str | None) -> Scope:
    scope = request.scope.narrow(user_id)
    if scope.user_id is None:
        raise InvalidInput([("user_id", "name one user")])
    return scope


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


def _after(cursor: str) -> str:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise InvalidInput([("cursor", "not a cursor of this list")]) from error
