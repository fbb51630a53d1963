"""A recorded recall asked again: of the store as it was, and of the store as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime

from memory import clock
from memory.models import Batch, Recall, Scope

from .cause import Cause, Causes
from .look import Look, look, was_cut
from .question import Question
from .rank import PROFILES
from .request import DEFAULT_BUDGET, DEFAULT_LIMIT, RecallRequest
from .trigger import Trigger


@dataclass(frozen=True)
class Placed:
    memory_id: UUID
    rank: int
    score: float


@dataclass(frozen=True)
class Move:
    """One memory that is served at another rank now; a rank of None: not served."""

    memory_id: UUID
    was_rank: int | None
    now_rank: int | None
    cause: Cause


@dataclass(frozen=True)
class Replay:
    """`then` is what the record says, `as_it_was` the same worked out anew from the store as of
    that time, `now` from the present one. `equal`: `as_it_was` has the record's ids in the
    record's order. `moves` tell each difference between `then` and `now`."""

    record: Recall
    then: tuple[Placed, ...]
    as_it_was: tuple[Placed, ...]
    now: tuple[Placed, ...]
    equal: bool
    moves: tuple[Move, ...]


def replay(scope: Scope, record: Recall) -> Replay:
    """Ask a recorded question again, as it was used, with the record's filters, profile, limit
    and budget; no new record is kept.

    Raises `ScopeError` for a record of another user, `InvalidRequest` when the record's profile
    or kinds are no longer known.
    """
    candidates = list(record.candidates.order_by("rank", "id"))
    then = tuple(Placed(row.memory_id, row.rank, row.score) for row in candidates if row.was_served)
    question = Question(Trigger(record.triggered, record.trigger_reason), record.query_used)
    request = request_of(scope.narrow(record.user_id), record)
    past, moment = record.as_of or record.at, clock.now()
    # Which rows the search lets in when it cuts depends on rows of other users: that is taken
    # from the record.
    ranked = {row.memory_id for row in candidates if row.gate in ("", "limit", "budget")}
    among = ranked if was_cut(len(ranked)) else None
    as_it_was = _served(look(request, past, question=question, past=past, among=among))
    if record.as_of is not None:
        now = aged = _served(look(request, past, question=question, past=past))
    else:
        now = _served(look(request, moment, question=question))
        aged = _served(look(request, moment, question=question, past=past, among=among))
    return Replay(
        record,
        then,
        as_it_was,
        now,
        [placed.memory_id for placed in as_it_was] == [placed.memory_id for placed in then],
        _moves(request.scope, record, (then, as_it_was, aged, now)),
    )


def request_of(scope: Scope, record: Recall) -> RecallRequest:
    """What a record was asked."""
    kept = record.filters
    moments = {name: kept[name] and parse_datetime(kept[name]) for name in _MOMENTS & kept.keys()}
    return RecallRequest(
        scope,
        record.query,
        agent_id=record.agent_id,
        session_id=record.session_id,
        limit=kept.get("limit", DEFAULT_LIMIT),
        kinds=tuple(kept.get("kinds", ())),
        domains=tuple(kept.get("domains", ())),
        as_of=record.as_of,
        profile=record.profile,
        budget_tokens=kept.get("budget_tokens", DEFAULT_BUDGET),
        prompt_tokens=kept.get("prompt_tokens"),
        **moments,
    ).checked(tuple(PROFILES))


_MOMENTS = {"since", "until"}


def as_dict(answer: Replay) -> dict[str, Any]:
    """The answer as plain data, the same for HTTP and the command."""
    return {
        "recall_id": str(answer.record.public_id),
        "at": answer.record.at.isoformat(),
        "equal": answer.equal,
        "then": [_placed_form(placed) for placed in answer.then],
        "as_it_was": [_placed_form(placed) for placed in answer.as_it_was],
        "now": [_placed_form(placed) for placed in answer.now],
        "moves": [
            {
                "memory_id": str(move.memory_id),
                "was_rank": move.was_rank,
                "now_rank": move.now_rank,
                "cause": move.cause.kind,
                "batches": [_batch_form(batch) for batch in move.cause.batches],
            }
            for move in answer.moves
        ],
    }


def _served(seen: Look) -> tuple[Placed, ...]:
    return tuple(
        Placed(item.memory.public_id, rank, item.score)
        for rank, item in enumerate(seen.context.kept, start=1)
    )


def _moves(
    scope: Scope, record: Recall, rankings: tuple[Sequence[Placed], ...]
) -> tuple[Move, ...]:
    then, as_it_was, aged, now = (
        {placed.memory_id: placed.rank for placed in ranking} for ranking in rankings
    )
    moved = [memory_id for memory_id in then | now if then.get(memory_id) != now.get(memory_id)]
    if not moved:
        return ()
    causes = Causes(scope, record, then=then, as_it_was=as_it_was, aged=aged, now=now)
    return tuple(
        Move(memory_id, then.get(memory_id), now.get(memory_id), causes.of(memory_id))
        for memory_id in moved
    )


def _placed_form(placed: Placed) -> dict[str, Any]:
    return {
        "memory_id": str(placed.memory_id),
        "rank": placed.rank,
        "score": placed.score,
    }


def _batch_form(batch: Batch) -> dict[str, Any]:
    return {
        "id": str(batch.public_id),
        "at": batch.at.isoformat(),
        "verb": batch.verb,
        "actor": batch.actor,
        "reason": batch.reason,
    }
