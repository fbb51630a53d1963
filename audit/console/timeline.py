"""The history of one fact, told from the ledger."""

from dataclasses import dataclass
from uuid import UUID

from memory.models import Batch, Change, Scope, Status

from .differences import Difference, differences
from .keyset import Page, paginate

EVENTS = 20
# Of a memory that was not there before, its fields are news to nobody but these.
FIRST_SAID = ("value", "text")


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
