"""Ranking: relevance, importance and freshness, weighed by a profile. Profiles are data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from memory.index.search import Hit
from memory.models import Memory

from .relevance import Match, Relevance

WEEK, MONTH, QUARTER = 7, 30, 90


@dataclass(frozen=True)
class Profile:
    relevance: float
    importance: float
    freshness: float


PROFILES = {"balanced": Profile(relevance=0.5, importance=0.3, freshness=0.2)}


@dataclass(frozen=True)
class Ranked:
    """`parts` are already weighed and add up to `score`. `memory` is the search's hit until the
    row itself is read, which is done for those that are given."""

    memory: Memory | Hit
    score: float
    parts: dict[str, float]
    matches: tuple[Match, ...]


def rank(
    found: Sequence[tuple[Memory | Hit, Relevance]], profile: Profile, moment: datetime
) -> list[Ranked]:
    """Best first; ties by newest, then by id, so that the order is always the same."""
    ranked = [_weigh(memory, relevance, profile, moment) for memory, relevance in found]
    return sorted(ranked, key=lambda r: (-r.score, -r.memory.created_at.timestamp(), -r.memory.pk))


def _weigh(
    memory: Memory | Hit, relevance: Relevance, profile: Profile, moment: datetime
) -> Ranked:
    parts = {
        "relevance": round(profile.relevance * relevance.score, 6),
        "importance": round(profile.importance * (memory.importance - 1) / 4, 6),
        "freshness": round(profile.freshness * freshness(_confirmed(memory), moment), 6),
    }
    return Ranked(memory, round(sum(parts.values()), 6), parts, relevance.matches)


def freshness(confirmed: datetime, moment: datetime) -> float:
    """1 within a week of the last confirmation, 0.5 at a month, 0.2 from three months on.

    The field guide names these three points; between them it is a straight line, so that
    nothing falls by half overnight.
    """
    days = (moment - confirmed).total_seconds() / 86400
    points = ((WEEK, 1.0), (MONTH, 0.5), (QUARTER, 0.2))
    if days <= WEEK:
        return 1.0
    for (start, high), (end, low) in pairwise(points):
        if days <= end:
            return high + (low - high) * (days - start) / (end - start)
    return points[-1][1]


def _confirmed(memory: Memory | Hit) -> datetime:
    return memory.confirmed_at or memory.occurred_at or memory.created_at
