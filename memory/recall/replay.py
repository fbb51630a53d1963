"""A recorded recall asked again: of the store as it was, and of the store as it is."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime

from memory import clock
from memory.models import PolicyChange, Recall, RecallCandidate, Scope, policies_of
from memory.write.working import at_hand
from memory.write.working import recorded as recorded_working

from .cause import Cause, Causes, batch_form, half_lives_since
from .fusion import Near, recorded
from .hops import recorded as recorded_hops
from .look import Look, look, was_cut
from .question import Question
from .rank import PROFILES, Hop, only_reached
from .request import DEFAULT_BUDGET, DEFAULT_LIMIT, DEFAULT_TURNS, RecallRequest
from .trigger import Trigger
from .turn_replay import TurnsAgain, turns_again, turns_form
from .working_replay import WorkingAgain, working_again, working_form


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
    record's order, of memories and of turns. `moves` tell each difference between `then` and
    `now`; `turns` are the same of the dialogue log, `working` of the session's working memory."""

    record: Recall
    then: tuple[Placed, ...]
    as_it_was: tuple[Placed, ...]
    now: tuple[Placed, ...]
    equal: bool
    moves: tuple[Move, ...]
    turns: TurnsAgain
    working: WorkingAgain


@dataclass(frozen=True)
class Again:
    """A recorded question as it is asked again of the store at `past`. Which rows the search lets
    in when it cuts depends on rows of other users: then `among` has those of the record, and
    `among_turns` always has the record's turns. How `near` its candidates lay in meaning is the
    record's too: vectors are made anew, and models change; and so are its `hops`."""

    request: RecallRequest
    question: Question
    past: datetime
    among: Set[UUID] | None
    among_turns: Sequence[int] | None
    near: Near | None = None
    hops: tuple[Hop, ...] = ()

    def look(self, moment: datetime | None = None, **instead: Any) -> Look:
        """Times and freshness count from `moment`, else from the record's; `instead` as in
        `look`."""
        asked = {
            "question": self.question,
            "past": self.past,
            "among": self.among,
            "among_turns": self.among_turns,
            "near": self.near,
            "hops": self.hops,
        }
        return look(self.request, moment or self.past, **asked | instead)


def asked_again(scope: Scope, record: Recall, candidates: Sequence[RecallCandidate]) -> Again:
    """Raises as `replay` does."""
    ranked = {
        row.memory_id
        for row in candidates
        if row.memory_id and row.gate in ("", "limit", "budget") and not only_reached(row.parts)
    }
    near = recorded(record.terms.get("meaning"))
    return Again(
        request_of(scope.narrow(record.user_id), record),
        Question(Trigger(record.triggered, record.trigger_reason), record.query_used),
        record.as_of or record.at,
        ranked if near or was_cut(len(ranked)) else None,
        record.turns_seen,
        near,
        recorded_hops(record.terms),
    )


def replay(scope: Scope, record: Recall) -> Replay:
    """Ask a recorded question again, as it was used, with the record's filters, profile, limit
    and budget; no new record is kept.

    Raises `ScopeError` for a record of another user, `InvalidRequest` when the record's profile
    or kinds are no longer known.
    """
    candidates = list(record.candidates.order_by("rank", "id"))
    then = tuple(
        Placed(row.memory_id, row.rank, row.score)
        for row in candidates
        if row.memory_id and row.was_served
    )
    again, moment = asked_again(scope, record, candidates), clock.now()
    anew, request = again.look(), again.request
    held = () if record.as_of else at_hand(request.scope, request.session_id)
    shifts: Sequence[PolicyChange] = ()
    if record.as_of is not None:
        present = timed = aged = again.look(among=None, among_turns=None, hops=None)
    else:
        live = replace(again, request=replace(request, working=held))
        present = live.look(moment, past=None, among=None)
        timed = aged = again.look(moment)
        if shifts := half_lives_since(record):
            aged = again.look(moment, policies=policies_of(record.workspace_id))
    rankings = (then, *map(served, (anew, timed, aged, present)))
    turns = turns_again(request.scope, record, candidates, anew, aged, present)
    working = working_again(record, anew, present, held)
    same_ids = [placed.memory_id for placed in rankings[1]] == [p.memory_id for p in then]
    return Replay(
        record,
        then,
        rankings[1],
        rankings[-1],
        same_ids and turns.equal and working.equal,
        _moves(request.scope, record, rankings, shifts, _compared(record, present.near)),
        turns,
        working,
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
        asked_at=record.at,
        profile=record.profile,
        budget_tokens=kept.get("budget_tokens", DEFAULT_BUDGET),
        prompt_tokens=kept.get("prompt_tokens"),
        turns=kept.get("turns", DEFAULT_TURNS),
        working=recorded_working(record.terms.get("working")),
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
                "batches": [batch_form(batch) for batch in move.cause.batches],
                "policies": [_policy_form(change) for change in move.cause.policies],
            }
            for move in answer.moves
        ],
        "turns": turns_form(answer.turns),
        "working": working_form(answer.working),
    }


def served(seen: Look) -> tuple[Placed, ...]:
    """What a look would hand out, by rank."""
    return tuple(
        Placed(item.memory.public_id, rank, item.score)
        for rank, item in enumerate(seen.context.kept, start=1)
    )


def _moves(
    scope: Scope,
    record: Recall,
    rankings: tuple[Sequence[Placed], ...],
    shifts: Sequence[PolicyChange],
    compared: bool,
) -> tuple[Move, ...]:
    then, as_it_was, timed, aged, now = (
        {placed.memory_id: placed.rank for placed in ranking} for ranking in rankings
    )
    moved = [memory_id for memory_id in then | now if then.get(memory_id) != now.get(memory_id)]
    if not moved:
        return ()
    causes = Causes(
        scope, record, then=then, as_it_was=as_it_was, timed=timed, aged=aged, now=now,
        shifts=shifts, compared=compared,
    )  # fmt: skip
    return tuple(
        Move(memory_id, then.get(memory_id), now.get(memory_id), causes.of(memory_id))
        for memory_id in moved
    )


def _compared(record: Recall, now: Near | None) -> bool:
    """Whether meaning is compared otherwise than for the record."""
    then = record.terms.get("meaning") or {}
    names = (then.get("model"), then.get("problem", ""))
    return names != ((now.model, now.problem) if now else (None, ""))


def _placed_form(placed: Placed) -> dict[str, Any]:
    return {
        "memory_id": str(placed.memory_id),
        "rank": placed.rank,
        "score": placed.score,
    }


def _policy_form(change: PolicyChange) -> dict[str, Any]:
    policy = change.policy
    return {
        "kind": policy.kind,
        "domain": policy.domain,
        "version": policy.version,
        "at": policy.at.isoformat(),
        "actor": policy.actor,
        "reason": policy.reason,
        "removed": policy.removed,
        "changes": {name: list(pair) for name, pair in change.changes.items()},
    }
