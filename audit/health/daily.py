"""What happened on each of the last days: memories that came and went, and what recalls came to.

Ledger and recall log only grow, so they are counted once, in the order of their keys, and the
counts are kept in the cache with the place that they reach: a page counts what is new, a worker
what is much. What is lost with the cache is counted again.
"""

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from datetime import time as dawn
from typing import Any

from django.db.models import Sum
from django.utils import timezone

from memory import clock
from memory.index import tally
from memory.index.lossy import cache
from memory.index.tally import QUARTER_SECONDS
from memory.models import Batch, Owner, Recall, Scope, ScopeError, Status

DAYS = 30
# A day more on either side: the first one begins at a midnight, in any time zone.
_KEPT = timedelta(days=DAYS + 2)
# Some 4 ms each: 100 batches of a few changes, 100 recalls with twenty candidates.
PIECE = 100
PAGE_SECONDS = 0.05
CACHE_SECONDS = 40 * 86_400
_ROADS = ("moves", "asked")


@dataclass
class Day:
    """One local day. `moves` counts by the state that was entered; `new` are first remembered,
    `erased` gone for good; `active` is how many memories were active at its end. `searched`
    recalls looked into memory, `nothing` of them came back empty, `outdated` gave something that
    was no longer valid."""

    day: date
    new: int = 0
    erased: int = 0
    moves: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Status.values, 0))
    gained: int = 0
    active: int = 0
    searched: int = 0
    nothing: int = 0
    outdated: int = 0

    @property
    def hit(self) -> float | None:
        """The share of searches that gave something; None where nobody searched."""
        return 1 - self.nothing / self.searched if self.searched else None

    @property
    def stale(self) -> float | None:
        """The share of searches that gave something outdated."""
        return min(self.outdated / self.searched, 1.0) if self.searched else None


@dataclass(frozen=True)
class Daily:
    """The last `DAYS` days, oldest first, the last is today. `is_behind`: there is more than was
    counted, so that the newest days say too little until a worker has caught up."""

    days: list[Day]
    is_behind: bool


def daily(scope: Scope, seconds: float = PAGE_SECONDS) -> Daily:
    """The days of the scope's whole workspace, in the active time zone, after counting what is
    new for about so long. Raises `ScopeError` for a scope bound to a user."""
    kept, is_behind = _caught_up(scope, seconds)
    today = timezone.localdate(clock.now())
    days = [Day(today - timedelta(days=n)) for n in range(DAYS - 1, -1, -1)]
    starts = [_first_quarter(day.day) for day in days]
    for quarter, before, after, count in kept["moves"]:
        if (at := bisect_right(starts, quarter)) > 0:
            _move(days[at - 1], before, after, count)
    for quarter, searched, nothing, outdated in kept["asked"]:
        if (at := bisect_right(starts, quarter)) > 0:
            day = days[at - 1]
            day.searched += searched
            day.nothing += nothing
            day.outdated += outdated
    owners = Owner.objects.filter(workspace_id=scope.workspace_id)
    active = owners.aggregate(n=Sum("active", default=0))["n"]
    for day in reversed(days):
        # From today's count backwards, each day without what it gained.
        day.active = max(active, 0)
        active -= day.gained
    return Daily(days, is_behind)


def catch_up(scope: Scope, seconds: float) -> bool:
    """Count what is new for about so long; whether there is more. Where the cache keeps nothing
    it would be in vain, and nothing is counted."""
    if cache.get(_key(scope)) is None:
        cache.set(_key(scope), _begun(scope), CACHE_SECONDS)
        if cache.get(_key(scope)) is None:
            return False
    return _caught_up(scope, seconds)[1]


def is_behind(scope: Scope) -> bool:
    """Whether more than a page should have to count waits; what is less, the next page counts."""
    kept = cache.get(_key(scope)) or _begun(scope)
    return any(len(_next(scope, road, kept[f"{road}_at"])) == PIECE for road in _ROADS)


def _caught_up(scope: Scope, seconds: float) -> tuple[dict[str, Any], bool]:
    if scope.user_id is not None:
        raise ScopeError("days are counted for a whole workspace")
    kept = cache.get(_key(scope)) or _begun(scope)
    end, changed, behind = time.monotonic() + seconds, False, False
    for road in _ROADS:
        for piece in _pieces(scope, road, kept):
            kept, changed = piece, True
            if time.monotonic() > end:
                behind |= _is_more(scope, road, kept[f"{road}_at"])
                break
    if changed:
        cache.set(_key(scope), kept, CACHE_SECONDS)
    return kept, behind


def _pieces(scope: Scope, road: str, kept: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What is kept after each further piece. A place that is not there any more, as after a
    restore, begins anew."""
    place = kept[f"{road}_at"]
    found = _next(scope, road, place)
    if place[1] and (not found or found[0] != tuple(place)):
        kept = kept | {f"{road}_at": [_before_first(scope, road), ""], road: []}
        place, found = kept[f"{road}_at"], _next(scope, road, kept[f"{road}_at"])
    while fresh := [one for one in found if one[0] > place[0]]:
        rows = getattr(tally, road)(scope.workspace_id, place[0], fresh[-1][0], _since())
        place = list(fresh[-1])
        kept = kept | {f"{road}_at": place, road: _merged(road, kept[road], rows)}
        yield kept
        found = _next(scope, road, place)


def _next(scope: Scope, road: str, place: list) -> list[tuple[int, str]]:
    """The row at the place, if it is there, and those after it: key and id."""
    model = Batch if road == "moves" else Recall
    rows = model.objects.within(scope).filter(pk__gte=place[0]).order_by("pk")
    return [(pk, public_id.hex) for pk, public_id in rows.values_list("pk", "public_id")[:PIECE]]


def _is_more(scope: Scope, road: str, place: list) -> bool:
    return any(pk > place[0] for pk, _id in _next(scope, road, place))


def _begun(scope: Scope) -> dict[str, Any]:
    return {road: [] for road in _ROADS} | {
        f"{road}_at": [_before_first(scope, road), ""] for road in _ROADS
    }


def _before_first(scope: Scope, road: str) -> int:
    """A key before the first row of the days that are kept: older ones need not be read."""
    model = Batch if road == "moves" else Recall
    rows = model.objects.within(scope).filter(at__gte=_since()).order_by("at", "pk")
    first = rows.values_list("pk", flat=True).first()
    return first - 1 if first else 0


def _merged(road: str, old: list, new: list) -> list[list]:
    """Both added up, without what is too long ago. The first columns of a row name it."""
    names, oldest = (3 if road == "moves" else 1), _since().timestamp() // QUARTER_SECONDS
    found: dict[tuple, list[int]] = {}
    for row in (*old, *new):
        name, counts = tuple(row[:names]), list(row[names:])
        if name[0] >= oldest:
            known = found.get(name)
            found[name] = [a + b for a, b in zip(known, counts, strict=True)] if known else counts
    return [[*name, *counts] for name, counts in found.items()]


def _move(day: Day, before: str, after: str, count: int) -> None:
    day.new += count if not before else 0
    day.erased += count if not after else 0
    if after in day.moves:
        day.moves[after] += count
    day.gained += count * ((after == Status.ACTIVE) - (before == Status.ACTIVE))


def _since() -> datetime:
    return clock.now() - _KEPT


def _first_quarter(day: date) -> int:
    """The quarter with which a local day begins."""
    midnight = timezone.make_aware(datetime.combine(day, dawn.min))
    return int(midnight.timestamp()) // QUARTER_SECONDS


def _key(scope: Scope) -> str:
    return f"daily:{scope.workspace_id}"
