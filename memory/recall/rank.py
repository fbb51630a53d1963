"""Ranking: relevance, importance and freshness, weighed by a profile. Profiles are data."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from memory.index.search import Hit
from memory.models import Memory

from .relevance import Match, Relevance

WEEK, MONTH, QUARTER = 7, 30, 90


@dataclass(frozen=True)
class Profile:
    """How much each part weighs; together 1. `by_half_life`: freshness falls with the kind's
    half-life instead of by the steps below."""

    relevance: float
    freshness: float
    importance: float = 0.0
    confidence: float = 0.0
    by_half_life: bool = False


# "balanced" is the field guide's rerank. "confident" is the paper's: similarity 0.6, confidence
# 0.3 and exp(-hours / half-life), which the paper adds whole; here it has the tenth that is left,
# so that a fresh remark cannot outrank an answer.
PROFILES = {
    "balanced": Profile(relevance=0.5, importance=0.3, freshness=0.2),
    "confident": Profile(relevance=0.6, confidence=0.3, freshness=0.1, by_half_life=True),
}
# A question that names a domain lifts its memories by so much, beside the profile's parts.
DOMAIN_LIFT = 0.05
UNSTATED_CONFIDENCE = 0.5


@dataclass(frozen=True)
class Ranked:
    """`parts` are already weighed and add up to `score`. `memory` is the search's hit until the
    row itself is read, which is done for those that are given."""

    memory: Memory | Hit
    score: float
    parts: dict[str, float]
    matches: tuple[Match, ...]


def rank(
    found: Sequence[tuple[Memory | Hit, Relevance]],
    profile: Profile,
    moment: datetime,
    *,
    half_lives: Mapping[str, int] | None = None,
    domain: str = "",
) -> list[Ranked]:
    """Best first; ties by newest, then by id, so that the order is always the same.

    `half_lives` gives each kind's in hours, for a profile that uses them; `domain` is the one
    that the question names.
    """
    ranked = [
        _weigh(memory, relevance, profile, moment, half_lives or {}, domain)
        for memory, relevance in found
    ]
    return sorted(ranked, key=lambda r: (-r.score, -r.memory.created_at.timestamp(), -r.memory.pk))


def _weigh(
    memory: Memory | Hit,
    relevance: Relevance,
    profile: Profile,
    moment: datetime,
    half_lives: Mapping[str, int],
    domain: str,
) -> Ranked:
    confirmed = _confirmed(memory)
    fresh = (
        decay(confirmed, moment, half_lives[memory.kind])
        if profile.by_half_life
        else freshness(confirmed, moment)
    )
    doubtful = UNSTATED_CONFIDENCE if memory.confidence is None else memory.confidence
    weighed = {
        "relevance": profile.relevance * relevance.score,
        "importance": profile.importance * (memory.importance - 1) / 4,
        "confidence": profile.confidence * doubtful,
        "freshness": profile.freshness * fresh,
        "domain": DOMAIN_LIFT if domain and memory.domain == domain else 0,
    }
    parts = {
        name: round(value, 6)
        for name, value in weighed.items()
        if getattr(profile, name, 0) or value
    }
    return Ranked(memory, round(sum(parts.values()), 6), parts, relevance.matches)


def decay(confirmed: datetime, moment: datetime, half_life_hours: int) -> float:
    """exp(-hours / half-life), as the paper writes it: 0.37 after one such time."""
    hours = max((moment - confirmed).total_seconds() / 3600, 0)
    return math.exp(-hours / half_life_hours)


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
