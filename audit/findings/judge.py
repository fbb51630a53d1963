"""Whether what a recall handed out was still valid: read off the ledger, not off the record."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.fields.json import KT
from django.utils.dateparse import parse_datetime

from memory.models import Change, Recall, RecallCandidate, Scope, Status

GIVEN, ANSWERED, IMPORTED = "given", "answered", "imported"
# What stands in place of a state where the ledger holds none.
ERASED, UNKNOWN = "erased", "unknown"
# A change is dated inside its transaction; until that is committed a recall still sees the row
# as it was, and rightly hands it out.
IN_FLIGHT = timedelta(seconds=30)


@dataclass(frozen=True)
class Seen:
    """A memory that was no longer valid when it reached a context. `status` is what it was then:
    a state, "erased", or "unknown" (the workspace's ledger never heard of it)."""

    memory_id: UUID
    recall: Recall
    how: str
    status: str
    at: datetime


@dataclass(frozen=True, slots=True)
class State:
    """A memory after one change."""

    at: datetime
    revision: int
    status: str
    expires_at: datetime | None


def judge(scope: Scope, records: Sequence[Recall]) -> list[Seen]:
    """What was wrong in these records of the scope's workspace, in two queries.

    Judged are memories that were served; a question about the past (`as_of`) asks for what is
    no longer valid. "given": invalid at `Recall.at`, or flagged so in the record; "answered":
    invalid when the answer was there; "imported": either, in a record of another system.
    """
    asked = {record.pk: record for record in records if record.as_of is None}
    served = RecallCandidate.objects.filter(
        recall_id__in=asked, rank__isnull=False, memory_id__isnull=False
    )
    ledger = _ledger(scope, served)
    found = []
    columns = ("recall_id", "memory_id", "status", "revision", "stale")
    for candidate in served.order_by("id").values_list(*columns, named=True):
        record = asked[candidate.recall_id]
        if seen := _seen(candidate, record, ledger.get(candidate.memory_id, ())):
            found.append(seen)
    return found


def _seen(candidate: Any, record: Recall, states: Sequence[State]) -> Seen | None:
    is_imported = record.surface == IMPORTED
    # Another system's count of revisions is not ours.
    sees = candidate.revision if candidate.status == Status.ACTIVE and not is_imported else None
    how, at = GIVEN, record.at
    status = invalid_at(states, at, sees=sees) if states else UNKNOWN
    if not status and candidate.stale:
        is_over = candidate.status in ("", Status.ACTIVE)
        status = Status.EXPIRED.value if is_over else candidate.status
    if not status and record.answered_at is not None:
        how, at = ANSWERED, record.answered_at
        status = invalid_at(states, at)
    if not status:
        return None
    return Seen(candidate.memory_id, record, IMPORTED if is_imported else how, status, at)


def invalid_at(states: Sequence[State], moment: datetime, sees: int | None = None) -> str:
    """The state that made a memory invalid at `moment`, or "": it was valid, or its ledger
    begins later. `sees` is the revision that a reader says to have seen then."""
    for state in reversed(states):
        if state.at > moment:
            continue
        if sees is not None and state.revision > sees and state.at > moment - IN_FLIGHT:
            continue
        if state.status != Status.ACTIVE:
            return state.status
        is_over = state.expires_at is not None and state.expires_at <= moment
        return Status.EXPIRED.value if is_over else ""
    return ""


def _ledger(scope: Scope, served: QuerySet[RecallCandidate]) -> dict[UUID, list[State]]:
    """The states of each served memory by the workspace's own entries, oldest first."""
    rows = (
        Change.objects.filter(
            memory_id__in=served.order_by().values("memory_id"),
            batch__workspace_id=scope.workspace_id,
        )
        .order_by("memory_id", "at", "id")
        .values_list(
            "memory_id", "at", "revision_after", "status_after", "action",
            KT("payload__after__expires_at"),
        )
    )  # fmt: skip
    return {
        memory_id: [_state(*row[1:]) for row in group]
        for memory_id, group in groupby(rows.iterator(), key=itemgetter(0))
    }


def _state(at: datetime, revision: int, status: str, action: str, expires_at: str | None) -> State:
    status = ERASED if action == "erase" else status or ERASED
    return State(at, revision, status, parse_datetime(expires_at or ""))
