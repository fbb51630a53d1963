"""Why a memory was not recalled: the first gate that dropped it, and what would let it through."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import clock
from memory.index.entry import entry_for
from memory.models import Memory, Scope
from memory.text.terms import IndexTerms, QueryTerm
from memory.write.revise import find

from .advice import Advice, advise
from .gates import Place, placed
from .look import look, matches_of
from .past import as_it_was
from .rank import PROFILES
from .relevance import Match
from .request import RecallRequest


@dataclass(frozen=True)
class WhyNot:
    """`found`: it is served, at `rank`. Otherwise `gate` is the first that dropped it; a rank is
    then told where it came as far as being ranked.

    `query_terms` and `memory_terms` are the tokens on both sides, `shared` those that met.
    `advice` is the smallest set of changes that recalls it, in the order in which to make them;
    empty when it is served, or when none is known.
    """

    memory: Memory
    found: bool
    rank: int | None
    gate: str
    reason: str
    query_used: str
    query_terms: tuple[QueryTerm, ...]
    memory_terms: IndexTerms
    shared: tuple[Match, ...]
    advice: tuple[Advice, ...] = ()


def why_not(request: RecallRequest, memory_id: UUID, within: Scope | None = None) -> WhyNot:
    """Ask as `recall` would, keep no record, and say what became of one memory.

    `within` is what the caller may see, where that is more than the one user asked for: a memory
    of another user is then told at the gate "user". Raises `NotFound`, `InvalidRequest`,
    `ScopeError`.
    """
    request = request.checked(tuple(PROFILES))
    moment = request.as_of or clock.now()
    memory = find(within or request.scope, memory_id)
    row = _then(memory, request.as_of)
    seen = look(request, moment, past=request.as_of)
    place = (
        Place("state", "was not remembered yet")
        if row is None
        else placed(request, row, seen, moment)
    )
    shared, _ = matches_of(seen.query, row or memory)
    return WhyNot(
        memory,
        place.served,
        place.rank,
        place.gate,
        place.reason,
        seen.question.used,
        seen.query.terms,
        entry_for(row or memory).terms,
        shared,
        () if place.served else advise(request, row or memory, place),
    )


def as_dict(answer: WhyNot) -> dict[str, Any]:
    """The answer as plain data, the same for HTTP and the command."""
    return {
        "memory_id": str(answer.memory.public_id),
        "found": answer.found,
        "rank": answer.rank,
        "gate": answer.gate,
        "reason": answer.reason,
        "query_used": answer.query_used,
        "query_terms": [
            {
                "text": term.text,
                "kind": term.kind,
                "required": term.required,
                "also": list(term.also),
                "bigrams": list(term.bigrams),
            }
            for term in answer.query_terms
        ],
        "memory_terms": {
            "words": answer.memory_terms.words,
            "bigrams": answer.memory_terms.bigrams,
        },
        "shared": [
            {"term": match.term, "as": match.how, "weight": match.weight} for match in answer.shared
        ],
        "advice": [advice.as_dict() for advice in answer.advice],
    }


def _then(memory: Memory, moment: datetime | None) -> Memory | None:
    return memory if moment is None else as_it_was({memory.pk: memory}, moment).get(memory.pk)
