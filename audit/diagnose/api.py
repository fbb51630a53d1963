"""Diagnosis over HTTP."""

from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from memory.api.auth import needs
from memory.api.fields import Body, Moment, Name, UserId
from memory.api.problems import READ_ONE, Problem
from memory.api.recalls import find as find_recall
from memory.api.reply import reply
from memory.recall.request import QUERY_LIMIT
from memory.write.proposal import TEXT_LIMIT, InvalidInput

from .case import Case, open_case
from .registry import symptoms
from .run import diagnose
from .told import as_dict

router = Router(tags=["diagnose"])
SymptomName = Literal[tuple(symptoms())]


class DiagnoseIn(Body):
    """A question with its user, or a recall record; `memory_id` is the memory that it is about,
    `answer` what the model said, where the record does not have it."""

    symptom: SymptomName
    query: str = Field("", max_length=QUERY_LIMIT)
    user_id: UserId | None = None
    agent_id: Name = ""
    session_id: Name = ""
    as_of: Moment | None = None
    recall_id: UUID | None = None
    memory_id: UUID | None = None
    answer: str = Field("", max_length=TEXT_LIMIT)


class EvidenceForm(Schema):
    kind: str
    text: str
    id: str | None
    url: str | None


class FixForm(Schema):
    """`url` is a page of the console; null where only a command does it. `advice` is the change
    as why-not gives it."""

    kind: str
    sentence: str
    url: str | None
    advice: dict[str, Any] | None = None


class StepForm(Schema):
    """`link`: retrieval, rank, freshness, context or model; `verdict`: fine, cause or
    cannot_tell."""

    link: str
    verdict: str
    sentence: str
    evidence: list[EvidenceForm]
    fixes: list[FixForm]


class DiagnosisForm(Schema):
    """`cause` is the first link that is one, null where none was found."""

    symptom: str
    title: str
    query: str
    user_id: str
    recall_id: UUID | None
    memory_id: UUID | None
    cause: str | None
    sentence: str
    steps: list[StepForm]


@router.post("", auth=needs("read"), response={200: DiagnosisForm, READ_ONE | {400, 413}: Problem})
def ask(request, body: DiagnoseIn):
    """Why an answer went wrong: the chain from retrieval to the model, asked of the store as it
    is. Changes and records nothing. Needs `read`."""
    return reply(as_dict(diagnose(body.symptom, _case(request, body))))


def _case(request, body: DiagnoseIn) -> Case:
    if body.recall_id is None and not body.query.strip():
        raise InvalidInput([("query", "give a question, or the id of a recall")])
    if body.recall_id is not None and body.query:
        raise InvalidInput([("query", "the record has its own question")])
    said = body.model_dump(exclude={"symptom", "recall_id"})
    record = find_recall(request, body.recall_id) if body.recall_id else None
    if record is None and request.scope.narrow(body.user_id).user_id is None:
        raise InvalidInput([("user_id", "a recall is always for one user")])
    return open_case(request.scope, record=record, **said)
