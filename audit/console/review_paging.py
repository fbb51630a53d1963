"""Pages of the review queue: several tables as one list, the last that began to wait first."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model, Q

from memory.index.keyset import LARGEST_ID
from memory.models import Scope

from .keyset import COUNT_CAP
from .review_kinds import Asked, Item, kinds, marks_of

PAGE = 25


@dataclass(frozen=True)
class Place:
    """A row of the list: when it began to wait, the place of its kind, its key. A page begins
    `side` ("after" or "before") of it."""

    at: datetime
    rank: int
    pk: int
    side: str = "after"

    def __str__(self) -> str:
        text = json.dumps([self.at.isoformat(), self.rank, self.pk, self.side])
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@dataclass(frozen=True)
class Page:
    """`counts` says by kind how many wait, up to `COUNT_CAP` + 1."""

    items: list[Item]
    previous: str | None
    next: str | None
    counts: dict[str, int]


def read_place(text: str | None) -> Place | None:
    """The place that a cursor names; None for anything else."""
    try:
        raw = base64.urlsafe_b64decode((text or "") + "=" * (-len(text or "") % 4))
        at, rank, pk, side = json.loads(raw)
        moment = datetime.fromisoformat(at)
    except (TypeError, ValueError, RecursionError):
        return None
    whole = type(rank) is type(pk) is int and 0 <= pk <= LARGEST_ID
    if not whole or moment.tzinfo is None or side not in ("after", "before"):
        return None
    return Place(moment, rank, pk, side)


def page_of(scope: Scope, asked: Asked, cursor: str | None) -> Page:
    """One page of what waits, of the kind that is asked for or of all."""
    place, found, counts = read_place(cursor), [], {}
    backwards = place is not None and place.side == "before"
    marks = marks_of(scope)
    for rank, kind in enumerate(kinds()):
        rows = kind.chosen(scope, asked, marks.get(kind.item_type, ()))
        counts[kind.name] = rows.order_by()[: COUNT_CAP + 1].count()
        if asked.tab not in ("", kind.name):
            continue
        if place is not None:
            rows = rows.filter(_beyond(kind.time, rank, place))
        order = (kind.time, "pk") if backwards else (f"-{kind.time}", "-pk")
        found += [
            (getattr(row, kind.time), -rank, row) for row in rows.order_by(*order)[: PAGE + 1]
        ]
    if place is not None and not found:
        # All that stood there were decided.
        return page_of(scope, asked, None)
    found.sort(key=lambda one: (one[0], one[1], one[2].pk), reverse=not backwards)
    more, found = len(found) > PAGE, found[:PAGE]
    if backwards:
        found.reverse()
    return Page(
        _shown(scope, [(-rank, row) for _, rank, row in found]),
        _cursor(found[0], "before") if found and (more if backwards else place) else None,
        _cursor(found[-1], "after") if found and (backwards or more) else None,
        counts,
    )


def count(scope: Scope, asked: Asked) -> int:
    """How many items of the kinds that are asked for wait, counted of each up to `COUNT_CAP`."""
    marks = marks_of(scope)
    return sum(
        kind.chosen(scope, asked, marks.get(kind.item_type, ())).order_by()[:COUNT_CAP].count()
        for kind in kinds()
        if asked.tab in ("", kind.name)
    )


def _beyond(time: str, rank: int, place: Place) -> Q:
    side = "gt" if place.side == "before" else "lt"
    further = Q(**{f"{time}__{side}": place.at})
    if rank == place.rank:
        return further | Q(**{time: place.at, f"pk__{side}": place.pk})
    # At one moment the kinds follow each other in their order.
    comes_later = rank > place.rank
    is_beyond = comes_later if place.side == "after" else not comes_later
    return further | Q(**{time: place.at}) if is_beyond else further


def _cursor(found: tuple[datetime, int, Model], side: str) -> str:
    return str(Place(found[0], -found[1], found[2].pk, side))


def _shown(scope: Scope, rows: Sequence[tuple[int, Any]]) -> list[Item]:
    items: dict[tuple[int, int], Item] = {}
    for rank, kind in enumerate(kinds()):
        own = [row for of, row in rows if of == rank]
        if own:
            told = kind.shown(scope, own)
            items |= {(rank, row.pk): item for row, item in zip(own, told, strict=True)}
    return [items[rank, row.pk] for rank, row in rows]
