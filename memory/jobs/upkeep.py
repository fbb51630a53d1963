"""Upkeep: what a store needs done now and then, by a worker or by a timer's command."""

from dataclasses import dataclass
from datetime import timedelta

from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from memory import clock
from memory.index import rows
from memory.index.storage import checkpoint, count_values, log_bytes
from memory.models import JobRow
from memory.write import queue
from memory.write.policies import redate_due
from memory.write.transaction import write_transaction

# How long it can be read which tasks ran, and how they ended.
TASKS_KEPT = timedelta(days=7)
# How long it can be read what became of single rows of a job. The job itself stays.
JOB_ROWS_KEPT = timedelta(days=90)
AT_ONCE = 5_000


@dataclass(frozen=True)
class Upkeep:
    """`redated`: memories given another end by their policy; `forgotten`: notes of old tasks and
    rows of old jobs; `log_bytes`: the write-ahead log before it was `folded` in, unless a reader
    stood in it."""

    redated: int
    forgotten: int
    log_bytes: int
    folded: bool


def upkeep(*, optimise: bool = False) -> Upkeep:
    """Give memories the end that their policy makes, forget old tasks and rows of jobs, merge the
    indexes (with `optimise` into one piece each), count their values, fold the log. Raises
    `QueueTimeout`."""
    redated, forgotten = redate_due(), _forget_tasks() + _forget_job_rows()
    with write_transaction():
        count_values()
    with queue.turn():
        if optimise:
            rows.optimise()
        else:
            rows.merge_a_little(steps=64)
        before = log_bytes()
        folded = checkpoint()
    return Upkeep(redated, forgotten, before, folded)


def _forget_tasks() -> int:
    old = DBTaskResult.objects.filter(enqueued_at__lt=clock.now() - TASKS_KEPT)
    old = old.exclude(status=TaskResultStatus.READY)
    if not old.exists():
        return 0
    with write_transaction():
        return old.delete()[0]


def _forget_job_rows() -> int:
    old = JobRow.objects.filter(job__finished_at__lt=clock.now() - JOB_ROWS_KEPT)
    keys = list(old.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    if not keys:
        return 0
    with write_transaction():
        return JobRow.objects.filter(pk__in=keys).delete()[0]
