"""Undo: the inverse plan of a batch, also long after; and undo of an undo."""

from memory.models import Batch, Change, Memory, Scope, Status

from .apply import apply
from .plan import Applied, Conflict
from .planner import Planner
from .snapshot import BOOKKEEPING, restored, snapshot


class WouldTrample(Conflict):
    """Later changes stand on this batch. `batches` are those to undo first."""

    def __init__(self, batches: list[Batch]):
        self.batches = batches
        super().__init__("changed again since by a later batch")


def plan_undo(scope: Scope, batch: Batch) -> Planner:
    """Put every row of the batch back as it was before, newest change first.

    A row that the batch made is retracted and leaves its place in the history; nothing is
    deleted. Raises `WouldTrample` naming the later batches, `Conflict` if already undone.
    """
    if batch.is_undone:
        raise Conflict("this batch has already been undone")
    entries = list(batch.changes.order_by("id"))
    if any(entry.payload is None for entry in entries):
        raise Conflict("what this batch changed has been erased since")
    rows = {
        row.public_id: row
        for row in Memory.objects.within(scope).filter(
            public_id__in={entry.memory_id for entry in entries}
        )
    }
    _check_untouched(entries, rows)
    planner = Planner(scope)
    for entry in reversed(entries):
        memory = rows[entry.memory_id]
        if entry.before is None:
            sets = {
                "status": Status.RETRACTED,
                "supersedes_id": None,
                "superseded_by_id": None,
                "valid_to": memory.valid_to or planner.now,
            }
        else:
            before, after = restored(entry.before), restored(entry.after)
            sets = {
                name: before[name]
                for name in before
                if before[name] != after[name] and name not in BOOKKEEPING
            }
        planner.change(memory, "undo", undoing=True, **sets)
    return planner


def undo(scope: Scope, batch: Batch, reason: str = "") -> Applied:
    """Apply the inverse plan as a batch of its own."""
    return apply(plan_undo(scope, batch).plan("undo", reason, undoes=batch))


def _check_untouched(entries: list[Change], rows: dict) -> None:
    """Rows must stand as the batch left them; how often they went and came back is no matter."""
    latest = {entry.memory_id: entry for entry in entries}
    moved = [
        memory_id
        for memory_id, entry in latest.items()
        if _differs(snapshot(rows[memory_id]), entry.after)
    ]
    if not moved:
        return
    first = entries[0].batch_id
    later = Batch.everywhere.filter(changes__memory_id__in=moved, pk__gt=first)
    raise WouldTrample(
        [batch for batch in later.distinct().order_by("-id") if _stands(batch, first)]
    )


def _differs(now: dict, left: dict) -> bool:
    # A column that a later release added is not in older entries.
    names = (now.keys() & left.keys()) - BOOKKEEPING
    return any(now[name] != left[name] for name in names)


def _stands(batch: Batch, after: int) -> bool:
    """Whether a batch later than `after` is still in force: not undone, nor the undoing of
    another later one."""
    if batch.is_undone:
        return False
    root, takes_back = batch, False
    while root.undoes is not None:
        root, takes_back = root.undoes, not takes_back
    return not (takes_back and root.pk > after)
