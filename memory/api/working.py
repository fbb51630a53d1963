"""Working memory: values that an agent keeps at hand for one session, for a while."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from memory import clock
from memory.models import Scope
from memory.write import working
from memory.write.proposal import InvalidInput
from memory.write.revise import NotFound
from memory.write.working import DEFAULT_TTL, LONGEST_TTL, WorkingItem

from .auth import needs
from .fields import Body, UserId
from .form import iso
from .paging import Page, Paging, page_form
from .problems import READ, READ_ONE, WRITE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["working memory"])
# The cache, where it lies, may be down.
AWAY = frozenset({503})


class WorkingIn(Body):
    """Any JSON value of at most 16 kB, and how long it is kept, in seconds."""

    value: Any
    ttl_seconds: int = Field(DEFAULT_TTL, ge=1, le=LONGEST_TTL, strict=True)
    user_id: UserId | None = None


class WorkingForm(Schema):
    """`id` is new with each writing. `held`: it looks like an instruction, and no context has
    it. `expires_in` are the seconds that are left."""

    id: UUID
    key: str
    value: Any
    at: datetime
    expires_at: datetime
    expires_in: int
    held: bool


class RemovedForm(Schema):
    removed: int


class Whose(Schema):
    user_id: UserId | None = None


class WorkingPaging(Paging):
    user_id: UserId | None = None


@router.get(
    "/{session_id}",
    auth=needs("read"),
    response={200: Page[WorkingForm], READ | AWAY: Problem},
)
def list_session(request, session_id: str, asked: Query[WorkingPaging]):
    """What a session holds, by key. Needs `read`."""
    found = working.items(_of_one_user(request, asked.user_id), session_id)
    rest = [item for item in found if item.key > asked.cursor]
    shown = rest[: asked.limit]
    after = shown[-1].key if len(rest) > len(shown) else None
    return reply(page_form([_form(item) for item in shown], after, len(found)))


@router.delete("/{session_id}", auth=needs("write"), response={200: RemovedForm, WRITE: Problem})
def forget_session(request, session_id: str, asked: Query[Whose]):
    """Forget all that a session holds. Needs `write`."""
    scope = _of_one_user(request, asked.user_id)
    return reply({"removed": working.remove(scope, session_id)})


@router.get(
    "/{session_id}/{key}", auth=needs("read"), response={200: WorkingForm, READ_ONE | AWAY: Problem}
)
def read_key(request, session_id: str, key: str, asked: Query[Whose]):
    """One value, with its `ETag`. Needs `read`."""
    found = working.items(_of_one_user(request, asked.user_id), session_id)
    item = next((item for item in found if item.key == key.strip()), None)
    if item is None:
        raise NotFound(key)
    return _reply(item)


@router.put(
    "/{session_id}/{key}",
    auth=needs("write"),
    response={200: WorkingForm, WRITE | {412}: Problem},
)
def keep_key(request, session_id: str, key: str, body: WorkingIn):
    """Keep a value, in place of what stands under the key; with `If-Match` only in place of that
    one (412). What looks like a secret is refused. Needs `write`."""
    scope, seen = _of_one_user(request, body.user_id), _seen(request)
    return _reply(working.put(scope, session_id, key, body.value, body.ttl_seconds, seen=seen))


@router.delete(
    "/{session_id}/{key}",
    auth=needs("write"),
    response={200: RemovedForm, WRITE_ONE | {412}: Problem},
)
def forget_key(request, session_id: str, key: str, asked: Query[Whose]):
    """Forget one value; `If-Match` as above. Needs `write`."""
    scope, seen = _of_one_user(request, asked.user_id), _seen(request)
    removed = working.remove(scope, session_id, key.strip(), seen=seen)
    if not removed:
        raise NotFound(key)
    return reply({"removed": removed})


def _reply(item: WorkingItem) -> HttpResponse:
    return reply(_form(item), headers={"ETag": f'"{item.id}"'})


def _seen(request) -> set[str] | None:
    """The ids that `If-Match` names; None: any."""
    tags = {tag.strip() for tag in request.headers.get("If-Match", "*").split(",")}
    return None if "*" in tags else {tag.strip('"') for tag in tags}


def _form(item: WorkingItem) -> dict[str, Any]:
    left = (item.expires_at - clock.now()).total_seconds()
    return {
        "id": item.id,
        "key": item.key,
        "value": item.value,
        "at": iso(item.at),
        "expires_at": iso(item.expires_at),
        "expires_in": max(int(left), 0),
        "held": item.held,
    }


def _of_one_user(request, user_id: str | None) -> Scope:
    scope = request.scope.narrow(user_id)
    if scope.user_id is None:
        raise InvalidInput([("user_id", "working memory is always one user's")])
    return scope
