"""The history of one fact, told from the ledger."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory import clock
from memory.models import Batch, Change, Memory, Scope, Status

from .differences import Difference, differences
from .keyset import Page, paginate
from .templatetags.console import percent

EVENTS = 20
# Of a memory that was not there before, its fields are news to nobody but these.
FIRST_SAID = ("value", "text")
NEVER_HELD = frozenset({Status.CANDIDATE, Status.QUARANTINED, Status.REJECTED})


@dataclass(frozen=True)
class Move:
    """A version that changed its state; `before` is "" for a new one."""

    version: int
    before: str
    after: str


@dataclass(frozen=True)
class Event:
    """What one batch did to the fact. `erased`: what it said is gone, that it was is not."""

    batch: Batch
    moves: list[Move]
    changes: list[Difference]
    erased: bool


def events(scope: Scope, fact: UUID, cursor: str | None) -> tuple[list[Event], Page]:
    """A page of the fact's history, newest first."""
    touched = Change.objects.filter(fact=fact, batch__workspace_id=scope.workspace_id)
    batches = Batch.objects.within(scope).filter(pk__in=touched.values("batch_id"))
    page = paginate(batches.select_related("undone_by"), "-id", cursor, EVENTS)
    entries: dict[int, list[Change]] = {batch.pk: [] for batch in page}
    for entry in touched.filter(batch_id__in=entries).order_by("id"):
        entries[entry.batch_id].append(entry)
    return [_event(batch, entries[batch.pk]) for batch in page], page


@dataclass(frozen=True)
class Lane:
    """When a version held, on a line of 100 units that all versions of the fact share. `end` is
    None while it holds; a version that waited and never held has no `start`."""

    memory: Memory
    begin: datetime | None
    end: datetime | None
    start: str = ""
    length: str = ""

    @property
    def holds(self) -> bool:
        return self.memory.status == Status.ACTIVE


def lanes(versions: list[Memory]) -> list[Lane]:
    """One a version, in their order; the line runs from the first beginning to now."""
    now = clock.now()
    spans = [(row, *_held(row)) for row in versions]
    begins = [begin for _row, begin, _end in spans if begin]
    first = min(begins, default=now)
    last = max([now, *(end for _row, _begin, end in spans if end)])
    whole = max((last - first).total_seconds(), 1.0)
    found = []
    for row, begin, end in spans:
        if begin is None:
            found.append(Lane(row, None, None))
            continue
        start = (begin - first).total_seconds() / whole
        # A version of a minute among others of years is still to be seen.
        length = max(((end or last) - begin).total_seconds() / whole, 0.01)
        found.append(Lane(row, begin, end, percent(min(start, 0.99)), percent(length)))
    return found


def _held(row: Memory) -> tuple[datetime | None, datetime | None]:
    if row.status in NEVER_HELD:
        return None, None
    begin = row.valid_from or row.occurred_at or row.created_at
    end = min(filter(None, (row.valid_to, row.expires_at)), default=None)
    return begin, end if end is None or end >= begin else begin


def _event(batch: Batch, entries: list[Change]) -> Event:
    kept = [entry for entry in entries if entry.payload is not None]
    moves = [
        Move(entry.after["version"], entry.status_before, entry.status_after)
        for entry in kept
        if entry.status_before != entry.status_after
    ]
    return Event(batch, moves, _changes(kept), len(kept) < len(entries))


def _changes(entries: list[Change]) -> list[Difference]:
    """From what was current to what is; where nothing is, what happened to each row."""
    old = next((e.before for e in entries if e.status_before == Status.ACTIVE), None)
    now = [entry for entry in entries if entry.status_after == Status.ACTIVE]
    if not now:
        return [d for entry in entries for d in _of_row(entry)]
    return differences(old, now[-1].after) if old else _of_row(now[-1])


def _of_row(entry: Change) -> list[Difference]:
    if entry.before is None:
        return differences({}, entry.after, FIRST_SAID)
    return differences(entry.before, entry.after)
