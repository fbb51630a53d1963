"""Ranking: relevance, importance and freshness, weighed by a profile. Profiles are data."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from memory.index.search import Hit
from memory.models import Memory, Policies

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
class Hop:
    """The memory was reached through `key`, a name that the memory `via` says too, and counts as
    `factor` of its score."""

    memory_id: UUID
    via: UUID
    key: str
    factor: float

    def as_record(self) -> list[Any]:
        return [self.memory_id.hex, self.via.hex, self.key, self.factor]

    def __str__(self) -> str:
        return f"through {self.key}, which {self.via} names"


@dataclass(frozen=True)
class Ranked:
    """`parts` are already weighed and add up to `score`. `memory` is the search's hit until the
    row itself is read, which is done for those that are given. `hop` is what brought it there or
    lifted it, beside its own words."""

    memory: Memory | Hit
    score: float
    parts: dict[str, float]
    matches: tuple[Match, ...]
    cosine: float | None = None
    hop: Hop | None = None

    @property
    def matched_by(self) -> str:
        """ "words", "meaning" or "both"; "link" where only a second hop led to it, "day" where it
        only happened on the day asked about."""
        if only_reached(self.parts):
            return "link"
        if self.parts.get("meaning"):
            return "both" if self.matches else "meaning"
        return "words" if self.matches else "day"


def only_reached(parts: Mapping[str, float]) -> bool:
    """Whether neither words nor meaning found a memory with these parts, but only a second hop."""
    return parts.keys() == {"hop"}


def rank(
    found: Sequence[tuple[Memory | Hit, Relevance]],
    profile: Profile,
    moment: datetime,
    *,
    policies: Policies | None = None,
    domain: str = "",
) -> list[Ranked]:
    """Best first; ties by newest, then by id, so that the order is always the same.

    `policies` give each memory's half-life, for a profile that uses them; `domain` is the one that
    the question names.
    """
    ranked = [
        _weigh(memory, relevance, profile, moment, policies, domain) for memory, relevance in found
    ]
    return best_first(ranked)


def best_first(ranked: Iterable[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda r: (-r.score, -r.memory.created_at.timestamp(), -r.memory.pk))


def _weigh(
    memory: Memory | Hit,
    relevance: Relevance,
    profile: Profile,
    moment: datetime,
    policies: Policies | None,
    domain: str,
) -> Ranked:
    confirmed = _confirmed(memory)
    fresh = (
        decay(confirmed, moment, policies.of(memory.kind, memory.domain).half_life_hours)
        if profile.by_half_life
        else freshness(confirmed, moment)
    )
    doubtful = UNSTATED_CONFIDENCE if memory.confidence is None else memory.confidence
    parts = {"relevance": round(profile.relevance * relevance.score, 6)}
    if relevance.meaning:
        parts["meaning"] = round(profile.relevance * relevance.meaning, 6)
    if profile.importance:
        parts["importance"] = round(profile.importance * (memory.importance - 1) / 4, 6)
    if profile.confidence:
        parts["confidence"] = round(profile.confidence * doubtful, 6)
    parts["freshness"] = round(profile.freshness * fresh, 6)
    if domain and memory.domain == domain:
        parts["domain"] = DOMAIN_LIFT
    score = round(sum(parts.values()), 6)
    return Ranked(memory, score, parts, relevance.matches, relevance.cosine)


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
    if days <= WEEK:
        return 1.0
    for (start, high), (end, low) in pairwise(((WEEK, 1.0), (MONTH, 0.5), (QUARTER, 0.2))):
        if days <= end:
            return high + (low - high) * (days - start) / (end - start)
    return 0.2


def _confirmed(memory: Memory | Hit) -> datetime:
    return memory.confirmed_at or memory.occurred_at or memory.created_at
