"""Sharing one recall record: exported under seal, verified by whoever has it."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema
from ninja.errors import HttpError

from memory.recall.recorder import recorder
from memory.recall.sealed import export
from memory.recall.verify import NotJson, UnreadableDocument, as_dict, read_document, verify
from memory.write.proposal import InvalidInput

from .auth import needs
from .problems import READ_ONE, Problem
from .recalls import find
from .reply import reply

router = Router(tags=["recall"])


class OutcomeDocument(Schema):
    fields: dict[str, dict[str, Any]]
    digest: str


class RecallDocument(Schema):
    """Each of `fields` is `{value, salt}` or, where it is kept back, `{sha256}`. `digest` is the
    record's own; `outcome` came later and has one over itself and the document. `erased_at`: an
    erasure took words out of the record, which was then sealed anew."""

    format: str
    id: UUID
    at: datetime
    fields: dict[str, dict[str, Any]]
    outcome: OutcomeDocument
    digest: str
    made_at: datetime
    erased_at: datetime | None = None


class VerificationForm(Schema):
    """`valid`: the document holds by itself and does not differ from the record in the store.
    `differences` names "digest" or "outcome" where it does not hold, the fields that the store
    has otherwise, and "record.digest" where the store's own record was changed. "erased": an
    erasure took words out of the store's record since, so that it cannot tell."""

    valid: bool
    digest: str
    in_store: Literal["equal", "differs", "erased", "missing", "not_asked"]
    differences: list[str]
    redacted: list[str]


_DOCUMENT = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/RecallDocument"}}
        },
    }
}


@router.get(
    "/{recall_id}/export",
    auth=needs("read"),
    response={200: RecallDocument, READ_ONE: Problem},
)
def export_recall(request, recall_id: UUID, redact: bool = False):
    """One record as a document that can be verified. With `redact` every text and name of a
    person is there only as a hash. Needs `read`."""
    kept = find(request, recall_id)
    name = f"recall-{kept.public_id}{'-redacted' if redact else ''}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return reply(export(kept, redact), headers=headers)


@router.post(
    "/verify",
    auth=needs("read"),
    response={200: VerificationForm, READ_ONE - {404} | {400, 413}: Problem},
    openapi_extra=_DOCUMENT,
)
def verify_recall(request):
    """Whether a document is as it was exported, and whether its record here is still as it says.
    Changes nothing. Needs `read`."""
    recorder.settle()
    try:
        result = verify(read_document(request.body), request.scope)
    except NotJson as error:
        raise HttpError(400, f"the document {error}") from error
    except UnreadableDocument as error:
        raise InvalidInput([("", f"the document {error}")]) from error
    return reply(as_dict(result))
