"""Deciding about memories that wait: approve, reject."""

from typing import Annotated
from uuid import UUID

from ninja import Router
from pydantic import AfterValidator, StringConstraints

from memory.models import Memory
from memory.text.normalise import clean
from memory.write import queue
from memory.write.apply import apply
from memory.write.plan import Applied
from memory.write.resolve import Outcome
from memory.write.review import plan_approve, plan_reject

from .auth import needs
from .changed import Changed, changed_form
from .fields import REASON_LIMIT, Body
from .memories import find_matching
from .problems import GONE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["review"])


class Decision(Body):
    """Why. Who decides is the key, never a field."""

    reason: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=REASON_LIMIT),
        AfterValidator(lambda text: clean(text, REASON_LIMIT)),
    ]


@router.post(
    "/{memory_id}/approve",
    auth=needs("correct"),
    response={200: Changed, WRITE_ONE | GONE | {412}: Problem},
)
def approve(request, memory_id: UUID, body: Decision):
    """Make a candidate or held memory active; the current value of its key, if there is one, is
    superseded (`previous`). Where that says the same it is confirmed instead. 409 for a memory
    that does not wait. Needs `correct`."""
    with queue.turn():
        memory = find_matching(request, memory_id)
        applied = apply(plan_approve(request.scope, [memory]).plan("approve", body.reason))
    return reply(changed_form(request, applied.batch, [_approved(applied, memory)]))


@router.post(
    "/{memory_id}/reject",
    auth=needs("correct"),
    response={200: Changed, WRITE_ONE | GONE | {412}: Problem},
)
def reject(request, memory_id: UUID, body: Decision):
    """Say that a candidate or held memory is not to be remembered; it stays in the history. 409
    for a memory that does not wait. Needs `correct`."""
    with queue.turn():
        memory = find_matching(request, memory_id)
        applied = apply(plan_reject(request.scope, [memory]).plan("reject", body.reason))
    result = Outcome("rejected", applied.memories[memory_id])
    return reply(changed_form(request, applied.batch, [result]))


def _approved(applied: Applied, memory: Memory) -> Outcome:
    decided = applied.memories[memory.public_id]
    if decided.superseded_by_id is not None:
        told = applied.memories[decided.superseded_by_id]
        return Outcome("confirmed", told, decided, "exact_repeat")
    replaced = [
        row for row in applied.memories.values() if row.superseded_by_id == memory.public_id
    ]
    return Outcome("approved", decided, replaced[0] if replaced else None)
