"""The verbs that change a memory, each drawn up and applied, giving the row as it then is."""

from memory.models import Batch, Memory
from memory.write.apply import apply
from memory.write.revise import plan_amend, plan_restore, plan_retract
from memory.write.snapshot import BOOKKEEPING, snapshot
from tests import factories as make


def amend(memory: Memory, scope=None, **changes) -> Memory:
    planner = plan_amend(scope or make.scope(), memory, changes)
    return newest(apply(planner.plan("amend", "said so")))


def retract(memory: Memory) -> Memory:
    apply(plan_retract(make.scope(), [memory]).plan("retract", "wrong"))
    return fresh(memory)


def restore(memory: Memory) -> Memory:
    return newest(apply(plan_restore(make.scope(), memory).plan("restore", "right after all")))


def newest(applied) -> Memory:
    return Memory.everywhere.get(public_id=applied.entries[-1].memory_id)


def fresh(memory: Memory) -> Memory:
    return Memory.everywhere.get(pk=memory.pk)


def state() -> dict:
    """Every row as it stands, without what counts its moves."""
    return {
        row.public_id: {name: v for name, v in snapshot(row).items() if name not in BOOKKEEPING}
        for row in Memory.everywhere.all()
    }


def in_force(batch: Batch) -> Batch:
    """The batch itself, or, where its undo was undone, the batch that did so."""
    batch = Batch.everywhere.get(pk=batch.pk)
    return in_force(batch.undone_by.undone_by) if batch.is_undone else batch
