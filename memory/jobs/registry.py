"""Which jobs there are. An app registers its own in its module `jobs`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.utils.module_loading import autodiscover_modules
from django_tasks import task
from django_tasks.base import Task

from .alone import alone

# A task that has more to do comes back after so long, so that the others get their turn.
TURN_SECONDS = 30.0


@dataclass(frozen=True)
class Job:
    """A task that a worker enqueues when `is_due` says so, which it is asked every `every`
    seconds; `is_due` reads little and writes nothing."""

    task: Task
    every: float
    is_due: Callable[[], bool]

    @property
    def path(self) -> str:
        return self.task.module_path


_jobs: dict[str, Job] = {}


def job(*, every: float, is_due: Callable[[], bool] = lambda: True) -> Callable[[Callable], Task]:
    """Make a module's function, without arguments and with a JSON answer, a task and a job.

    One process of a store runs it at a time; another that is told to answers "elsewhere".
    """

    def registered(function: Callable[[], Any]) -> Task:
        @wraps(function)
        def run() -> Any:
            with alone(function.__name__) as mine:
                return function() if mine else "elsewhere"

        made = Job(task(run), every, is_due)
        _jobs[made.path] = made
        return made.task

    return registered


def jobs() -> list[Job]:
    """Every job of every installed app."""
    from . import deliveries, tasks  # noqa: F401

    autodiscover_modules("jobs")
    return list(_jobs.values())


def is_running(path: str) -> bool:
    """Whether a process of this store is at it now."""
    with alone(path.rpartition(".")[2]) as mine:
        return not mine
