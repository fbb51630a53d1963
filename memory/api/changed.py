"""What every change answers: its batch, and what became of each memory."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from ninja import Schema

from memory.models import Batch
from memory.write.resolve import Outcome

from .form import MemoryForm, memory_forms

SKIPPED = Outcome("skipped", None, None, "no_statement")

Action = Literal[
    "added", "superseded", "confirmed", "merged", "candidate", "quarantined", "rejected",
    "skipped", "retracted", "restored", "undone",
]  # fmt: skip


class Result(Schema):
    """What became of one thing offered. A late observation is "superseded" with no `previous`
    and the reason "older_observation": it went straight to history."""

    action: Action
    memory: MemoryForm | None
    previous: MemoryForm | None
    reason: str | None


class Changed(Schema):
    """`batch_id` is null when nothing changed."""

    batch_id: UUID | None
    results: list[Result]


def changed_form(
    request, batch: Batch | None, outcomes: Sequence[Outcome | None]
) -> dict[str, Any]:
    """The answer for these outcomes, in order; None is a message that said nothing to keep."""
    outcomes = [outcome or SKIPPED for outcome in outcomes]
    touched = [row for told in outcomes for row in (told.memory, told.previous) if row]
    forms = memory_forms(request, touched)
    return {
        "batch_id": str(batch.public_id) if batch else None,
        "results": [
            {
                "action": told.action,
                "memory": told.memory and forms[told.memory.public_id],
                "previous": told.previous and forms[told.previous.public_id],
                "reason": told.reason or None,
            }
            for told in outcomes
        ],
    }
