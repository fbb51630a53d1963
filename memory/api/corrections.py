"""Corrections in plain words: a preview, then exactly that, or nothing."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Query, Router, Schema
from pydantic import Field, StringConstraints, model_validator

from memory.models import Correction, CorrectionState, CorrectionVerdict, Memory, Recall, Status
from memory.recall.recorder import recorder
from memory.write.correction.preview import is_expired, needed_count
from memory.write.correction.reading import CHARACTERS
from memory.write.correction.road import (
    Choice,
    apply_correction,
    dismiss_correction,
    find_correction,
    propose,
)
from memory.write.plan import Applied
from memory.write.proposal import InvalidInput
from memory.write.resolve import Outcome

from .auth import needs
from .changed import Changed, changed_form
from .fields import Body, Name, NewValue, Reason, Reasoned, UserId
from .form import MemoryForm, iso, memory_forms
from .paging import Page, Paging, counted, page_form, page_of
from .problems import READ, READ_ONE, WRITE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["corrections"])

Utterance = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=CHARACTERS)
]


class CorrectionIn(Body):
    """What the user said. The session, or the recall that it answers, tells what is talked of."""

    text: Utterance
    user_id: UserId | None = None
    session_id: Name = ""
    agent_id: Name = ""
    recall_id: UUID | None = None


class ApplyIn(Body):
    """`confirm_count` where more than one fact changes. Of an ambiguous correction `memory_id`
    says which candidate is meant, and `value` or `retract` what is right where it did not say."""

    confirm_count: int | None = Field(None, strict=True, ge=1)
    memory_id: UUID | None = None
    value: NewValue | None = None
    retract: bool = Field(False, strict=True)
    reason: Reason = ""

    @model_validator(mode="after")
    def _of_a_choice(self):
        if self.memory_id is None and (self.value is not None or self.retract):
            raise ValueError("value and retract are about a memory_id")
        return self

    def choice(self) -> Choice | None:
        if self.memory_id is None:
            return None
        return Choice(self.memory_id, self.value, self.retract)


class Change(Schema):
    """What becomes of every target; "several": of each another thing, see `changes`."""

    action: Literal["replace", "retract", "several", "none"]
    value: str | None


class OneChange(Schema):
    """`revision`: the one that was previewed. A replace without a value: it is still to be said."""

    memory_id: UUID
    revision: int
    action: Literal["replace", "retract"]
    value: str | None


class CorrectionFilters(Paging):
    """`state` as it is kept: an open one may have expired, which its own `state` says."""

    user_id: UserId | None = None
    state: Literal[tuple(CorrectionState.values)] | None = None


class CorrectionRow(Schema):
    """A correction without its targets."""

    id: UUID
    user_id: str
    session_id: str
    agent_id: str
    text: str
    verdict: Literal[tuple(CorrectionVerdict.values)]
    reason: str
    message: str
    count: int
    cap: int
    blocked: bool
    state: Literal[(*CorrectionState.values, "expired")]
    at: datetime
    expires_at: datetime
    batch_id: UUID | None


class CorrectionForm(CorrectionRow):
    """`targets` change, in the order of `changes`; `candidates` are asked about, with what they
    would become in `options`. `count` is how many facts it is about; above `cap` it is `blocked`.
    `confirm_count` is what applying must repeat, null where nothing."""

    change: Change
    changes: list[OneChange]
    targets: list[MemoryForm]
    options: list[OneChange]
    candidates: list[MemoryForm]
    confirm_count: int | None


class AppliedForm(Changed):
    """`undo` is the address that takes the whole batch back."""

    undo: str


@router.post("", auth=needs("correct"), response={201: CorrectionForm, WRITE: Problem})
def preview(request, body: CorrectionIn):
    """Understand what a user says is wrong. Nothing has changed yet. Needs `correct`."""
    scope = request.scope.narrow(body.user_id)
    if scope.user_id is None:
        raise InvalidInput([("user_id", "a correction is always for one user")])
    recall = _recall(scope, body.recall_id)
    said = {
        "session_id": body.session_id or (recall.session_id if recall else ""),
        "agent_id": body.agent_id or (recall.agent_id if recall else ""),
    }
    found = propose(scope, body.text, recall=recall, **said)
    return reply(correction_form(request, found), 201)


@router.get("", auth=needs("read"), response={200: Page[CorrectionRow], READ: Problem})
def list_corrections(request, asked: Query[CorrectionFilters]):
    """What was said to be wrong and what came of it, newest first. Needs `read`."""
    rows = Correction.objects.within(request.scope.narrow(asked.user_id))
    rows = rows.filter(state=asked.state) if asked.state else rows
    found, after = page_of(rows.select_related("batch"), "-id", asked)
    return reply(page_form([_row_form(row) for row in found], after, counted(rows)))


@router.get(
    "/{correction_id}", auth=needs("read"), response={200: CorrectionForm, READ_ONE: Problem}
)
def read(request, correction_id: UUID):
    """One correction with its targets as they are now. Needs `read`."""
    return reply(correction_form(request, find_correction(request.scope, correction_id)))


@router.post(
    "/{correction_id}/apply",
    auth=needs("correct"),
    response={200: AppliedForm, WRITE_ONE | {410}: Problem},
)
def apply(request, correction_id: UUID, body: ApplyIn | None = None):
    """Change exactly what was previewed, as one batch. 409 `stale_plan` names the `memories` that
    moved meanwhile, `already_applied` the batch in `batches`; 410 once expired. A new value that
    a person has to look at first is held and supersedes nothing yet. Needs `correct`."""
    body = body or ApplyIn()
    applied = apply_correction(
        request.scope,
        find_correction(request.scope, correction_id),
        reason=body.reason,
        confirm_count=body.confirm_count,
        choice=body.choice(),
    )
    undo = f"/api/v1/batches/{applied.batch.public_id}/undo"
    return reply(changed_form(request, applied.batch, outcomes(applied)) | {"undo": undo})


@router.post(
    "/{correction_id}/dismiss",
    auth=needs("correct"),
    response={200: CorrectionForm, WRITE_ONE: Problem},
)
def dismiss(request, correction_id: UUID, body: Reasoned | None = None):
    """Close it; nothing changes. Needs `correct`."""
    found = find_correction(request.scope, correction_id)
    found = dismiss_correction(request.scope, found, body.reason if body else "")
    return reply(correction_form(request, found))


def correction_form(request, found: Correction) -> dict[str, Any]:
    entries = [*found.targets, *found.candidates]
    wanted = [entry["id"] for entry in entries]
    rows = Memory.objects.within(request.scope).filter(public_id__in=wanted)
    forms = {str(key): form for key, form in memory_forms(request, rows).items()}
    return _row_form(found) | {
        "change": {name: found.change.get(name) for name in ("action", "value")},
        "changes": [_one_change(entry) for entry in found.targets],
        "targets": _listed(found.targets, forms),
        "options": [_one_change(entry) for entry in found.candidates],
        "candidates": _listed(found.candidates, forms),
        "confirm_count": needed_count(found),
    }


def _row_form(found: Correction) -> dict[str, Any]:
    same = (
        "user_id", "session_id", "agent_id", "text", "verdict", "reason", "message", "count",
        "cap", "blocked",
    )  # fmt: skip
    return {
        "id": str(found.public_id),
        **{name: getattr(found, name) for name in same},
        "state": "expired" if is_expired(found) else found.state,
        "at": iso(found.at),
        "expires_at": iso(found.expires_at),
        "batch_id": str(found.batch.public_id) if found.batch else None,
    }


def outcomes(applied: Applied) -> list[Outcome]:
    """What became of each fact: superseded with what it was before, retracted, or, where a person
    has to look at the new value first, held."""
    rows = applied.memories
    new = {Status.ACTIVE: "superseded"}
    return [
        Outcome(new.get(row.status, row.status), row, rows.get(row.supersedes_id))
        for row in rows.values()
        if row.status != Status.SUPERSEDED
    ]


def _one_change(entry: dict[str, Any]) -> dict[str, Any]:
    sets = entry["set"]
    return {
        "memory_id": entry["id"],
        "revision": entry["revision"],
        "action": "retract" if "status" in sets else "replace",
        "value": sets.get("value"),
    }


def _listed(entries: list[dict[str, Any]], forms: dict[str, dict]) -> list[dict[str, Any]]:
    return [forms[entry["id"]] for entry in entries if entry["id"] in forms]


def _recall(scope, recall_id: UUID | None) -> Recall | None:
    if recall_id is None:
        return None
    recorder.settle()
    found = Recall.objects.within(scope).filter(public_id=recall_id).first()
    if found is None:
        raise InvalidInput([("recall_id", "no such recall of this user")])
    return found
