"""Recall: the one question that agents ask."""

from typing import Any
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from memory.recall import RecallRequest, recall
from memory.recall.answer import as_dict
from memory.recall.request import DEFAULT_BUDGET, DEFAULT_LIMIT, MAX_BUDGET, MAX_LIMIT, QUERY_LIMIT
from memory.write.proposal import InvalidInput

from .auth import needs
from .fields import Body, Domain, KindName, Moment, Name, UserId
from .form import MemoryForm, memory_form
from .problems import WRITE, Problem
from .reply import reply

router = Router(tags=["recall"])


class RecallIn(Body):
    """`since` and `until` bound when a memory happened; `as_of` asks the store as it was then;
    `limit` bounds the memories, `budget_tokens` the context."""

    query: str = Field(max_length=QUERY_LIMIT)
    user_id: UserId | None = None
    agent_id: Name = ""
    session_id: Name = ""
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, strict=True)
    kinds: list[KindName] = Field([], max_length=20)
    domains: list[Domain] = Field([], max_length=50)
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = None
    profile: str = "balanced"
    budget_tokens: int = Field(DEFAULT_BUDGET, ge=1, le=MAX_BUDGET, strict=True)


class MatchedTerm(Schema):
    term: str
    how: str = Field(alias="as")
    weight: float


class RecalledMemory(Schema):
    """`parts` add up to `score`."""

    rank: int
    score: float
    parts: dict[str, float]
    matched_terms: list[MatchedTerm]
    memory: MemoryForm


class DroppedMemory(Schema):
    id: UUID
    gate: str
    reason: str


class Terms(Schema):
    used: list[str]
    dropped: list[dict[str, str]]
    truncated: bool


class Context(Schema):
    text: str
    tokens: int
    blocks: dict[str, Any]


class RecallAnswer(Schema):
    recall_id: UUID
    triggered: bool
    query_used: str
    terms: Terms
    items: list[RecalledMemory]
    dropped: list[DroppedMemory]
    context: Context
    took_ms: float


@router.post("", auth=needs("read"), response={200: RecallAnswer, WRITE: Problem})
def ask(request, body: RecallIn):
    """What an agent should know to answer this, with why, and what was left out. Needs `read`."""
    scope = request.scope.narrow(body.user_id)
    if scope.user_id is None:
        raise InvalidInput([("user_id", "a recall is always for one user")])
    answer = recall(RecallRequest(scope, **body.model_dump(exclude={"user_id"})))
    workspace, now = request.auth.workspace.name, answer.record.at
    forms = {item.memory.pk: memory_form(item.memory, workspace, now) for item in answer.items}
    return reply(as_dict(answer, forms))
