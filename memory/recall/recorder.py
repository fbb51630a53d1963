"""Keeping recall records: at once, or by a thread that writes them in batches.

A record's own commit costs more than the whole search. In batches an agent does not wait for
it; a process that is killed outright (not stopped) loses at most the last `EVERY_SECONDS`. For
audits that may lose nothing, MASE_RECALL_RECORDING=synchronous.
"""

import atexit
import logging
import threading
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from memory.index import candidates
from memory.models import Recall
from memory.write.queue import QueueTimeout
from memory.write.transaction import write_transaction

from .late import Entry, without_erased
from .sealed import digest

logger = logging.getLogger(__name__)
EVERY_SECONDS = 0.2
AT_ONCE = 500
# With more than this waiting, the next recall writes its own record and so slows its agent down.
BACKLOG = 5000


def store(entries: Sequence[Entry]) -> None:
    """Seal records and write them with their candidates, in one transaction."""
    rows = _sealed(entries)
    with write_transaction():
        current = without_erased(entries)
        if current is not entries:
            rows = _sealed(current)
        Recall.everywhere.bulk_create([kept for kept, _ in entries])
        candidates.insert(
            (kept.pk, row) for (kept, _), some in zip(entries, rows, strict=True) for row in some
        )


def _sealed(entries: Sequence[Entry]) -> list[list[list[Any]]]:
    rows = []
    for kept, found in entries:
        kept.digest = digest(kept, found)
        rows.append([candidates.prepared(columns) for columns in found])
    return rows


class Recorder:
    """Takes records and writes them from a thread of its own, started with the first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[Entry] = []
        self._writing = False
        self._hurry = False
        self._stopping = False
        self._thread: threading.Thread | None = None

    def take(self, kept: Recall, found: Sequence[dict[str, Any]]) -> None:
        with self._changed:
            if len(self._waiting) < BACKLOG:
                self._waiting.append((kept, found))
                self._start()
                self._changed.notify_all()
                return
        store([(kept, found)])

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
            self._thread = threading.Thread(target=self._run, name="recall-recorder", daemon=True)
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
                    lambda: len(self._waiting) >= AT_ONCE or self._hurry or self._stopping,
                    EVERY_SECONDS,
                )
            self._hurry = False
            entries, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
            self._writing = bool(entries)
        written = not entries or self._try(entries)
        with self._changed:
            if not written:
                self._waiting = [*entries, *self._waiting]
            self._writing = False
            self._changed.notify_all()
            return bool(self._waiting) if self._stopping else True

    def _try(self, entries: list[Entry]) -> bool:
        try:
            store(entries)
        except (QueueTimeout, DatabaseError):
            logger.exception("%d recall records wait for another try", len(entries))
            return False
        return True


recorder = Recorder()
atexit.register(recorder.stop)


def keep(kept: Recall, found: Sequence[dict[str, Any]]) -> None:
    """Agents' recalls go by the batch where the settings say so; those of people and commands,
    who look at the record next, are written at once."""
    if settings.RECALL_RECORDING == "batched" and kept.surface == "api":
        recorder.take(kept, found)
    else:
        store([(kept, found)])
