"""`recall(request)`: the only verb that reads for agents, and it records what it gave."""

import time
from dataclasses import dataclass, field, replace

from memory.index.search import Hit
from memory.models import Memory, Recall
from memory.text.terms import Query

from .assemble import Context
from .look import Look, look
from .question import Question
from .rank import PROFILES, Ranked
from .record import record
from .request import RecallRequest


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
class Answer:
    """What the agent is given, and what it is not given and why."""

    request: RecallRequest
    question: Question
    query: Query
    items: tuple[Ranked, ...]
    dropped: tuple[DroppedMemory, ...]
    context: Context
    took_ms: float
    record: Recall


REASONS = {
    "expiry": "its time is over",
    "kind": "not of the kinds asked for",
    "domain": "not of the domains asked for",
    "agent": "belongs to another agent",
    "time": "outside the time asked for",
    "limit": "ranked below the limit",
    "budget": "did not fit the token budget",
}


def recall(request: RecallRequest) -> Answer:
    """Find, rank, assemble and record.

    Raises `InvalidRequest`, `ScopeError`, and `QueueTimeout` where its record could not be kept:
    nothing is handed out without one.
    """
    began = time.perf_counter()
    request = request.checked(tuple(PROFILES))
    seen = look(request, request.as_of, past=request.as_of)
    dropped = _dropped(request, seen)
    took_ms = (time.perf_counter() - began) * 1000
    answer = Answer(
        request, seen.question, seen.query, seen.context.kept, dropped, seen.context, took_ms,
        Recall(),
    )  # fmt: skip
    return replace(answer, record=record(answer, seen.at))


def _dropped(request: RecallRequest, seen: Look) -> tuple[DroppedMemory, ...]:
    dropped = [DroppedMemory(hit, hit.gate, REASONS[hit.gate]) for hit in seen.found.dropped]
    dropped += [_kept_back(item, "budget") for item in seen.context.left_out]
    dropped += [_kept_back(item, "limit") for item in seen.ranked[request.limit :]]
    return tuple(dropped)


def _kept_back(item: Ranked, gate: str) -> DroppedMemory:
    return DroppedMemory(item.memory, gate, REASONS[gate], item.score, item.parts)
