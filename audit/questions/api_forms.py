"""What the API takes and gives of acceptance questions."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from audit.models import Question, QuestionKind, QuestionResult, QuestionRun
from memory.api.fields import Body, Name, UserId
from memory.api.form import iso
from memory.api.paging import Paging

from .manage import NOTE_LIMIT, TEXT_LIMIT, VALUE_LIMIT, VALUES

CHOSEN = 200
Value = Annotated[str, Field(max_length=VALUE_LIMIT, coerce_numbers_to_str=True)]
Values = Annotated[list[Value], Field(max_length=VALUES)]
KindName = Literal[tuple(QuestionKind.values)]
Text = Annotated[str, Field(min_length=1, max_length=TEXT_LIMIT)]
Said = Annotated[str, Field(max_length=TEXT_LIMIT)]
Note = Annotated[str, Field(max_length=NOTE_LIMIT)]


class QuestionIn(Body):
    """Every `expected` value must stand in the context of a recall for `text`, no `forbidden` one.
    `kind` says how that is judged: "preference" (of `now_said`, the user's present words, against
    the forbidden old preference), "expired", "confusion", "negation" or "plain"."""

    user_id: UserId | None = None
    text: Text
    kind: KindName = QuestionKind.PLAIN.value
    expected: Values = []
    forbidden: Values = []
    agent_id: Name = ""
    session_id: Name = ""
    now_said: Said = ""
    note: Note = ""


class QuestionPatch(Body):
    """What is left out stays as it is. `archived`: whether it is asked no more."""

    user_id: UserId | None = None
    text: Text | None = None
    kind: KindName | None = None
    expected: Values | None = None
    forbidden: Values | None = None
    agent_id: Name | None = None
    session_id: Name | None = None
    now_said: Said | None = None
    note: Note | None = None
    archived: bool | None = Field(None, strict=True)


class RunIn(Body):
    """Which to ask: those of one user, those of these `ids`, or all."""

    user_id: UserId | None = None
    ids: list[UUID] | None = Field(None, min_length=1, max_length=CHOSEN)


class QuestionForm(Schema):
    """`last_passed`: how it did when it was last asked, null before."""

    id: UUID
    user_id: str
    agent_id: str
    session_id: str
    text: str
    kind: KindName
    expected: list[str]
    forbidden: list[str]
    now_said: str
    note: str
    from_recall: UUID | None
    from_correction: UUID | None
    at: datetime
    actor: str
    archived_at: datetime | None
    last_passed: bool | None
    last_at: datetime | None


class OneResult(Schema):
    """`missing`: expected values that the context lacked; `present`: forbidden ones in it."""

    run_id: UUID
    at: datetime
    passed: bool
    missing: list[str]
    present: list[str]
    recall_id: UUID | None


class FullQuestion(QuestionForm):
    """With its newest results."""

    results: list[OneResult]


class RunForm(Schema):
    """An empty run has not passed. Of a key bound to a user: the results of that user alone."""

    id: UUID
    at: datetime
    actor: str
    surface: str
    total: int
    failed: int
    passed: bool
    took_ms: float


class ResultForm(Schema):
    question_id: UUID
    user_id: str
    kind: KindName
    text: str
    passed: bool
    missing: list[str]
    present: list[str]
    recall_id: UUID | None


class FullRun(RunForm):
    """With its results, the failed ones first."""

    results: list[ResultForm]


class Asked(Paging):
    """`result`: how a question did when it was last asked."""

    user_id: UserId | None = None
    kind: KindName | None = None
    result: Literal["passed", "failed", "never"] | None = None
    archived: bool = False


def question_form(one: Question) -> dict[str, Any]:
    same = (
        "user_id", "agent_id", "session_id", "text", "kind", "expected", "forbidden", "now_said",
        "note", "actor", "last_passed",
    )  # fmt: skip
    return {
        "id": str(one.public_id),
        **{name: getattr(one, name) for name in same},
        "from_recall": _id(one.from_recall),
        "from_correction": _id(one.from_correction),
        "at": iso(one.at),
        "archived_at": iso(one.archived_at),
        "last_at": iso(one.last_at),
    }


def result_of_one(row: QuestionResult) -> dict[str, Any]:
    return {
        "run_id": str(row.run.public_id),
        "at": iso(row.run.at),
        "passed": row.passed,
        "missing": row.missing,
        "present": row.present,
        "recall_id": _id(row.recall_id),
    }


def run_form(one: QuestionRun) -> dict[str, Any]:
    total = getattr(one, "own_total", one.total)
    failed = getattr(one, "own_failed", one.failed)
    return {
        "id": str(one.public_id),
        "at": iso(one.at),
        "actor": one.actor,
        "surface": one.surface,
        "total": total,
        "failed": failed,
        "passed": total > 0 and failed == 0,
        "took_ms": one.took_ms,
    }


def result_form(row: QuestionResult) -> dict[str, Any]:
    asked = row.question
    return {
        "question_id": str(asked.public_id),
        "user_id": asked.user_id,
        "kind": asked.kind,
        "text": asked.text,
        "passed": row.passed,
        "missing": row.missing,
        "present": row.present,
        "recall_id": _id(row.recall_id),
    }


def _id(value: UUID | None) -> str | None:
    return str(value) if value else None
