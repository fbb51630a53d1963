"""Freeing the files of what was erased: index segments, free pages, the write-ahead log.

SQLite overwrites what is deleted (secure_delete), but a deleted row's terms stay in the segments
of the full-text index until these are merged, and old pages stay in the log until it is folded in
and emptied, which a reader can hold up. What is left to do then a job does.
"""

import json
import logging
import time
from collections.abc import Iterable, Sequence

from django.db import DatabaseError, connection

from memory import clock
from memory.index import rows as index_rows
from memory.index import storage
from memory.models import Erasure, Memory
from memory.text.normalise import key

from .. import queue
from ..transaction import write_transaction
from .words import tells_by_itself

logger = logging.getLogger(__name__)
# In a request; a job takes its time.
SECONDS, PATIENCE = 20.0, 1.0
# A larger database is not read through for what may be left.
READ_THROUGH = 4 << 30
# A shorter text may be part of any other.
_SHORTEST = 8


def is_due() -> bool:
    """Whether something was erased and the files may still hold it."""
    return Erasure.everywhere.filter(scrubbed_at=None).exists()


def scrub(patterns: Sequence[bytes] = (), seconds: float = SECONDS) -> bool:
    """Free the files of all that was erased until now; whether that is done. Where they are found
    to hold one of the `patterns` all the same, the database is written anew.

    Outside a transaction; within one, and when readers or a full queue are in the way, it is left
    to a job.
    """
    if connection.in_atomic_block:
        return False
    newest = Erasure.everywhere.order_by("-pk").values_list("pk", flat=True).first()
    try:
        return newest is not None and _scrubbed(newest, patterns, time.monotonic() + seconds)
    except (queue.QueueTimeout, DatabaseError) as error:
        logger.warning("The files are freed of what was erased later: %s", error)
        return False


def patterns_of(memories: Iterable[Memory]) -> list[bytes]:
    """The bytes that the texts of these memories have in a file, as text and within JSON."""
    texts = {
        text
        for row in memories
        for text in (row.text, row.value, row.quote)
        if len(text) >= _SHORTEST and tells_by_itself(key(text))
    }
    return sorted({form.encode() for text in texts for form in (text, json.dumps(text)[1:-1])})


def _scrubbed(newest: int, patterns: Sequence[bytes], end: float) -> bool:
    first = more = True
    while more:
        if time.monotonic() > end:
            return False
        with queue.turn():
            more = index_rows.optimise_a_little(first=first)
        first = False
    if not _folded():
        return False
    if patterns and _size() <= READ_THROUGH and storage.files_hold(patterns):
        with queue.turn():
            storage.rewrite()
        if not _folded():
            return False
    with write_transaction():
        rows = Erasure.everywhere.filter(scrubbed_at=None, pk__lte=newest)
        rows.update(scrubbed_at=clock.now())
    return True


def _folded() -> bool:
    with queue.turn():
        return storage.checkpoint(PATIENCE)


def _size() -> int:
    return sum(path.stat().st_size for path in storage.files())
