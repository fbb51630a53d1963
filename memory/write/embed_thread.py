"""A thread that makes the vectors of what was written, so that no writer waits for a model.

It follows the ledger and so sees what other processes write as well. One process of a store
works at a time; the others look again later.
"""

import atexit
import fcntl
import logging
import os
import threading
from pathlib import Path

from django.db import DatabaseError, connection

from memory.index.embedding import Embedder, EmbeddingError, embedder
from memory.models import Change, Status

from .embed import embed_pending, embed_these, refresh_files
from .queue import QueueTimeout

logger = logging.getLogger(__name__)
# What another process wrote is seen after so long at most; a model that failed is asked again.
LOOK_SECONDS = 30.0
# Writes come in rows: so long one waits for the next, and shares its batch and its transaction.
GATHER_SECONDS = 0.5


class EmbedThread:
    """Started by the first `wake` while the settings name a model; without one it is never."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._called = False
        self._busy = False
        self._stopping = False
        self._thread: threading.Thread | None = None
        # The last ledger entry that was dealt with; None: all tables are to be looked through.
        self._seen: int | None = None
        self._model = ""
        self._failing = False

    def wake(self) -> None:
        """There may be something to do."""
        if embedder() is None:
            return
        with self._changed:
            self._called = True
            if self._thread is None or not self._thread.is_alive():
                self._stopping = False
                self._thread = threading.Thread(target=self._run, name="embed", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def settle(self, seconds: float = 30) -> bool:
        """Wait until all that was called for is done; False when that took too long."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not self._called and not self._busy, timeout=seconds
            )

    def stop(self) -> None:
        """End the thread after the batch that it is at."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(self._is_due, LOOK_SECONDS)
                    self._changed.wait_for(lambda: self._stopping, GATHER_SECONDS)
                    if self._stopping:
                        return
                    self._called, self._busy = False, True
                self._pass()
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()
        finally:
            connection.close()

    def _is_due(self) -> bool:
        return self._stopping or (self._called and not self._failing)

    def _go_on(self, done: int) -> None:
        if self._stopping:
            raise _Stopped

    def _pass(self) -> None:
        model = embedder()
        if model is None:
            return
        if model.name != self._model:
            self._model, self._seen = model.name, None
        try:
            with _Alone() as mine:
                if mine:
                    self._work(model)
            self._failing = False
        except _Stopped:
            return
        except (EmbeddingError, QueueTimeout, DatabaseError, OSError) as error:
            if not self._failing:
                logger.warning("No vectors from %s for now: %s", model.name, error)
            self._failing = True

    def _work(self, model: Embedder) -> None:
        newest = Change.objects.order_by("-id").values_list("id", flat=True).first() or 0
        if newest == self._seen:
            return
        if self._seen is None:
            embed_pending(model, progress=self._go_on)
        else:
            born = Change.objects.filter(
                id__gt=self._seen, id__lte=newest, status_after=Status.ACTIVE
            )
            ids = dict.fromkeys(born.values_list("memory_id", flat=True))
            embed_these(model, ids, progress=self._go_on)
        refresh_files(model)
        self._seen = newest


class _Stopped(Exception):
    pass


class _Alone:
    """True within, for one process of a store at a time."""

    def __enter__(self) -> bool:
        path = Path(f"{connection.settings_dict['NAME']}.embedding")
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def __exit__(self, *raised) -> None:
        os.close(self._handle)


embed_thread = EmbedThread()
atexit.register(embed_thread.stop)
