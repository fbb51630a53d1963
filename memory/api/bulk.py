"""Write-back: what a system outside says is so now, many rows at a time."""

from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field, ValidationError

from memory.models import Scope
from memory.write.proposal import Proposal
from memory.write.sync import Errors, Told, write_back

from .auth import needs
from .changed import Result, changed_form, undo_url
from .fields import (
    Body,
    Domain,
    Importance,
    KindName,
    Metadata,
    Moment,
    Name,
    Part,
    Parts,
    Reason,
    Text,
    UserId,
    Value,
)
from .problems import WRITE, FieldError, Problem
from .reply import reply

router = Router(tags=["memories"])
MOST_ROWS = 1000


class StateIn(Body):
    """One value as the system saw it at `observed_at` (now, unless given)."""

    user_id: UserId | None = None
    agent_id: Name = ""
    entity: Part
    attribute: Part
    value: Value
    observed_at: Moment | None = None
    external_id: Part = ""
    kind: KindName = "inventory"
    domain: Domain = ""
    text: Text = ""
    tags: Parts = []
    importance: Importance | None = None
    metadata: Metadata = {}

    def proposal(self, scope: Scope) -> Proposal:
        said = self.model_dump(exclude={"observed_at", "user_id"})
        said["tags"] = tuple(said["tags"])
        user_id = self.user_id or scope.user_id or ""
        return Proposal(**said, user_id=user_id, occurred_at=self.observed_at)


class BulkIn(Body):
    """`items` are checked one by one, each as `StateIn`: a bad one is rejected, the others are
    written."""

    source: Literal["external_sync"] = "external_sync"
    user_id: UserId | None = None
    items: list[dict[str, Any]] = Field(min_length=1, max_length=MOST_ROWS)
    reason: Reason = ""


class RowResult(Result):
    """`errors` say why a row was rejected, and are null for all others."""

    errors: list[FieldError] | None


class BulkChanged(Schema):
    """A result a row, in order. Each hundred rows are a batch that can be undone; `batch_id` is
    the first of `batches`, null when nothing changed; `undo_url` undoes that one."""

    batch_id: UUID | None
    undo_url: str | None
    batches: list[UUID]
    results: list[RowResult]


@router.post("/bulk", auth=needs("write"), response={200: BulkChanged, WRITE: Problem})
def write_state(request, body: BulkIn):
    """Write what an outside system says is so, up to 1,000 rows. A new value supersedes the
    current one, which stays in the history, one row a change; an equal one only moves when it was
    last confirmed and when it expires ("confirmed"); one told before changes nothing ("skipped",
    "unchanged"); an older observation that arrives late goes to the history. The trend of a value:
    `GET /memories?entity=…&attribute=…&status=any`. Needs `write`."""
    scope = request.scope.narrow(body.user_id)
    synced = write_back(scope, [_read(item, scope) for item in body.items], reason=body.reason)
    batches = [str(batch.public_id) for batch in synced.batches]
    answer = changed_form(request, None, [one.outcome for one in synced.rows])
    for result, told in zip(answer["results"], synced.rows, strict=True):
        result |= _errors(told)
    answer |= {
        "batch_id": batches[0] if batches else None,
        "undo_url": undo_url(batches[0]) if batches else None,
        "batches": batches,
    }
    return reply(answer)


def _read(item: dict[str, Any], scope: Scope) -> Proposal | Errors:
    try:
        return StateIn.model_validate(item).proposal(scope)
    except ValidationError as error:
        # Without the input: what was refused is not said back.
        found = error.errors(include_input=False, include_url=False, include_context=False)
        return [(".".join(map(str, e["loc"])), _message(e["msg"])) for e in found]


def _message(text: str) -> str:
    return text.removeprefix("Value error, ")


def _errors(told: Told) -> dict[str, Any]:
    if told.outcome is not None:
        return {"errors": None}
    errors = [{"field": name, "message": message} for name, message in told.errors]
    return {"action": "rejected", "reason": told.code, "errors": errors}
