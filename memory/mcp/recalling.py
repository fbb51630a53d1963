"""Tools that recall, and that explain a recall afterwards."""

from typing import Any
from uuid import UUID

from ninja import Schema
from pydantic import Field

from memory.api import recall, recalls
from memory.api.fields import Body, KindName, Moment, Name, UserId
from memory.api.recall import MatchedTerm, RecallIn
from memory.api.replay_forms import MoveForm, PlacedForm, TurnMoveForm
from memory.models import Memory
from memory.recall.request import DEFAULT_BUDGET, DEFAULT_LIMIT, MAX_LIMIT, QUERY_LIMIT

from .caller import Caller
from .forms import ShortMemory, short_memory
from .size import rows_from
from .tool import Tool, answer_of

# A context is given whole or not at all, and has to fit a reply.
MOST_BUDGET = 16_000
SUMMARY = 160
FEW, MOST = 30, 100


class Question(Body):
    query: str = Field(min_length=1, max_length=QUERY_LIMIT, description="As the user asked it.")
    user_id: UserId | None = Field(None, description="Needed unless the key is bound to a user.")
    agent_id: Name = ""
    session_id: Name = ""
    as_of: Moment | None = Field(None, description="The store as it was then.")


class SearchIn(Question):
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=MAX_LIMIT)
    kinds: list[KindName] = Field([], max_length=20)
    since: Moment | None = None
    until: Moment | None = None


class Found(Schema):
    rank: int
    score: float
    matched_terms: list[MatchedTerm]
    memory: ShortMemory


class KeptBack(Schema):
    """Something that matched and was not given; `gate` and `reason` say why."""

    id: UUID
    gate: str
    reason: str


class SearchOut(Schema):
    """`recall_id` names the record of this search: explain_recall and replay_recall take it."""

    recall_id: UUID
    query_used: str
    items: list[Found]
    dropped: list[KeptBack]


class ContextIn(Question):
    budget_tokens: int = Field(DEFAULT_BUDGET, ge=1, le=MOST_BUDGET)


class ContextOut(Schema):
    """`text` goes into the prompt as it stands."""

    recall_id: UUID
    triggered: bool
    text: str
    tokens: int
    memories: list[UUID]


class ExplainIn(Body):
    recall_id: UUID
    limit: int = Field(FEW, ge=1, le=MOST)
    cursor: str = Field("", max_length=500, description="`next` of the page before.")


class Considered(Schema):
    """Given with a `rank`, or dropped at a `gate`. `parts` add up to `score`; `status` is the
    memory's at that time, `summary` what it says now."""

    memory_id: UUID | None = None
    turn_id: UUID | None = None
    rank: int | None
    score: float | None
    parts: dict[str, float]
    matched: list[Any]
    gate: str
    reason: str
    status: str = ""
    stale: bool = False
    summary: str = ""


class ExplainOut(Schema):
    recall_id: UUID
    at: str
    user_id: str
    actor: str
    surface: str
    query: str
    query_used: str
    triggered: bool
    as_of: str | None
    served: int
    tokens: int
    terms: dict[str, Any]
    filters: dict[str, Any]
    items: list[Considered]
    next: str | None
    total: int


class ReplayIn(Body):
    recall_id: UUID


class ReplayOut(Schema):
    """`then` is the record, `now` the same question of the present store; `equal`: worked out
    anew from the store as it was, the record comes out the same. `moves` say what differs and
    what caused it."""

    recall_id: UUID
    at: str
    equal: bool
    then: list[PlacedForm]
    now: list[PlacedForm]
    moves: list[MoveForm]
    turn_moves: list[TurnMoveForm]


def search_memory(caller: Caller, asked: SearchIn) -> dict[str, Any]:
    """Find the memories that answer a question, best first. Only current ones are found:
    superseded, retracted, expired and held memories never are."""
    answer = _asked(caller, asked, turns=0)
    names = ("rank", "score", "matched_terms")
    items = [
        {name: item[name] for name in names} | {"memory": short_memory(item["memory"])}
        for item in answer["items"]
    ]
    dropped = [{n: drop[n] for n in ("id", "gate", "reason")} for drop in answer["dropped"]]
    same = {name: answer[name] for name in ("recall_id", "query_used")}
    return same | {"items": items, "dropped": dropped}


def get_context(caller: Caller, asked: ContextIn) -> dict[str, Any]:
    """Get what is remembered about a question as one text for the prompt, within a budget of
    tokens."""
    answer = _asked(caller, asked)
    return {
        "recall_id": answer["recall_id"],
        "triggered": answer["triggered"],
        "text": answer["context"]["text"],
        "tokens": answer["context"]["tokens"],
        "memories": [item["memory"]["id"] for item in answer["items"]],
    }


def explain_recall(caller: Caller, asked: ExplainIn) -> dict[str, Any]:
    """Explain a recall from its record: how the question was read, and every memory considered
    with its score, or the gate that dropped it."""
    kept = answer_of(recalls.read_recall(caller, asked.recall_id))
    rows, after = rows_from([*kept["candidates"], *kept["turns"]], asked.cursor, asked.limit)
    same = (
        "at", "user_id", "actor", "surface", "query", "query_used", "triggered", "as_of",
        "served", "tokens", "terms", "filters",
    )  # fmt: skip
    return {
        "recall_id": kept["id"],
        **{name: kept[name] for name in same},
        "items": _with_summaries(caller, rows),
        "next": after,
        "total": len(kept["candidates"]) + len(kept["turns"]),
    }


def replay_recall(caller: Caller, asked: ReplayIn) -> dict[str, Any]:
    """Ask a recorded recall again, of the store as it was and as it is now, and say what moved
    and why. Keeps no new record."""
    told = answer_of(recalls.replay_recall(caller, asked.recall_id))
    same = ("recall_id", "at", "equal", "then", "now", "moves")
    return {name: told[name] for name in same} | {"turn_moves": told["turns"]["moves"]}


def _asked(caller: Caller, asked: Question, **more: Any) -> dict[str, Any]:
    said = asked.model_dump(exclude_none=True) | more
    return answer_of(recall.ask(caller, RecallIn.model_validate(said)))


def _with_summaries(caller: Caller, rows: list[dict]) -> list[dict]:
    wanted = [row["memory_id"] for row in rows if row.get("memory_id")]
    says = {
        str(public_id): (summary or text)[:SUMMARY]
        for public_id, summary, text in Memory.objects.within(caller.scope)
        .filter(public_id__in=wanted)
        .values_list("public_id", "summary", "text")
    }
    return [row | {"summary": says.get(row.get("memory_id"), "")} for row in rows]


TOOLS = (
    Tool(
        "search_memory", "Search memories", "read", SearchIn, SearchOut, search_memory,
        reads=True,
    ),
    Tool(
        "get_context", "Context for a prompt", "read", ContextIn, ContextOut, get_context,
        reads=True,
    ),
    Tool(
        "explain_recall", "Explain a recall", "read", ExplainIn, ExplainOut, explain_recall,
        reads=True,
    ),
    Tool(
        "replay_recall", "Replay a recall", "read", ReplayIn, ReplayOut, replay_recall,
        reads=True,
    ),
)  # fmt: skip
