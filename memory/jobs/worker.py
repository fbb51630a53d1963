"""The worker: enqueues what is due and runs what is enqueued.

django-tasks-db's own loop takes the whole database every second, and writes beside the write
queue; this one writes only when there is something, and waits its turn.
"""

import logging
import os
import secrets
import time
from collections.abc import Callable

from django.db import DatabaseError
from django_tasks_db.models import DBTaskResult

from memory.write import queue
from memory.write.transaction import write_transaction

from . import alive
from .registry import Job, is_running, jobs

logger = logging.getLogger(__name__)
LOOK_SECONDS = 1.0
# A job that failed is not asked again before this.
AFTER_FAILURE_SECONDS = 60.0
# How long the note that a task is done may wait for its turn: the work itself is kept already.
NOTE_SECONDS = 60.0


class WorkerEnded(Exception):
    """The worker that ran this was ended before it was done."""


class Worker:
    """Works until `stop`, or, with `once`, until nothing is due and nothing is enqueued."""

    def __init__(self, *, once: bool = False, go_on: Callable[[], bool] = lambda: True) -> None:
        self.id = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._once, self._go_on = once, go_on
        self._stopping = False
        self._jobs = jobs()
        self._next_look = dict.fromkeys((job.path for job in self._jobs), 0.0)
        self._sign = alive.Sign()

    def stop(self) -> None:
        """End after the task at hand."""
        self._stopping = True

    def run(self) -> None:
        """Raises nothing but, with `once`, `QueueTimeout` and `DatabaseError`."""
        try:
            while not self._stopping and self._go_on():
                if self._step():
                    continue
                if self._once:
                    return
                time.sleep(LOOK_SECONDS)
        finally:
            alive.gone()

    def _step(self) -> bool:
        self._sign.give()
        try:
            for job in self._jobs:
                self._look(job)
            row = claim(self.id)
            if row is not None and not carry_out(row):
                self._next_look[row.task_path] = time.monotonic() + AFTER_FAILURE_SECONDS
        except (queue.QueueTimeout, DatabaseError) as error:
            if self._once:
                raise
            logger.warning("The worker tries again: %s", error)
            return False
        return row is not None

    def _look(self, job: Job) -> None:
        now = time.monotonic()
        if now < self._next_look[job.path]:
            return
        self._next_look[job.path] = now + job.every
        enqueue_if_due(job)


def enqueue_if_due(job: Job) -> bool:
    """Enqueue a job that has something to do, unless it is enqueued or running. Raises
    `QueueTimeout`."""
    rows = DBTaskResult.objects.filter(task_path=job.path)
    waiting, begun = rows.ready(), rows.running()
    if waiting.exists() or not job.is_due() or (begun.exists() and is_running(job.path)):
        return False
    with write_transaction():
        if waiting.exists():
            return False
        for row in begun:
            row.set_failed(WorkerEnded(f"worker {row.worker_ids[-1]}"))
        job.task.enqueue()
    return True


def claim(worker_id: str) -> DBTaskResult | None:
    """The next task, from now on this worker's; None when there is none. Raises
    `QueueTimeout`."""
    waiting = DBTaskResult.objects.ready()
    if not waiting.exists():
        return None
    with write_transaction():
        row = waiting.first()
        if row is not None:
            row.claim(worker_id)
    return row


def carry_out(row: DBTaskResult) -> bool:
    """Run a claimed task and note how it ended; False when it failed. Raises `QueueTimeout` when
    the note found no turn."""
    failure, value = None, None
    try:
        told = row.args_kwargs
        value = row.task.call(*told["args"], **told["kwargs"])
    except queue.QueueTimeout as error:
        logger.warning("%s: %s", row.task_path, error)
        failure = error
    except Exception as error:
        logger.exception("%s failed", row.task_path)
        failure = error
    with queue.turn(NOTE_SECONDS), write_transaction():
        if failure is None:
            row.set_successful(value)
        else:
            row.set_failed(failure)
    return failure is None
