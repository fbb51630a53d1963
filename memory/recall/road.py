"""`recall(request)`: the only verb that reads for agents, and it records what it gave."""

import time
from dataclasses import dataclass, field, replace

from memory import clock
from memory.index.filters import ACTIVE_ONLY, Filters
from memory.index.read import read
from memory.index.search import Found, Hit, search, search_as_of
from memory.index.storage import one_view
from memory.models import Memory, Recall, Scope, policies_of
from memory.text.terms import Query, query_terms

from .assemble import Context, assemble
from .past import as_it_was
from .question import Question, read_question
from .rank import PROFILES, Ranked, rank
from .record import record
from .relevance import Scorer
from .request import RecallRequest
from .rewrite import Move, domain_named


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
    moment = request.as_of or clock.now()
    with one_view():
        question = read_question(request)
        query = query_terms(question.used if question.trigger.triggered else "")
        found = _find(request, query, moment)
        question, domain = _with_domain(question, found)
        ranked = _ranked(request, query, found, moment, domain)
        context = assemble(
            ranked[: request.limit],
            request.query,
            request.budget_tokens,
            moment=moment,
            prompt_tokens=request.prompt_tokens,
        )
        dropped = _dropped(request, found, ranked, context)
    took_ms = (time.perf_counter() - began) * 1000
    answer = Answer(request, question, query, context.kept, dropped, context, took_ms, Recall())
    return replace(answer, record=record(answer))


def _find(request: RecallRequest, query: Query, moment) -> Found:
    filters = Filters(
        kinds=request.kinds,
        domains=request.domains,
        agent_id=request.agent_id or None,
        since=request.since,
        until=request.until,
        alive_at=moment,
    )
    if request.as_of is not None:
        return search_as_of(request.scope, query, filters, moment)
    return search(request.scope, query, replace(filters, statuses=ACTIVE_ONLY))


def _with_domain(question: Question, found: Found) -> tuple[Question, str]:
    """A word of the question that names a domain of what was found lifts that domain."""
    domain, word = domain_named(question.used, sorted({hit.domain for hit in found.hits} - {""}))
    if not domain:
        return question, ""
    move = Move("domain", word, domain, f"“{word}” names the domain {domain}")
    return question.with_move(move), domain


def _ranked(
    request: RecallRequest, query: Query, found: Found, moment, domain: str
) -> list[Ranked]:
    scorer = Scorer(query, found)
    rows = {hit.pk: hit for hit in found.hits}
    if request.as_of is not None:
        rows = as_it_was(read(request.scope, list(rows)), moment)
    pairs = [(rows[hit.pk], scorer.score(hit)) for hit in found.hits if hit.pk in rows]
    profile = PROFILES[request.profile]
    half_lives = half_lives_of(request.scope) if profile.by_half_life else {}
    ranked = rank(pairs, profile, moment, half_lives=half_lives, domain=domain)
    return ranked if request.as_of is not None else _read(request, ranked)


def half_lives_of(scope: Scope) -> dict[str, int]:
    policies = policies_of(scope.workspace_id)
    return {kind: policy.half_life_hours for kind, policy in policies.items()}


def _read(request: RecallRequest, ranked: list[Ranked]) -> list[Ranked]:
    """The same, with the rows themselves for those within the limit."""
    given = ranked[: request.limit]
    rows = read(request.scope, [item.memory.pk for item in given])
    return [replace(item, memory=rows[item.memory.pk]) for item in given] + ranked[len(given) :]


def _dropped(
    request: RecallRequest, found: Found, ranked: list[Ranked], context: Context
) -> tuple[DroppedMemory, ...]:
    dropped = [DroppedMemory(hit, hit.gate, REASONS[hit.gate]) for hit in found.dropped]
    dropped += [_kept_back(item, "budget") for item in context.left_out]
    dropped += [_kept_back(item, "limit") for item in ranked[request.limit :]]
    return tuple(dropped)


def _kept_back(item: Ranked, gate: str) -> DroppedMemory:
    return DroppedMemory(item.memory, gate, REASONS[gate], item.score, item.parts)
