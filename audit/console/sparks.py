"""Figures over time as a small line."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from audit.health.compare import percent
from audit.health.trend import Point

WIDTH, HEIGHT, EDGE = 100, 20, 2


@dataclass(frozen=True)
class Spark:
    """`points` is what an SVG polyline takes, in a box of 100 by 20; `text` says the same in
    words."""

    points: str
    text: str


def spark(points: Sequence[Point], unit: str) -> Spark | None:
    """The line of what the check's thresholds go by, from nothing up to its greatest value; None
    for fewer than two points, and where there never was anything."""
    values = [point.share if unit == "share" else point.count for point in points]
    told = _("in the last %(n)d reports: from %(first)s to %(last)s, at most %(top)s")
    return line(values, told, is_share=unit == "share")


def line(values: Sequence[float], told: str, *, is_share: bool = False) -> Spark | None:
    """The line through these values, oldest first; `told` is a sentence of n, first, last, top."""
    if len(values) < 2 or not any(values):
        return None
    top, step = max(values), WIDTH / (len(values) - 1)
    room = HEIGHT - 2 * EDGE
    places = [
        f"{number * step:.1f},{HEIGHT - EDGE - room * value / top:.1f}"
        for number, value in enumerate(values)
    ]
    first, last, most = (percent(v) if is_share else f"{v:,}" for v in (values[0], values[-1], top))
    said = {"n": len(values), "first": first, "last": last, "top": most}
    return Spark(" ".join(places), told % said)
