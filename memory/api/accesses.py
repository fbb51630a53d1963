"""Who read a memory: the notes of single reads and the recalls that gave it, in one list."""

import base64
import json
from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Query, Router, Schema

from memory.index.keyset import LARGEST_ID
from memory.models import Access, RecallCandidate
from memory.write.accesses import accesses_of, readings, recalls_of
from memory.write.proposal import InvalidInput
from memory.write.revise import find

from .auth import needs
from .form import iso
from .paging import Page, Paging, counted, page_form
from .problems import GONE, READ_ONE, Problem
from .reply import reply

router = Router(tags=["memories"])


class AccessForm(Schema):
    """`how`: "one", "list", "history", "page", "export", or "recall" with the recall's id."""

    at: datetime
    actor: str
    surface: str
    how: str
    recall_id: UUID | None


@router.get(
    "/{memory_id}/accesses",
    auth=needs("read"),
    response={200: Page[AccessForm], READ_ONE | GONE: Problem},
)
def list_accesses(request, memory_id: UUID, asked: Query[Paging]):
    """Who read this version, newest first, by which door; those of its other versions are their
    own. This list itself is no access. Needs `read`."""
    memory, scope = find(request.scope, memory_id), request.scope
    below = _read_cursor(asked.cursor)
    direct, given = accesses_of(scope, memory), recalls_of(scope, memory)
    rows = readings(scope, memory, asked.limit + 1, below)
    page = rows[: asked.limit]
    after = _next(page, below) if len(rows) > asked.limit else None
    total = counted(direct) + counted(given)
    return reply(page_form([access_form(row) for row in page], after, total))


def access_form(row: Access | RecallCandidate) -> dict[str, Any]:
    by = row if isinstance(row, Access) else row.recall
    return {
        "at": iso(by.at),
        "actor": by.actor,
        "surface": by.surface,
        "how": row.how if isinstance(row, Access) else "recall",
        "recall_id": None if isinstance(row, Access) else str(by.public_id),
    }


def _next(page: list, below: tuple[int, int]) -> str:
    """The cursor: below which id either list goes on."""
    last = list(below)
    for row in page:
        last[0 if isinstance(row, Access) else 1] = row.pk
    return base64.urlsafe_b64encode(json.dumps(["accesses", *last]).encode()).decode().rstrip("=")


def _read_cursor(text: str) -> tuple[int, int]:
    if not text:
        return LARGEST_ID, LARGEST_ID
    try:
        name, direct, given = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, TypeError, RecursionError):
        name, direct, given = "", 0, 0
    for value in (direct, given):
        if name != "accesses" or type(value) is not int or not 0 <= value <= LARGEST_ID:
            raise InvalidInput([("cursor", "not a cursor of this list")])
    return direct, given
