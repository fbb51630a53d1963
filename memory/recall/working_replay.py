"""The working memory of a recorded recall, beside what its session holds now."""

from dataclasses import dataclass
from typing import Any

from memory.models import Recall
from memory.write.working import AtHand, recorded

from .lines import IMMEDIATE
from .look import Look


@dataclass(frozen=True)
class WorkingMove:
    """A key that is given otherwise now. Its cause: "expired" (its time is over, or it was
    removed), "changed" (another value stands under it), "added", or "others" (it is there, but the
    context gives other things)."""

    key: str
    cause: str


@dataclass(frozen=True)
class WorkingAgain:
    """As the fields of `Replay`, of working memory; `equal` are the ids and their order."""

    then: tuple[AtHand, ...]
    now: tuple[AtHand, ...]
    equal: bool
    moves: tuple[WorkingMove, ...]


def working_again(
    record: Recall, anew: Look, present: Look, held: tuple[AtHand, ...]
) -> WorkingAgain:
    """What the record gave beside the same look `anew` and the `present` one; `held` is all that
    the session holds now."""
    shown = record.blocks.get(IMMEDIATE, ())
    kept = {one.id: one for one in recorded(record.terms.get("working"))}
    then = tuple(kept[one] for one in shown if one in kept)
    now = present.context.working
    again = [one for one in anew.context.blocks[IMMEDIATE] if one in kept]
    held_now = {one.key: one.id for one in held}
    given_now = {one.id for one in now}
    moves = []
    for one in then:
        if held_now.get(one.key) != one.id:
            moves.append(WorkingMove(one.key, "changed" if one.key in held_now else "expired"))
        elif one.id not in given_now:
            moves.append(WorkingMove(one.key, "others"))
    known = {one.key for one in then}
    moves += [WorkingMove(one.key, "added") for one in now if one.key not in known]
    return WorkingAgain(then, now, again == [one.id for one in then], tuple(moves))


def working_form(answer: WorkingAgain) -> dict[str, Any]:
    """The answer as plain data, without the values."""
    return {
        "then": [one.key for one in answer.then],
        "now": [one.key for one in answer.now],
        "moves": [{"key": move.key, "cause": move.cause} for move in answer.moves],
    }
