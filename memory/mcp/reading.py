"""Tools that read memories."""

from typing import Any
from uuid import UUID

from ninja import Schema
from pydantic import Field

from memory.api import memories
from memory.api.fields import Body, KindName, Moment, UserId
from memory.api.form import MemoryForm
from memory.api.include import OneMemory
from memory.api.listing import QUERY_LIMIT, MemoryFilters
from memory.api.memories import HistoryOf
from memory.write.proposal import NAME_LIMIT, PART_LIMIT

from .caller import Caller
from .forms import ShortMemory, short_memory
from .size import page_that_fits
from .tool import Tool, answer_of

FEW, MOST = 20, 100


class ListIn(Body):
    user_id: UserId | None = None
    agent_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    session_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    entity: str | None = Field(None, min_length=1, max_length=PART_LIMIT)
    attribute: str | None = Field(None, min_length=1, max_length=PART_LIMIT)
    kind: KindName | None = None
    status: str = Field(
        "active", description="States by commas, or any: " + ", ".join(memories.Status.values)
    )
    q: str = Field("", max_length=QUERY_LIMIT, description="Only those that hold all these words.")
    since: Moment | None = None
    until: Moment | None = None
    as_of: Moment | None = Field(None, description="The store as it was then.")
    limit: int = Field(FEW, ge=1, le=MOST)
    cursor: str = Field("", max_length=500, description="`next` of the page before.")


class ListOut(Schema):
    """`next` goes back as `cursor`; null on the last page."""

    items: list[ShortMemory]
    next: str | None
    total: int
    total_capped: bool


class OneIn(Body):
    memory_id: UUID
    as_of: Moment | None = Field(None, description="The memory as it was then.")


class HistoryIn(Body):
    memory_id: UUID
    as_of: Moment | None = Field(None, description="What was told of it until then.")
    limit: int = Field(FEW, ge=1, le=MOST)
    cursor: str = Field("", max_length=500, description="`next` of the page before.")


class ShortChange(Schema):
    """One entry of the ledger; `before` and `after` are null once the memory was erased, and
    `before` where it is new."""

    at: str
    actor: str
    surface: str
    action: str
    memory_id: UUID
    before: ShortMemory | None
    after: ShortMemory | None
    reason: str
    batch_id: UUID


class HistoryOut(Schema):
    items: list[ShortChange]
    next: str | None
    total: int
    total_capped: bool


def list_memories(caller: Caller, asked: ListIn) -> dict[str, Any]:
    """List memories, newest first; active ones unless `status` says otherwise. Use search_memory
    to find what answers a question."""

    def ask(limit: int) -> dict[str, Any]:
        said = asked.model_dump(exclude_none=True) | {"limit": limit}
        page = answer_of(memories.list_memories(caller, MemoryFilters.model_validate(said)))
        return page | {"items": [short_memory(form) for form in page["items"]]}

    return page_that_fits(ask, asked.limit)


def get_memory(caller: Caller, asked: OneIn) -> dict[str, Any]:
    """Read one memory in whatever state, in full: its times, source, evidence and versions."""
    return answer_of(memories.read(caller, asked.memory_id, OneMemory(as_of=asked.as_of)))


def memory_history(caller: Caller, asked: HistoryIn) -> dict[str, Any]:
    """Read every version and change of a memory's fact, oldest first: who changed it, when and
    why."""

    def ask(limit: int) -> dict[str, Any]:
        paging = HistoryOf(limit=limit, cursor=asked.cursor, as_of=asked.as_of)
        page = answer_of(memories.history(caller, asked.memory_id, paging))
        return page | {"items": [_short_change(entry) for entry in page["items"]]}

    return page_that_fits(ask, asked.limit)


def _short_change(entry: dict[str, Any]) -> dict[str, Any]:
    same = ("at", "actor", "surface", "action", "memory_id", "reason", "batch_id")
    sides = {name: entry[name] and short_memory(entry[name]) for name in ("before", "after")}
    return {name: entry[name] for name in same} | sides


TOOLS = (
    Tool("list_memories", "List memories", "read", ListIn, ListOut, list_memories, reads=True),
    Tool("get_memory", "Read a memory", "read", OneIn, MemoryForm, get_memory, reads=True),
    Tool(
        "memory_history", "History of a memory", "read", HistoryIn, HistoryOut, memory_history,
        reads=True,
    ),
)  # fmt: skip
