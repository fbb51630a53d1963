"""Ranking turns: how well what was said answers a question, and how fresh it is.

BM25 as for memories, but with the engine's own k1 and b, for turns are longer, and with a turn's
own words counted twice beside those of the turn before it.
"""

import math
from dataclasses import dataclass
from datetime import datetime

from memory.index.turns import TurnHit, TurnsFound
from memory.models import Kind, Policies
from memory.text.terms import Query

from .rank import Profile, decay, freshness
from .relevance import BIGRAM_WEIGHT, Match, Relevance

K1, B = 1.2, 0.75
OWN, BEFORE = 2, 1
# A turn is evidence whenever it was said: with the profile's whole freshness, LoCoMo's questions
# asked on the day after the last talk found their turn among five in 0.456, with a quarter in
# 0.654 (in 0.664 where all turns are old).
FRESH = 0.25


@dataclass(frozen=True)
class RankedTurn:
    """`parts` are already weighed and add up to `score`."""

    turn: TurnHit
    score: float
    parts: dict[str, float]
    matches: tuple[Match, ...]


def rank_turns(
    query: Query,
    found: TurnsFound,
    profile: Profile,
    moment: datetime,
    policies: Policies | None = None,
) -> list[RankedTurn]:
    """Best first; ties by newest, then by id. A turn has no importance and no confidence: those
    parts of the profile are not given to it. With half-lives it fades as an event does."""
    scorer = TurnScorer(query, found)
    ranked = [_weigh(hit, scorer.score(hit), profile, moment, policies) for hit in found.hits]
    return sorted(ranked, key=lambda r: (-r.score, -r.turn.occurred_at.timestamp(), -r.turn.pk))


def _weigh(
    hit: TurnHit,
    relevance: Relevance,
    profile: Profile,
    moment: datetime,
    policies: Policies | None,
) -> RankedTurn:
    if profile.by_half_life and policies is not None:
        fresh = decay(hit.occurred_at, moment, policies.of(Kind.EVENT).half_life_hours)
    else:
        fresh = freshness(hit.occurred_at, moment)
    parts = {
        "relevance": round(profile.relevance * relevance.score, 6),
        "freshness": round(profile.freshness * FRESH * fresh, 6),
    }
    return RankedTurn(hit, round(sum(parts.values()), 6), parts, relevance.matches)


class TurnScorer:
    """Scores turns against one question, each from 0 to 1."""

    def __init__(self, query: Query, found: TurnsFound):
        self.rows = max(found.rows, 1)
        self.frequency = found.frequency or {}
        lengths = [_length(hit) for hit in found.hits]
        self.mean_length = sum(lengths) / len(lengths) if lengths else 1
        self.terms = [(term.text, self.rarity(term.text)) for term in query.terms]
        self.pairs = {p: self.rarity(p) for term in query.terms for p in term.bigrams}
        self.word_mass = sum(rarity for _, rarity in self.terms) * (K1 + 1)
        self.pair_mass = sum(self.pairs.values()) * (OWN + BEFORE)

    def rarity(self, token: str) -> float:
        """BM25's inverse document frequency within the owner's turns, never negative."""
        holding = min(self.frequency.get(token, 0), self.rows)
        return math.log(1 + (self.rows - holding + 0.5) / (holding + 0.5))

    def score(self, hit: TurnHit) -> Relevance:
        own, before = hit.own.terms, hit.before.terms
        slack = K1 * (1 - B + B * _length(hit) / self.mean_length)
        matches, words = [], 0.0
        for term, rarity in self.terms:
            if term in own or term in before:
                times, how = own.get(term, _NONE)
                times_before, how_before = before.get(term, _NONE)
                count = OWN * times + BEFORE * times_before
                weight = rarity * count * (K1 + 1) / (count + slack)
                words += weight
                matches.append(Match(term, how or how_before, round(weight, 4)))
        score, weights = words / self.word_mass if self.word_mass else 0.0, 1.0
        if self.pair_mass:
            held = sum(OWN * self.pairs[pair] for pair in hit.own.bigrams)
            held += sum(BEFORE * self.pairs[pair] for pair in hit.before.bigrams)
            score += BIGRAM_WEIGHT * held / self.pair_mass
            weights += BIGRAM_WEIGHT
        return Relevance(score / weights, tuple(matches))


_NONE = (0, "")


def _length(hit: TurnHit) -> int:
    return OWN * hit.own.size + BEFORE * hit.before.size
