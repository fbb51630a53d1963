"""The recall log."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Query, Router, Schema
from pydantic import Field

from memory.models import Recall, RecallCandidate, Verdict
from memory.recall.feedback import react
from memory.recall.record import add_outcome
from memory.recall.recorder import recorder
from memory.recall.replay import as_dict, replay
from memory.text.normalise import UnstorableText, clean
from memory.write.plan import Conflict
from memory.write.proposal import NAME_LIMIT, InvalidInput
from memory.write.revise import NotFound

from .auth import needs
from .fields import Body, Moment, UserId
from .form import iso
from .paging import Page, Paging, counted, page_form, page_of
from .problems import READ, READ_ONE, WRITE_ONE, Problem
from .replay_forms import ReplayForm
from .reply import reply

router = Router(tags=["recall"])

OUTCOME_LIMIT = 400_000
FEEDBACK_LIMIT = 4000


class RecallForm(Schema):
    id: UUID
    at: datetime
    user_id: str
    agent_id: str
    session_id: str
    actor: str
    surface: str
    query: str
    query_used: str
    triggered: bool
    as_of: datetime | None
    profile: str
    tokens: int
    served: int
    took_ms: float
    answered_at: datetime | None


class CandidateForm(Schema):
    """Served with a `rank`, or dropped at a `gate`. `status` and `revision` are the memory's at
    that time; `stale` says that it should not have been served even then."""

    memory_id: UUID
    rank: int | None
    score: float | None
    parts: dict[str, float]
    matched: list[Any]
    gate: str
    reason: str
    status: str
    revision: int
    stale: bool


class TurnCandidateForm(Schema):
    """A turn of the dialogue log: given with a `rank` among turns, or dropped at a `gate`."""

    turn_id: UUID
    rank: int | None
    score: float | None
    parts: dict[str, float]
    matched: list[Any]
    gate: str
    reason: str


class FullRecall(RecallForm):
    terms: dict[str, Any]
    filters: dict[str, Any]
    analyser: str
    context: str
    prompt: str
    answer: str
    candidates: list[CandidateForm]
    turns: list[TurnCandidateForm]
    digest: str


class Outcome(Body):
    """What the model was sent and what it said."""

    prompt: str = Field("", max_length=OUTCOME_LIMIT)
    answer: str = Field(max_length=OUTCOME_LIMIT)


class OutcomeKept(Schema):
    recall_id: UUID
    answered_at: datetime


class FeedbackIn(Body):
    """Was the answer good, or what was wrong with what was recalled: a wrong memory, one whose
    time was over, or one that was missing. Left out, the verdict is told by what the user said
    (`text`). `memory_id`: which of the memories given is meant."""

    verdict: Literal[tuple(Verdict.values)] | None = None
    text: str = Field("", max_length=FEEDBACK_LIMIT)
    memory_id: UUID | None = None


class FeedbackKept(Schema):
    """`correction_id`: a correction was opened and waits to be applied. `batch_id`: the confidence
    of the one memory meant was lowered."""

    recall_id: UUID
    verdict: str
    text: str
    at: datetime
    actor: str
    correction_id: UUID | None
    batch_id: UUID | None


class RecallFilters(Paging):
    """`memory_id` shows the recalls that served that memory."""

    user_id: UserId | None = None
    agent_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    session_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    memory_id: UUID | None = None
    since: Moment | None = None
    until: Moment | None = None


@router.get("", auth=needs("read"), response={200: Page[RecallForm], READ: Problem})
def list_recalls(request, asked: Query[RecallFilters]):
    """What was asked, newest first. Needs `read`."""
    wanted = {
        "agent_id": asked.agent_id,
        "session_id": asked.session_id,
        "at__gte": asked.since,
        "at__lt": asked.until,
    }
    recorder.settle()
    rows = Recall.objects.within(request.scope.narrow(asked.user_id)).filter(
        **{name: value for name, value in wanted.items() if value}
    )
    if asked.memory_id:
        served = RecallCandidate.objects.filter(memory_id=asked.memory_id, rank__isnull=False)
        rows = rows.filter(pk__in=served.values("recall_id"))
    recalls, after = page_of(rows, "-id", asked)
    return reply(page_form([recall_form(kept) for kept in recalls], after, counted(rows)))


@router.get("/{recall_id}", auth=needs("read"), response={200: FullRecall, READ_ONE: Problem})
def read_recall(request, recall_id: UUID):
    """One recall with every candidate: served, or at which gate dropped. Needs `read`."""
    kept = find(request, recall_id)
    names = ("terms", "filters", "analyser", "context", "prompt", "answer", "digest")
    rows = list(kept.candidates.all())
    return reply(
        recall_form(kept)
        | {name: getattr(kept, name) for name in names}
        | {
            "candidates": [_candidate_form(row) for row in rows if row.memory_id],
            "turns": [_turn_form(row) for row in rows if row.turn_id],
        }
    )


@router.post(
    "/{recall_id}/outcome", auth=needs("write"), response={200: OutcomeKept, WRITE_ONE: Problem}
)
def outcome(request, recall_id: UUID, body: Outcome):
    """Send back what became of a recall. Sent again the same, it changes nothing; another
    outcome is a 409. Needs `write`."""
    kept = find(request, recall_id)
    said = {
        name: _storable(name, getattr(body, name), OUTCOME_LIMIT) for name in ("prompt", "answer")
    }
    if kept.answered_at is None:
        kept = add_outcome(kept, **said)
    elif (kept.prompt, kept.answer) != (said["prompt"], said["answer"]):
        raise Conflict("this recall already has another outcome")
    return reply({"recall_id": str(kept.public_id), "answered_at": iso(kept.answered_at)})


@router.post(
    "/{recall_id}/feedback", auth=needs("write"), response={201: FeedbackKept, WRITE_ONE: Problem}
)
def feedback(request, recall_id: UUID, body: FeedbackIn):
    """Say whether a recall was good; it may be told so more than once. That it was wrong or stale
    opens a correction, or lowers the confidence of the one memory meant. Needs `write`."""
    kept = find(request, recall_id)
    text = _storable("text", body.text, FEEDBACK_LIMIT)
    told = react(request.scope, kept, body.verdict, text, body.memory_id)
    said = told.feedback
    form = {"verdict": said.verdict, "text": said.text, "at": iso(said.at), "actor": said.actor}
    form |= {
        "correction_id": told.correction and str(told.correction.public_id),
        "batch_id": told.batch and str(told.batch.public_id),
    }
    return reply({"recall_id": str(kept.public_id), **form}, 201)


@router.post(
    "/{recall_id}/replay", auth=needs("read"), response={200: ReplayForm, READ_ONE: Problem}
)
def replay_recall(request, recall_id: UUID):
    """Ask it again: of the store as it was and as it is now, with the cause of each difference.
    Keeps no new record. Needs `read`."""
    return reply(as_dict(replay(request.scope, find(request, recall_id))))


def recall_form(kept: Recall) -> dict[str, Any]:
    same = (
        "user_id", "agent_id", "session_id", "actor", "surface", "query", "query_used",
        "triggered", "profile", "tokens", "served", "took_ms",
    )  # fmt: skip
    return {
        "id": str(kept.public_id),
        "at": iso(kept.at),
        **{name: getattr(kept, name) for name in same},
        "as_of": iso(kept.as_of),
        "answered_at": iso(kept.answered_at),
    }


def _candidate_form(row: RecallCandidate) -> dict[str, Any]:
    same = ("rank", "score", "parts", "matched", "gate", "reason", "status", "revision", "stale")
    return {"memory_id": str(row.memory_id), **{name: getattr(row, name) for name in same}}


def _turn_form(row: RecallCandidate) -> dict[str, Any]:
    same = ("rank", "score", "parts", "matched", "gate", "reason")
    return {"turn_id": str(row.turn_id), **{name: getattr(row, name) for name in same}}


def _storable(name: str, text: str, limit: int) -> str:
    try:
        return clean(text, limit)
    except UnstorableText as error:
        raise InvalidInput([(name, str(error))]) from error


def find(request, recall_id: UUID) -> Recall:
    """One record of the request's scope; raises `NotFound`."""
    # A record that this process has not written yet is the one most likely asked for.
    recorder.settle()
    kept = Recall.objects.within(request.scope).filter(public_id=recall_id).first()
    if kept is None:
        raise NotFound(str(recall_id))
    return kept
