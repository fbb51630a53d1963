"""Undo: the inverse plan of a batch, also long after; and undo of an undo."""

from memory.models import Batch, Change, Memory, Scope, Status

from .apply import apply
from .plan import Applied, Conflict
from .planner import Planner
from .snapshot import BOOKKEEPING, restored


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
    latest = {entry.memory_id: entry for entry in entries}
    moved = [
        entry
        for memory_id, entry in latest.items()
        if rows[memory_id].revision != entry.revision_after
    ]
    if not moved:
        return
    later = Batch.everywhere.filter(
        changes__memory_id__in=[entry.memory_id for entry in moved],
        pk__gt=entries[0].batch_id,
    )
    raise WouldTrample(list(later.distinct().order_by("-id")))
