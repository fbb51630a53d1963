"""The dashboard's pictures of the last days: what came and went, what recalls came to, growth."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.daily import Daily, Day
from memory.models import Status

# A bar a day; `ROOM` is that of the tallest above the line and the tallest below it together.
STEP, BAR, ROOM = 20, 14, 140
ERASED = "erased"
WAITING = "waiting"
CAME = ((Status.ACTIVE.value, Status.ACTIVE.label), (WAITING, gettext_lazy("to be reviewed")))
WENT = (
    (Status.SUPERSEDED.value, Status.SUPERSEDED.label),
    (Status.EXPIRED.value, Status.EXPIRED.label),
    (Status.RETRACTED.value, Status.RETRACTED.label),
    (Status.REJECTED.value, Status.REJECTED.label),
    (ERASED, gettext_lazy("erased")),
)


@dataclass(frozen=True)
class Piece:
    """One state's share of a bar."""

    name: str
    y: str
    height: str


@dataclass(frozen=True)
class Bar:
    """One day: above the line what came into use or to be reviewed, below it what left."""

    day: Day
    x: int
    address: str
    told: str
    pieces: list[Piece]


@dataclass(frozen=True)
class Flow:
    """`most` is the number of memories that the tallest bar stands for. `legend`: name and words
    of each part, those above the line first."""

    bars: list[Bar]
    width: int
    height: int
    middle: str
    most: int
    legend: list[tuple[str, str]]


def counts_of(day: Day) -> dict[str, int]:
    """How many memories entered each part of the picture on that day."""
    waiting = day.moves[Status.CANDIDATE] + day.moves[Status.QUARANTINED]
    return day.moves | {WAITING: waiting, ERASED: day.erased}


def flow(days: Sequence[Day]) -> Flow | None:
    """The picture of what came and went; None where nothing did."""
    counted = [counts_of(day) for day in days]
    above, below = (
        max((sum(counts[name] for name, _text in side) for counts in counted), default=0)
        for side in (CAME, WENT)
    )
    if not above + below:
        return None
    scale = ROOM / (above + below)
    bars = [
        Bar(
            day,
            number * STEP + (STEP - BAR) // 2,
            day_address("activity", day.day),
            _told(day, counts),
            _stacked(counts, scale, above * scale),
        )
        for number, (day, counts) in enumerate(zip(days, counted, strict=True))
    ]
    legend = [(name, str(text)) for name, text in (*CAME, *WENT)]
    middle = f"{above * scale:.1f}"
    return Flow(bars, len(days) * STEP, ROOM, middle, max(above, below), legend)


def day_address(name: str, day: date, **more: str) -> str:
    """The list of this name, of that day's rows."""
    return f"{reverse(name)}?{urlencode({'since': day, 'until': day} | more)}"


def rates_chart(found: Daily) -> dict[str, Any] | None:
    """What the script draws of the recalls; None where nobody searched on two days."""
    if sum(bool(day.searched) for day in found.days) < 2:
        return None
    return {"top": 100} | _chart(
        found,
        (_("hit rate"), "%", [_percent(day.hit) for day in found.days]),
        (_("stale rate"), "%", [_percent(day.stale) for day in found.days]),
    )


def growth_chart(found: Daily) -> dict[str, Any] | None:
    """What the script draws of the number of active memories; None where there never were any."""
    if not any(day.active for day in found.days):
        return None
    return _chart(found, (_("active memories"), "n", [day.active for day in found.days]))


def tables(found: Daily) -> list[dict[str, Any]]:
    """The same figures, day by day and newest first, each with the address of its rows."""
    return [
        {
            "day": day,
            "counts": [(text, counts[name]) for name, text in (*CAME, *WENT)],
            "changes": day_address("activity", day.day),
            "active": f"{reverse('memories')}?as_of={day.day}",
            "searched": day_address("recalls", day.day, triggered="yes"),
            "nothing": day_address("recalls", day.day, triggered="yes", served="none"),
            "outdated": day_address("recalls", day.day, stale="yes"),
        }
        for day in reversed(found.days)
        for counts in (counts_of(day),)
    ]


def _stacked(counts: dict[str, int], scale: float, middle: float) -> list[Piece]:
    pieces, top, bottom = [], middle, middle
    for side in (CAME, WENT):
        for name, _text in side:
            height = counts[name] * scale
            top -= height if side is CAME else 0
            if height:
                y = top if side is CAME else bottom
                pieces.append(Piece(name, f"{y:.1f}", f"{height:.1f}"))
            bottom += height if side is WENT else 0
    return pieces


def _told(day: Day, counts: dict[str, int]) -> str:
    said = [f"{text} {counts[name]:,}" for name, text in (*CAME, *WENT) if counts[name]]
    return f"{day.day}: " + (", ".join(said) or _("nothing"))


def _chart(found: Daily, *lines: tuple[str, str, list]) -> dict[str, Any]:
    midnights = [datetime.combine(day.day, time.min) for day in found.days]
    return {
        "times": [timezone.make_aware(moment).timestamp() for moment in midnights],
        "lines": [
            {"name": name, "scale": scale, "values": values} for name, scale, values in lines
        ],
        "zone": timezone.get_current_timezone_name(),
        "height": 180,
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 1)
