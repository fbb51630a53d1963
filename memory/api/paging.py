"""Lists by key: a page starts after a row, so nothing repeats or vanishes between pages."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from ninja import Schema
from pydantic import Field

from memory.index import keyset
from memory.index.browse import COUNT_CAP
from memory.write.proposal import InvalidInput

from .fields import Limit

T = TypeVar("T")


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
    rows = keyset.ordered(rows, order)
    if after := read_cursor(paging.cursor, order):
        rows = rows.filter(keyset.beyond(order, *after))
    found = list(rows[: paging.limit + 1])
    return found[: paging.limit], next_of(found, order, paging.limit)


def next_of(found: Sequence[Model], order: str, limit: int) -> str | None:
    """The cursor after the page's last row, where `found` holds at least one row beyond it."""
    if len(found) <= limit:
        return None
    return keyset.write_cursor(order, found[limit - 1])


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
        value, pk, _ = keyset.read_cursor(text, order)
    except ValueError:
        raise InvalidInput([("cursor", "not a cursor of this list")]) from None
    return value, pk
