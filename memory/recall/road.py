"""`recall(request)`: the only verb that reads for agents, and it records what it gave."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory.index.search import DROPPED_SHOWN, Hit
from memory.index.turns import TurnHit
from memory.models import Memory, Recall
from memory.text.terms import Query
from memory.write.working import at_hand

from .assemble import Context
from .fusion import Near
from .look import Look, look
from .question import Question
from .rank import PROFILES, Hop, Ranked
from .record import drafted, record
from .request import RecallRequest
from .turn_rank import RankedTurn


@dataclass(frozen=True)
class DroppedMemory:
    """A memory that matched and was kept back; `memory` may be the search's hit. It has a score
    where it came as far as being ranked."""

    memory: Memory | Hit
    gate: str
    reason: str
    score: float | None = None
    parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class DroppedTurn:
    """A turn that matched and was kept back, as `DroppedMemory`."""

    turn: TurnHit
    gate: str
    reason: str
    score: float | None = None
    parts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What the agent is given, and what it is not given and why. `turns` and `dropped_turns` are
    of the dialogue log; `turns_seen` are the keys of all turns that were ranked, best first.
    `near`: what was compared by meaning; None where nothing is. `hops`: what names led to."""

    request: RecallRequest
    question: Question
    query: Query
    items: tuple[Ranked, ...]
    dropped: tuple[DroppedMemory, ...]
    context: Context
    took_ms: float
    record: Recall
    turns: tuple[RankedTurn, ...] = ()
    dropped_turns: tuple[DroppedTurn, ...] = ()
    turns_seen: tuple[int, ...] = ()
    near: Near | None = None
    hops: tuple[Hop, ...] = ()


REASONS = {
    "expiry": "its time is over",
    "kind": "not of the kinds asked for",
    "domain": "not of the domains asked for",
    "agent": "belongs to another agent",
    "time": "outside the time asked for",
    "superseded": "memory has moved on from what it says",
    "same": "a memory that is given says it",
    "limit": "ranked below the limit",
    "budget": "did not fit the token budget",
}


def recall(request: RecallRequest) -> Answer:
    """Find, rank, assemble and record.

    Raises `InvalidRequest`, `ScopeError`, and `QueueTimeout` where its record could not be kept:
    nothing is handed out without one.
    """
    answer, at = _answered(request)
    return replace(answer, record=record(answer, at))


def preview(request: RecallRequest) -> tuple[Answer, Sequence[dict[str, Any]]]:
    """What `recall` would answer, for people who try a question out: its record is not kept. The
    second is its candidates' columns. Raises `InvalidRequest` and `ScopeError`."""
    answer, at = _answered(request)
    kept, candidates = drafted(answer, at)
    return replace(answer, record=kept), candidates


# Making a row takes 40 µs, and this one only holds the place of the record until there is one.
UNRECORDED = Recall()


def _answered(request: RecallRequest) -> tuple[Answer, datetime]:
    """The answer with an empty record, and when the store was looked at."""
    began = time.perf_counter()
    request = request.checked(tuple(PROFILES))
    if request.as_of is None:
        # Of the past nobody kept it.
        request = replace(request, working=at_hand(request.scope, request.session_id))
    seen = look(request, request.as_of, past=request.as_of)
    dropped, dropped_turns = _dropped(request, seen), _dropped_turns(seen)
    took_ms = (time.perf_counter() - began) * 1000
    answer = Answer(
        request, seen.question, seen.query, seen.context.kept, dropped, seen.context, took_ms,
        UNRECORDED, seen.context.turns, dropped_turns,
        tuple(item.turn.pk for item in seen.evidence.ranked), seen.near, seen.hops,
    )  # fmt: skip
    return answer, seen.at


def _dropped(request: RecallRequest, seen: Look) -> tuple[DroppedMemory, ...]:
    dropped = [DroppedMemory(hit, hit.gate, REASONS[hit.gate]) for hit in seen.found.dropped]
    dropped += [_kept_back(item, "budget") for item in seen.context.left_out]
    dropped += [_kept_back(item, "limit") for item in seen.ranked[request.limit :]]
    return tuple(dropped)


def _kept_back(item: Ranked, gate: str) -> DroppedMemory:
    return DroppedMemory(item.memory, gate, REASONS[gate], item.score, item.parts)


def _dropped_turns(seen: Look) -> tuple[DroppedTurn, ...]:
    """Of those below the limit the next best only: a common word is said in fifty turns."""
    found = seen.evidence.found.dropped
    dropped = [DroppedTurn(hit, hit.gate, REASONS[hit.gate]) for hit in found]
    for outdated in seen.evidence.outdated:
        reason = f"{REASONS['superseded']}: {outdated.because}"
        dropped.append(_turn_kept_back(outdated.item, "superseded", reason))
    below = [(item, "limit") for item in seen.evidence.rest[:DROPPED_SHOWN]]
    for item, gate in [*seen.context.turns_left, *below]:
        dropped.append(_turn_kept_back(item, gate, REASONS[gate]))
    return tuple(dropped)


def _turn_kept_back(item: RankedTurn, gate: str, reason: str) -> DroppedTurn:
    return DroppedTurn(item.turn, gate, reason, item.score, item.parts)
