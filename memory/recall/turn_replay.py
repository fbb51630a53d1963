"""The turns of a recorded recall asked again, and what moved each of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.models import Recall, RecallCandidate, Scope

from .cause import Cause, batch_form, batches_since
from .look import Look


@dataclass(frozen=True)
class PlacedTurn:
    turn_id: UUID
    rank: int
    score: float


@dataclass(frozen=True)
class TurnMove:
    """One turn that is given at another rank now; a rank of None: not given. Its cause is a
    "batch" where a memory that keeps it back, then or now, was changed; "policy" where time alone
    moved it; else "others": memories beside it, or turns said since."""

    turn_id: UUID
    was_rank: int | None
    now_rank: int | None
    cause: Cause


@dataclass(frozen=True)
class TurnsAgain:
    """As the fields of `Replay`, of turns."""

    then: tuple[PlacedTurn, ...]
    as_it_was: tuple[PlacedTurn, ...]
    now: tuple[PlacedTurn, ...]
    moves: tuple[TurnMove, ...]

    @property
    def equal(self) -> bool:
        return [one.turn_id for one in self.as_it_was] == [one.turn_id for one in self.then]


def turns_again(
    scope: Scope,
    record: Recall,
    candidates: Sequence[RecallCandidate],
    anew: Look,
    aged: Look,
    present: Look,
) -> TurnsAgain:
    """The record's turns beside those of the same look `anew`, the store of then `aged` to today's
    time, and the `present` one."""
    then = tuple(
        PlacedTurn(row.turn_id, row.rank, row.score)
        for row in candidates
        if row.turn_id and row.was_served
    )
    as_it_was, now = _given(anew), _given(present)
    was, older, is_now = ({one.turn_id: one.rank for one in x} for x in (then, _given(aged), now))
    moved = [turn_id for turn_id in was | is_now if was.get(turn_id) != is_now.get(turn_id)]
    if not moved:
        return TurnsAgain(then, as_it_was, now, ())
    behind = {turn_id: {*_behind(anew, turn_id), *_behind(present, turn_id)} for turn_id in moved}
    touched = batches_since(scope, record, {one for some in behind.values() for one in some})

    def cause(turn_id: UUID) -> Cause:
        batches = {batch.pk: batch for one in behind[turn_id] for batch in touched.get(one, ())}
        if batches:
            return Cause("batch", tuple(batches[pk] for pk in sorted(batches)))
        same = older.get(turn_id) == is_now.get(turn_id)
        return Cause("policy" if same else "others")

    moves = (TurnMove(one, was.get(one), is_now.get(one), cause(one)) for one in moved)
    return TurnsAgain(then, as_it_was, now, tuple(moves))


def turns_form(answer: TurnsAgain) -> dict[str, Any]:
    """The answer as plain data."""
    rankings = {"then": answer.then, "as_it_was": answer.as_it_was, "now": answer.now}
    forms = {
        name: [
            {"turn_id": str(one.turn_id), "rank": one.rank, "score": one.score} for one in ranking
        ]
        for name, ranking in rankings.items()
    }
    return forms | {
        "moves": [
            {
                "turn_id": str(move.turn_id),
                "was_rank": move.was_rank,
                "now_rank": move.now_rank,
                "cause": move.cause.kind,
                "batches": [batch_form(batch) for batch in move.cause.batches],
            }
            for move in answer.moves
        ]
    }


def _given(seen: Look) -> tuple[PlacedTurn, ...]:
    return tuple(
        PlacedTurn(item.turn.public_id, rank, item.score)
        for rank, item in enumerate(seen.context.turns, start=1)
    )


def _behind(seen: Look, turn_id: UUID) -> Iterator[UUID]:
    """The memories that a look keeps a turn back for."""
    for outdated in seen.evidence.outdated:
        if outdated.item.turn.public_id == turn_id:
            yield outdated.because
    for offered in seen.evidence.offered:
        if offered.item.turn.public_id == turn_id:
            yield from (seen.ranked[place].memory.public_id for place in offered.twins)
