"""Lists by key: a page starts after a row, so nothing repeats or vanishes between pages."""

import base64
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from ninja import Schema
from pydantic import Field

from memory.index.browse import COUNT_CAP
from memory.write.proposal import InvalidInput

from .fields import Limit, read_moment

T = TypeVar("T")
LARGEST_ID = 2**63 - 1


class Paging(Schema):
    limit: Limit = 50
    cursor: str = Field("", max_length=500)


class Page(Schema, Generic[T]):
    """`next` goes back as `cursor`; `total` stops counting at 10,000 and then says so."""

    items: list[T]
    next: str | None
    total: int
    total_capped: bool


def page_of(rows: QuerySet, order: str, paging: Paging) -> tuple[list, str | None]:
    """One page by `order` ("column" or "-column", never null; ties by id) and its `next`.

    Raises `InvalidInput` for a cursor of another list or order.
    """
    column, way = order.removeprefix("-"), "-" if order.startswith("-") else ""
    fields = dict.fromkeys((column, "id"))
    rows = rows.order_by(*(way + field for field in fields))
    if after := read_cursor(paging.cursor, order):
        rows = rows.filter(_beyond(column, "lt" if way else "gt", *after))
    found = list(rows[: paging.limit + 1])
    return found[: paging.limit], next_of(found, order, paging.limit)


def next_of(found: Sequence[Model], order: str, limit: int) -> str | None:
    """The cursor after the page's last row, where `found` holds at least one row beyond it."""
    if len(found) <= limit:
        return None
    last = found[limit - 1]
    value = getattr(last, order.removeprefix("-"))
    text = json.dumps([order, value, last.pk], default=datetime.isoformat)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def counted(rows: QuerySet) -> int:
    """How many rows there are; beyond `COUNT_CAP` one more than that."""
    return rows.order_by()[: COUNT_CAP + 1].count()


def page_form(items: list, after: str | None, total: int) -> dict[str, Any]:
    return {
        "items": items,
        "next": after,
        "total": min(total, COUNT_CAP),
        "total_capped": total > COUNT_CAP,
    }


def read_cursor(text: str, order: str) -> tuple[Any, int] | None:
    """The value and id that the page comes after; None for the first page."""
    if not text:
        return None
    try:
        written, value, pk = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        value = read_moment(value) if order.endswith("_at") else _whole(value)
        if written == order:
            return value, _whole(pk)
    except (ValueError, TypeError, RecursionError):
        pass
    raise InvalidInput([("cursor", "not a cursor of this list")])


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST_ID:
        raise ValueError(value)
    return value


def _beyond(column: str, side: str, value: Any, pk: int) -> Q:
    if column == "id":
        return Q(**{f"id__{side}": pk})
    return Q(**{f"{column}__{side}": value}) | Q(**{column: value, f"id__{side}": pk})
