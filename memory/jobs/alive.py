"""Whether a worker is there. It says so every few seconds, in the cache: a note in the store would
make every other writer wait."""

import time

from memory.index.lossy import cache

from .registry import TURN_SECONDS, is_running

# A worker at its longest turn says nothing; the lock of what it is at speaks for it.
SAY_SECONDS, GONE_SECONDS = 5.0, int(2 * TURN_SECONDS)
_NOTE = "worker"
_WORK = "memory.jobs.tasks.work_on_jobs"


class Sign:
    """A worker's sign of life, given at most every `SAY_SECONDS`."""

    def __init__(self) -> None:
        self._next = 0.0

    def give(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + SAY_SECONDS
            cache.set(_NOTE, True, GONE_SECONDS)


def is_there() -> bool:
    """Whether a worker gave a sign within the last minute, or is at what people asked for."""
    return bool(cache.get(_NOTE)) or is_running(_WORK)


def gone() -> None:
    """A worker that ends says so; another one's next sign takes it back."""
    cache.delete(_NOTE)
