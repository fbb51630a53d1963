"""Rows that nobody waits for, written in batches by a thread of this process.

A row's own commit costs more than most requests. A process that is killed outright (not stopped)
loses at most what came in the last `every` seconds.
"""

import atexit
import logging
import threading
from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError, connection

from .queue import QueueTimeout

logger = logging.getLogger(__name__)


class Background:
    """Takes entries and has `store` write them, from a thread that starts with the first.

    `name` names the thread, `what` the entries in the log.
    """

    name = what = ""
    at_once = 500

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[Any] = []
        self._writing = False
        self._hurry = False
        self._stopping = False
        self._thread: threading.Thread | None = None

    @property
    def every(self) -> float:
        """Seconds between two batches."""
        return 0.2

    @property
    def backlog(self) -> int:
        """With more than this waiting, who comes next writes the own entries and so slows down."""
        return 5000

    def store(self, entries: Sequence[Any]) -> None:
        """Write them in one transaction. Raises `QueueTimeout` and `DatabaseError`."""
        raise NotImplementedError

    def take(self, *entries: Any) -> None:
        with self._changed:
            if len(self._waiting) < self.backlog:
                self._waiting.extend(entries)
                self._start()
                self._changed.notify_all()
                return
        self.store(entries)

    def settle(self, seconds: float = 5) -> bool:
        """Have all that was taken written now, and wait for it; False when that took too long."""
        with self._changed:
            self._hurry = bool(self._waiting)
            self._changed.notify_all()
            return self._changed.wait_for(
                lambda: not self._waiting and not self._writing, timeout=seconds
            )

    def stop(self) -> None:
        """Write what is waiting and end the thread."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._stopping = False
            self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            while self._next():
                pass
        finally:
            connection.close()

    def _next(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            if not self._stopping:
                self._changed.wait_for(
                    lambda: len(self._waiting) >= self.at_once or self._hurry or self._stopping,
                    self.every,
                )
            self._hurry = False
            entries = self._waiting[: self.at_once]
            self._waiting = self._waiting[self.at_once :]
            self._writing = bool(entries)
        written = not entries or self._try(entries)
        with self._changed:
            if not written:
                self._waiting = [*entries, *self._waiting]
            self._writing = False
            self._changed.notify_all()
            return bool(self._waiting) if self._stopping else True

    def _try(self, entries: list[Any]) -> bool:
        try:
            self.store(entries)
        except (QueueTimeout, DatabaseError):
            logger.exception("%d %s wait for another try", len(entries), self.what)
            return False
        return True


def at_exit(one: Background) -> Background:
    """The same, told to write what waits before the process ends."""
    atexit.register(one.stop)
    return one
