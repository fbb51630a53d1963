"""The turns of a recall record and of its replay, as the console shows them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext_lazy

from memory.models import Batch, RecallCandidate, Scope, Turn
from memory.recall.turn_replay import TurnMove, TurnsAgain

from .marks import marked

SHOWN = 1000
BATCHES_SHOWN = 5
# The gates of turns alone; the others are those of memories.
GATES = {
    "superseded": (
        gettext_lazy("superseded"),
        gettext_lazy("memory has moved on from what it says"),
    ),
    "same": (gettext_lazy("same"), gettext_lazy("a memory that was given says it")),
}
CAUSES = {
    "batch": gettext_lazy("a memory that keeps it back was changed"),
    "policy": gettext_lazy("nothing was changed: time went on"),
    "others": gettext_lazy("memories beside it were changed, or more turns were said"),
}


@dataclass(frozen=True)
class ShownTurn:
    """One candidate with its turn (None: gone since) as far as the scope may see it. `pieces` are
    its head cut where terms matched; `because` is the memory that moved on from it, if any."""

    candidate: RecallCandidate
    turn: Turn | None
    pieces: list[tuple[str, bool]]
    is_cut: bool
    parts: list[tuple[str, float]]
    gate: str
    why: str
    because: UUID | None


@dataclass(frozen=True)
class MovedTurn:
    """A turn that is given at another rank now; the newest of the batches behind it first."""

    move: TurnMove
    turn: Turn | None
    cause: str
    batches: Sequence[Batch]


def shown_turns(
    scope: Scope,
    found: Iterable[RecallCandidate],
    parts: dict[str, str],
    gates: dict[str, tuple[str, str]],
) -> list[ShownTurn]:
    """The turns among a record's candidates, in the order given; one query. `parts` and `gates`
    are names in the reader's language."""
    rows = [candidate for candidate in found if candidate.turn_id]
    turns = _turns(scope, (candidate.turn_id for candidate in rows))
    return [_shown(row, turns.get(row.turn_id), parts, gates | GATES) for row in rows]


def moved_turns(scope: Scope, answer: TurnsAgain) -> list[MovedTurn]:
    """What moved among the turns of a replay; one query."""
    turns = _turns(scope, (move.turn_id for move in answer.moves))
    return [
        MovedTurn(
            move,
            turns.get(move.turn_id),
            CAUSES[move.cause.kind],
            move.cause.batches[::-1][:BATCHES_SHOWN],
        )
        for move in answer.moves
    ]


def _turns(scope: Scope, turn_ids: Iterable[UUID]) -> dict[UUID, Turn]:
    rows = Turn.objects.within(scope).filter(public_id__in=set(turn_ids))
    return {row.public_id: row for row in rows}


def _shown(
    candidate: RecallCandidate,
    turn: Turn | None,
    parts: dict[str, str],
    gates: dict[str, tuple[str, str]],
) -> ShownTurn:
    gate, why = gates.get(candidate.gate, (candidate.gate, candidate.reason))
    text = turn.content[:SHOWN] if turn else ""
    return ShownTurn(
        candidate,
        turn,
        marked(text, {term for term, _how in candidate.matched}),
        turn is not None and len(turn.content) > SHOWN,
        [(parts.get(name, name), value) for name, value in candidate.parts.items()],
        gate,
        why,
        _named(candidate.reason) if candidate.gate == "superseded" else None,
    )


def _named(reason: str) -> UUID | None:
    """The memory that the road names at the end of its reason."""
    try:
        return UUID(reason.rpartition(" ")[2])
    except ValueError:
        return None
