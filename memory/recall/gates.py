"""The gates of the road, asked about one memory."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memory.index.entry import entry_for
from memory.index.filters import Days, Filters
from memory.models import Memory
from memory.text.terms import query_terms

from .assemble import allowance
from .filtering import filters_of
from .look import Look, matches_of
from .request import RecallRequest
from .road import REASONS


@dataclass(frozen=True)
class Place:
    """Where a memory came out: at a gate, or (without one) served. `rank` counts from 1, among
    the served where it is served, else among all that were ranked."""

    gate: str
    reason: str
    rank: int | None = None

    @property
    def served(self) -> bool:
        return not self.gate


def placed(request: RecallRequest, memory: Memory, seen: Look, moment: datetime) -> Place:
    """The first gate that a memory does not pass, in the order in which recall asks them."""
    if not seen.question.trigger.triggered:
        return Place("trigger", f"nothing is recalled for {seen.question.trigger.reason}")
    gate = closed(request, memory, moment)
    if gate == "state":
        return Place(gate, f"is {memory.status}; only active memories are recalled")
    if gate == "user":
        return Place(gate, "belongs to another user")
    if gate:
        return Place(gate, REASONS[gate])
    return _ranked(request, memory, seen) or _unranked(memory, seen)


def happened(memory: Memory) -> datetime:
    """The time that `since` and `until` bound."""
    return memory.occurred_at or memory.created_at


def of_its_day(request: RecallRequest, memory: Memory) -> bool:
    """Whether a memory passes the day that the question asks about, if it does."""
    return request.day is None or _takes(request.day.filter(), memory)


def _takes(days: Days, memory: Memory) -> bool:
    return days.take(happened(memory), entry_for(memory).terms.words)


def without_missing(query: str, memory: Memory) -> tuple[str, list[str]]:
    """A question without the terms that it requires and the memory does not hold, and those."""
    without: list[str] = []
    while True:
        asked = query_terms(query)
        held = {match.term for match in matches_of(asked, memory)[0]}
        missing = [term for term in asked.terms if term.required and term.text not in held]
        if not missing:
            return query, without
        for term in sorted(missing, key=lambda term: -term.start):
            query = query[: term.start] + query[term.end :]
        without = list(dict.fromkeys([*without, *(term.text for term in missing)]))


_PASSES: dict[str, Callable[[Filters, Memory], bool]] = {
    "state": lambda asked, memory: memory.status in asked.statuses,
    "expiry": lambda asked, memory: memory.expires_at is None or memory.expires_at > asked.alive_at,
    "kind": lambda asked, memory: memory.kind in asked.kinds,
    "domain": lambda asked, memory: memory.domain in asked.domains,
    "agent": lambda asked, memory: memory.agent_id in ("", asked.agent_id),
    "time": lambda asked, memory: (
        (asked.since is None or happened(memory) >= asked.since)
        and (asked.until is None or happened(memory) < asked.until)
        and (asked.days is None or _takes(asked.days, memory))
    ),
}


def closed(request: RecallRequest, memory: Memory, moment: datetime) -> str:
    """The first filter of the request that keeps a memory out, or ""."""
    asked = filters_of(request, moment)
    if memory.user_id != request.scope.user_id:
        return "user"
    names = (name for name, _, _ in asked.gates())
    return next((name for name in names if not _PASSES[name](asked, memory)), "")


def _ranked(request: RecallRequest, memory: Memory, seen: Look) -> Place | None:
    served = [item.memory.public_id for item in seen.context.kept]
    if memory.public_id in served:
        return Place("", "", served.index(memory.public_id) + 1)
    ranked = [item.memory.public_id for item in seen.ranked]
    if memory.public_id not in ranked:
        return None
    rank = ranked.index(memory.public_id) + 1
    if rank > request.limit:
        return Place("limit", f"ranked {rank} of {len(ranked)}; the limit is {request.limit}", rank)
    room = allowance(request.budget_tokens, request.prompt_tokens)
    reason = f"ranked {rank} of {len(ranked)}, but did not fit {room} tokens"
    return Place("budget", reason, rank)


def _unranked(memory: Memory, seen: Look) -> Place:
    held, matched = matches_of(seen.query, memory)
    if matched and seen.is_cut:
        first = "the newest" if seen.found.newest_only else "the best"
        return Place("candidates", f"matched, but the search goes on with {first} only")
    if matched:
        return Place("index", "matches, but the index does not hold it as it reads now")
    if not seen.query.terms:
        return Place("words", "the question has no term that can be looked for")
    names = {match.term for match in held}
    missing = [term.text for term in seen.query.terms if term.required and term.text not in names]
    if missing:
        return Place("words", f"does not hold what the question requires: {', '.join(missing)}")
    return Place("words", "shares no term with the question")
