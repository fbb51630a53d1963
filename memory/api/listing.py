"""Which memories a list shows, and in what order."""

from typing import Annotated

from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from ninja import Schema
from pydantic import AfterValidator, Field

from memory.index.browse import browse, browse_count
from memory.index.filters import Filters
from memory.models import Kind, Memory, Scope, Source, Status
from memory.text.normalise import key
from memory.write.proposal import NAME_LIMIT, PART_LIMIT, InvalidInput

from .fields import Moment, UserId
from .paging import Paging, counted, next_of, page_of, read_cursor

ANY = "any"
# Rows are numbered as they are first remembered, so the id sorts as the time does, by an index.
ORDERS = {"created": "id", "updated": "updated_at", "importance": "importance"}
QUERY_LIMIT = 512


def some_of(known: list[str], *, or_any: bool = False):
    """For a field of one or more of the known values, by commas; or "any"."""

    def check(text: str) -> str:
        unknown = sorted(set(text.split(",")) - set(known))
        if unknown and not (or_any and text == ANY):
            raise ValueError(f"one or more, by commas, of: {', '.join(known)}")
        return text

    return AfterValidator(check)


class AsOf(Schema):
    """`as_of`: the store as it was then, a time that is over."""

    as_of: Moment | None = None


class MemoryFilters(Paging, AsOf):
    """`agent_id` shows what that agent may be given: its own memories and those of no agent.
    `since` and `until` bound when a memory happened, or was first remembered. With `as_of` every
    filter, state and count is of the store as it was then."""

    user_id: UserId | None = None
    agent_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    session_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    entity: str | None = Field(None, min_length=1, max_length=PART_LIMIT)
    attribute: str | None = Field(None, min_length=1, max_length=PART_LIMIT)
    kind: Annotated[str, some_of(Kind.values)] | None = None
    domain: str | None = Field(None, min_length=1, max_length=100)
    status: Annotated[str, some_of(Status.values, or_any=True)] = Status.ACTIVE.value
    source: Annotated[str, some_of(Source.values)] | None = None
    q: str = Field("", max_length=QUERY_LIMIT)
    since: Moment | None = None
    until: Moment | None = None
    sort: str = Field("-created", pattern=rf"^-?({'|'.join(ORDERS)})$")

    @property
    def order(self) -> str:
        name = self.sort.removeprefix("-")
        return ("-" if self.sort.startswith("-") else "") + ORDERS[name]

    @property
    def statuses(self) -> list[str]:
        return [] if self.status == ANY else self.status.split(",")


def listed(scope: Scope, asked: MemoryFilters) -> tuple[list[Memory], str | None, int]:
    """The page's memories, the cursor after it, and how many there are in all (capped)."""
    if asked.q.strip():
        return _searched(scope, asked)
    rows = _filtered(scope, asked)
    return *page_of(rows, asked.order, asked), counted(rows)


def _searched(scope: Scope, asked: MemoryFilters) -> tuple[list[Memory], str | None, int]:
    order = asked.order
    if order not in ("id", "-id"):
        raise InvalidInput([("sort", "a search is sorted by created or -created")])
    filters = Filters(
        statuses=asked.statuses,
        kinds=_list(asked.kind),
        domains=[asked.domain] if asked.domain else [],
        sources=_list(asked.source),
        agent_id=asked.agent_id,
        session_id=asked.session_id,
        entity_key=key(asked.entity) if asked.entity else None,
        attribute_key=key(asked.attribute) if asked.attribute else None,
        since=asked.since,
        until=asked.until,
    )
    after = read_cursor(asked.cursor, order)
    place = after[1] if after else None
    start = {"before": place} if order == "-id" else {"after": place or 0}
    ids = browse(scope, asked.q, filters, limit=asked.limit + 1, **start)
    rows = Memory.objects.within(scope).in_bulk(ids)
    found = [rows[pk] for pk in sorted(rows, reverse=order == "-id")]
    total = browse_count(scope, asked.q, filters)
    return found[: asked.limit], next_of(found, order, asked.limit), total


def _filtered(scope: Scope, asked: MemoryFilters) -> QuerySet[Memory]:
    wanted = {
        "status__in": asked.statuses,
        "kind__in": _list(asked.kind),
        "source__in": _list(asked.source),
        "domain": asked.domain,
        "session_id": asked.session_id,
        "agent_id__in": ["", asked.agent_id] if asked.agent_id else None,
        "entity_key": key(asked.entity) if asked.entity else None,
        "attribute_key": key(asked.attribute) if asked.attribute else None,
        "happened__gte": asked.since,
        "happened__lt": asked.until,
    }
    rows = Memory.objects.within(scope)
    if asked.since or asked.until:
        rows = rows.annotate(happened=Coalesce("occurred_at", "created_at"))
    return rows.filter(**{name: value for name, value in wanted.items() if value})


def _list(text: str | None) -> list[str]:
    return text.split(",") if text else []
