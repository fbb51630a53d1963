"""Recall: the one question that agents ask; and why it did not find something."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from memory.models import Scope
from memory.recall import RecallRequest, recall
from memory.recall.answer import as_dict
from memory.recall.request import (
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    DEFAULT_TURNS,
    MAX_BUDGET,
    MAX_LIMIT,
    MAX_TURNS,
    QUERY_LIMIT,
)
from memory.recall.why_not import as_dict as why_not_dict
from memory.recall.why_not import why_not
from memory.write.proposal import InvalidInput

from .auth import needs
from .fields import Body, Domain, KindName, Moment, Name, UserId
from .form import MemoryForm, memory_form
from .problems import READ_ONE, WRITE, Problem
from .reply import reply

router = Router(tags=["recall"])


class RecallIn(Body):
    """`since` and `until` bound when a memory happened; `as_of` asks the store as it was then;
    `limit` bounds the memories, `turns` the turns of the dialogue log (0: none), `budget_tokens`
    the context. A turn has neither kind nor domain: `kinds` or `domains` leave out all turns."""

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
    prompt_tokens: int | None = Field(
        None, ge=0, le=10_000_000, strict=True, description="Memory is at most 30 % of the whole."
    )
    turns: int = Field(DEFAULT_TURNS, ge=0, le=MAX_TURNS, strict=True)


class MatchedTerm(Schema):
    term: str
    how: str = Field(alias="as")
    weight: float


class Bridge(Schema):
    """A name that two memories share; `memory_id` is the one that the question's words found."""

    name: str
    memory_id: UUID


class RecalledMemory(Schema):
    """`parts` add up to `score`. `through` is there where a second hop brought a memory or lifted
    it: the name that led to it, and the memory of the first hop that names it too. Where meaning is
    compared beside words: `matched_by` is words, meaning, both, link (only the second hop found it)
    or day (it only happened on the day asked about), and `cosine` how near its vector lies to the
    question's, null where it has none yet."""

    rank: int
    score: float
    parts: dict[str, float]
    matched_terms: list[MatchedTerm]
    matched_by: str | None = None
    cosine: float | None = None
    through: Bridge | None = None
    memory: MemoryForm


class SaidTurn(Schema):
    id: UUID
    role: str
    content: str
    session_id: str
    agent_id: str
    occurred_at: datetime


class RecalledTurn(Schema):
    """A turn of the dialogue log, ranked among turns only. `parts` add up to `score`."""

    rank: int
    score: float
    parts: dict[str, float]
    matched_terms: list[MatchedTerm]
    turn: SaidTurn


class Dropped(Schema):
    """A memory, or with `turn` a turn, that matched and was kept back. Gates of turns alone:
    "superseded" (memory has moved on from what it says; the reason names that memory) and "same"
    (a memory that is given says it)."""

    id: UUID
    turn: bool
    gate: str
    reason: str


class Terms(Schema):
    used: list[str]
    dropped: list[dict[str, str]]
    truncated: bool


class WorkingKey(Schema):
    """A key of the session's working memory that the context gives; `id` stands in `blocks`."""

    id: UUID
    key: str


class Context(Schema):
    text: str
    tokens: int
    counted_by: str
    blocks: dict[str, Any]
    working: list[WorkingKey]


class Move(Schema):
    """One of the three fixed ways in which a question is rewritten: pronoun, qualifier, domain."""

    kind: str
    before: str
    after: str
    because: str


class Meaning(Schema):
    """The model that compared meanings. `problem`: why it did not this time, and words alone were
    used: loading, timeout, refused, http_500 and so on."""

    model: str
    problem: str


class RecallAnswer(Schema):
    """`meaning`, `matched_by` and `cosine` are there only where the server compares meaning."""

    recall_id: UUID
    triggered: bool
    trigger_reason: str
    query_used: str
    moves: list[Move]
    filters: dict[str, Any]
    terms: Terms
    meaning: Meaning | None = None
    items: list[RecalledMemory]
    turns: list[RecalledTurn]
    dropped: list[Dropped]
    context: Context
    took_ms: float


class WhyNotIn(RecallIn):
    """The question as it was asked, and the memory that was missed."""

    memory_id: UUID


class AskedTerm(Schema):
    """A term of the question: found as `text`, as one of `also`, or as `bigrams` in a row."""

    text: str
    kind: str
    required: bool
    also: list[str]
    bigrams: list[str]


class HeldTerms(Schema):
    words: list[str]
    bigrams: list[str]


class WhyNotAnswer(Schema):
    """`gate` is the first that dropped the memory, "" where it is served. `advice` lists the
    changes that together recall it, each with a `kind`, a `sentence` and what it takes."""

    memory_id: UUID
    found: bool
    rank: int | None
    gate: str
    reason: str
    query_used: str
    query_terms: list[AskedTerm]
    memory_terms: HeldTerms
    shared: list[MatchedTerm]
    advice: list[dict[str, Any]]


@router.post("", auth=needs("read"), response={200: RecallAnswer, WRITE: Problem})
def ask(request, body: RecallIn):
    """What an agent should know to answer this, with why, and what was left out. Needs `read`."""
    scope = _of_one_user(request, body)
    answer = recall(RecallRequest(scope, **body.model_dump(exclude={"user_id"})))
    workspace, now = request.auth.workspace.name, answer.record.at
    forms = {item.memory.pk: memory_form(item.memory, workspace, now) for item in answer.items}
    headers = {"X-Recall-Id": str(answer.record.public_id)}
    return reply(as_dict(answer, forms), headers=headers)


@router.post(
    "/why-not", auth=needs("read"), response={200: WhyNotAnswer, READ_ONE | {400, 413}: Problem}
)
def ask_why_not(request, body: WhyNotIn):
    """Why this question does not recall that memory, and the smallest change by which it would.
    Changes and records nothing. Needs `read`."""
    scope = _of_one_user(request, body)
    asked = RecallRequest(scope, **body.model_dump(exclude={"user_id", "memory_id"}))
    return reply(why_not_dict(why_not(asked, body.memory_id, within=request.scope)))


def _of_one_user(request, body: RecallIn) -> Scope:
    scope = request.scope.narrow(body.user_id)
    if scope.user_id is None:
        raise InvalidInput([("user_id", "a recall is always for one user")])
    return scope
