"""What was believed at one time and what at another."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Query, Router, Schema
from pydantic import Field, model_validator

from memory import clock
from memory.index import keyset
from memory.models import Change, Memory
from memory.recall.difference import CHANGES, SUPERSEDED, Difference, Moved, difference
from memory.text.diff import word_diff
from memory.write.accesses import note_ids
from memory.write.proposal import NAME_LIMIT
from memory.write.snapshot import restored

from .auth import needs
from .fields import Moment, UserId
from .form import MemoryForm, iso, memory_form
from .paging import Paging, read_cursor
from .problems import READ, Problem
from .reply import reply

router = Router(tags=["memories"])
ORDER = "-id"


class DifferenceFilters(Paging):
    """From the store at `since` to the store at `until`, both over; without `until`, to now.
    `agent_id`: that agent's memories and those of no agent. `change` lists only that kind."""

    since: Moment
    until: Moment | None = None
    user_id: UserId | None = None
    agent_id: str | None = Field(None, min_length=1, max_length=NAME_LIMIT)
    change: Literal[CHANGES] | None = None

    @model_validator(mode="after")
    def _a_span(self):
        now = clock.now()
        if max(self.since, self.until or now) > now:
            raise ValueError("since and until are times that are over")
        if self.until is not None and self.until < self.since:
            raise ValueError("until is before since")
        return self


class Words(Schema):
    """`op` is "same", "del" (only in the old text) or "add" (only in the new one)."""

    op: str
    text: str


class MovedForm(Schema):
    """One memory at the two times. `new` is what stands in the place of a superseded one, null
    where this key may not see it; `words` then leads from the old text to the new. `fields` are
    those that differ. The batch is the last that touched the memory."""

    change: str
    memory_id: UUID
    at: datetime
    batch_id: UUID
    actor: str
    reason: str
    before: MemoryForm | None
    after: MemoryForm
    new: MemoryForm | None
    fields: list[str]
    words: list[Words]


class DifferenceForm(Schema):
    """`counts` and `total` are of the whole, `items` a page, the last moved first.
    `total_capped`: more than 10,000 memories moved, and only the last of them were looked at."""

    since: datetime
    until: datetime
    counts: dict[str, int]
    items: list[MovedForm]
    next: str | None
    total: int
    total_capped: bool


@router.get("", auth=needs("read"), response={200: DifferenceForm, READ: Problem})
def diff(request, asked: Query[DifferenceFilters]):
    """What was added, superseded, retracted, expired, changed or came to wait for review between
    two times. What came and went in between is no difference. Needs `read`."""
    scope = request.scope.narrow(asked.user_id)
    until = asked.until or clock.now()
    after = read_cursor(asked.cursor, ORDER)
    found = difference(
        scope,
        asked.since,
        until,
        agent_id=asked.agent_id,
        change=asked.change or "",
        limit=asked.limit,
        before_entry=after and after[1],
    )
    frame = {"since": iso(asked.since), "until": iso(until)}
    workspace = request.auth.workspace.name
    note_ids(scope, (moved.entry.memory_id for moved in found.moved), "list")
    return reply(frame | difference_form(found, asked.change or "", workspace))


def difference_form(found: Difference, change: str, workspace: str) -> dict[str, Any]:
    return {
        "counts": found.counts,
        "items": [_moved_form(moved, workspace) for moved in found.moved],
        "next": cursor_after(found),
        "total": found.counts[change] if change else sum(found.counts.values()),
        "total_capped": found.is_cut,
    }


def cursor_after(found: Difference) -> str | None:
    last: Change | None = found.moved[-1].entry if found.more else None
    return last and keyset.write_cursor(ORDER, last)


def _moved_form(moved: Moved, workspace: str) -> dict[str, Any]:
    old, new = (moved.before or {}).get("text", ""), moved.now["text"]
    pieces = word_diff(old, new) if moved.change == SUPERSEDED and moved.new else ()
    return {
        "change": moved.change,
        "memory_id": str(moved.entry.memory_id),
        "at": iso(moved.entry.at),
        "batch_id": str(moved.batch.public_id),
        "actor": moved.batch.actor,
        "reason": moved.batch.reason,
        "before": _then(moved.before, workspace),
        "after": _then(moved.after, workspace),
        "new": _then(moved.new, workspace),
        "fields": moved.fields,
        "words": [{"op": piece.op, "text": piece.text} for piece in pieces],
    }


def _then(values: dict[str, Any] | None, workspace: str) -> dict[str, Any] | None:
    return values and memory_form(Memory(**restored(values)), workspace)
