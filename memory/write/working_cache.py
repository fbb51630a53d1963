"""Where working memory lies in the cache, and taking turns at one entry of it.

A session is one entry; beside them stand the lists of a workspace's sessions, in parts, so that a
new session rewrites a short one.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.cache import cache as shared

from .queue import QueueTimeout

logger = logging.getLogger(__name__)
PARTS = tuple(f"{part:02x}" for part in range(256))
# A holder that was killed gives the lock back after so long; the work itself takes some 5 ms.
LOCKED_SECONDS, LOCK_WAIT, LOCK_LOOK = 5, 2.0, 0.005


class OutOfReach(Exception):
    """The cache is down: what working memory holds can be neither told nor changed."""

    retry_after_seconds = 5


class Reached:
    """Django's cache; whatever its engine raises comes as `OutOfReach`."""

    def get(self, entry: str, default: Any = None) -> Any:
        return _reached(lambda: shared.get(entry, default))

    def get_many(self, entries: Sequence[str]) -> dict[str, Any]:
        return _reached(lambda: shared.get_many(entries))

    def set(self, entry: str, value: Any, seconds: int) -> None:
        _reached(lambda: shared.set(entry, value, seconds))

    def add(self, entry: str, value: Any, seconds: int) -> bool:
        return _reached(lambda: shared.add(entry, value, seconds))

    def delete(self, entry: str) -> None:
        _reached(lambda: shared.delete(entry))


cache = Reached()


def entry_of(workspace_id: int, name: str) -> str:
    """The entry of a session, by its name."""
    return f"working:{workspace_id}:{name}"


def list_entry_of(workspace_id: int, name: str) -> str:
    """The list that names the session."""
    return f"working:{workspace_id}:list:{name[:2]}"


def list_entries(workspace_id: int) -> list[str]:
    """All lists of a workspace."""
    return [list_entry_of(workspace_id, part) for part in PARTS]


@contextmanager
def locked(entry: str) -> Iterator[None]:
    """One at a time changes an entry. Raises `QueueTimeout`, `OutOfReach`."""
    lock, end = f"{entry}:lock", time.monotonic() + LOCK_WAIT
    while not cache.add(lock, 1, LOCKED_SECONDS):
        if time.monotonic() > end:
            raise QueueTimeout("many write to this working memory at once")
        time.sleep(LOCK_LOOK)
    try:
        yield
    finally:
        cache.delete(lock)


def _reached(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except Exception as error:  # Each engine of a cache fails in its own words.
        logger.warning("The cache is down: %s", type(error).__name__)
        raise OutOfReach("working memory is out of reach; try again in a moment") from error
