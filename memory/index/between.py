"""Which memories moved between two times: the ledger's first and last word on each of them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.models import Scope

from .browse import COUNT_CAP
from .filters import stored

# An entry's own columns stand before its payload; this is read only where they do not tell enough.
_SPAN = (
    "SELECT s.first, s.last, l.memory_id, l.fact, f.status_before, l.status_after, "
    "CASE l.status_after WHEN 'superseded' "
    "THEN json_extract(l.payload, '$.after.superseded_by_id') END, "
    "CASE WHEN f.status_before = 'active' AND l.status_after = 'active' THEN "
    "json_remove(json_extract(f.payload, '$.before'), '$.revision', '$.updated_at') = "
    "json_remove(json_extract(l.payload, '$.after'), '$.revision', '$.updated_at') ELSE 0 END "
    "FROM ({span} GROUP BY c.memory_id ORDER BY last DESC LIMIT %s) s "
    "CROSS JOIN memory_change f ON f.id = s.first CROSS JOIN memory_change l ON l.id = s.last "
    "WHERE l.payload IS NOT NULL ORDER BY s.last DESC"
)
_EDGES = "SELECT MIN(c.id) AS first, MAX(c.id) AS last FROM"
# By the owner's rows, or by the batches of that time: what is asked for bounds the work.
_OF_A_USER = (
    f"{_EDGES} memory_memory m CROSS JOIN memory_change c "
    "ON c.memory_id = m.public_id AND c.at > %s AND c.at <= %s "
    "WHERE m.workspace_id = %s AND m.user_id = %s"
)
_OF_ALL = (
    f"{_EDGES} memory_batch b CROSS JOIN memory_change c ON c.batch_id = b.id "
    "CROSS JOIN memory_memory m ON m.public_id = c.memory_id "
    "WHERE b.at > %s AND b.at <= %s AND b.workspace_id = %s"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A memory's ledger between two times: its `first` and `last` entry, its state before the one
    ("" where it was not there) and after the other. `is_same`: active before and after, and
    nothing that it says or bears differs."""

    first: int
    last: int
    memory_id: UUID
    fact: UUID
    was: str
    now: str
    superseded_by: UUID | None
    is_same: bool


def between(
    scope: Scope, since: datetime, until: datetime, agent_id: str | None = None
) -> tuple[list[Span], bool]:
    """What moved after `since` and not after `until`, the last moved first, and whether there was
    more than `COUNT_CAP`. What has been erased since did not. `agent_id`: that agent's memories
    and those of no agent.

    Reads every entry of the user's rows, or of the workspace's batches, in that time.
    """
    values: list = [stored(since), stored(until), scope.workspace_id]
    span = _OF_ALL
    if scope.user_id is not None:
        span, values = _OF_A_USER, [*values, scope.user_id]
    if agent_id is not None:
        span, values = f"{span} AND m.agent_id IN ('', %s)", [*values, agent_id]
    with connection.cursor() as cursor:
        cursor.execute(_SPAN.format(span=span), [*values, COUNT_CAP + 1])
        rows = cursor.fetchall()
    return [_span(row) for row in rows[:COUNT_CAP]], len(rows) > COUNT_CAP


def _span(row: tuple) -> Span:
    first, last, memory_id, fact, was, now, superseded_by, is_same = row
    return Span(
        first,
        last,
        UUID(memory_id),
        UUID(fact),
        was,
        now,
        superseded_by and UUID(superseded_by),
        bool(is_same),
    )
