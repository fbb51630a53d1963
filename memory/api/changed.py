"""What every change answers: its batch, and what became of each memory."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from ninja import Schema

from memory.models import Batch
from memory.write.outcome import Outcome

from .form import MemoryForm, memory_forms

Action = Literal[
    "added", "superseded", "confirmed", "merged", "candidate", "quarantined", "rejected",
    "skipped", "retracted", "restored", "undone", "approved",
]  # fmt: skip


class Result(Schema):
    """What became of one thing offered.

    "candidate" and "quarantined" are kept but not recalled: `memory.held_for` says why, and a
    candidate with the reason "lower_trust" leaves `previous` current. "rejected" is not kept at
    all, "skipped" only as a turn. `turn_id` is the turn that it was read from. A late observation
    is "superseded" with no `previous` and the reason "older_observation": it went straight to
    history. What a user took back in a dialogue has the reason "correction: ID"; where it is not
    clear what is meant, the turn is "skipped" for "correction_open: ID", which waits for an answer.
    """

    action: Action
    memory: MemoryForm | None
    previous: MemoryForm | None
    reason: str | None
    turn_id: UUID | None = None


class Changed(Schema):
    """`batch_id` is null when nothing changed; a POST to `undo_url` takes the batch back."""

    batch_id: UUID | None
    undo_url: str | None
    results: list[Result]


class Remembered(Changed):
    """`queued` are the turns that the configured model reads in the background: what it finds is
    not among the results."""

    queued: list[UUID]


_REFUSED = Outcome("rejected", None)


def undo_url(batch_id: UUID | str) -> str:
    """Where a batch is undone, as a path on this server."""
    return f"/api/v1/batches/{batch_id}/undo"


def changed_form(
    request, batch: Batch | None, outcomes: Sequence[Outcome | None]
) -> dict[str, Any]:
    """The answer for these outcomes, in order; None is one that was refused at the door."""
    outcomes = [outcome or _REFUSED for outcome in outcomes]
    touched = [row for told in outcomes for row in (told.memory, told.previous) if row]
    forms = memory_forms(request, touched)
    return {
        "batch_id": str(batch.public_id) if batch else None,
        "undo_url": undo_url(batch.public_id) if batch else None,
        "results": [
            {
                "action": told.action,
                "memory": told.memory and forms[told.memory.public_id],
                "previous": told.previous and forms[told.previous.public_id],
                "reason": told.reason or None,
                "turn_id": told.turn_id and str(told.turn_id),
            }
            for told in outcomes
        ],
    }
