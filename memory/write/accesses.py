"""Who read which memory, when and through which door, outside of recalls.

A recall's own record says what it gave; this says the rest: one memory, a list, a history, a
page, an export. Written in batches, so that a reader waits for nothing and is never refused for
the sake of the note.
"""

import heapq
import logging
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import islice
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, IntegrityError
from django.db.models import QuerySet

from memory import clock
from memory.index import access_rows
from memory.index.keyset import LARGEST_ID
from memory.models import Access, Memory, RecallCandidate, Scope

from .background import Background, at_exit
from .queue import QueueTimeout
from .transaction import write_transaction

logger = logging.getLogger(__name__)
# How a memory was read.
HOW = ("one", "list", "history", "page", "export")
FORGOTTEN_AT_ONCE = 5000
# In one statement, whose parameters SQLite bounds at 32,766; some 0.1 s of the writers' lock.
MANY_AT_ONCE = 20_000


class _Notes(Background):
    name, what = "access-notes", "notes of accesses"

    def store(self, entries: Sequence[Access]) -> None:
        try:
            with write_transaction():
                Access.everywhere.bulk_create(entries, batch_size=500)
        except IntegrityError:
            # Of a workspace that is gone: trying again would hold up all that comes after.
            logger.exception("%d accesses were not noted", len(entries))


notes = at_exit(_Notes())


def note(scope: Scope, memories: Iterable[Memory], how: str) -> None:
    """Note that these memories were handed out in full; `how` is one of `HOW`."""
    now = clock.now()
    rows = [
        Access(
            workspace_id=memory.workspace_id,
            user_id=memory.user_id,
            memory_id=memory.public_id,
            at=now,
            actor=scope.actor,
            surface=scope.surface,
            how=how,
        )
        for memory in memories
    ]
    if not rows:
        return
    if settings.RECALL_RECORDING == "batched":
        notes.take(*rows)
        return
    try:
        notes.store(rows)
    except (QueueTimeout, DatabaseError):
        logger.exception("%d accesses were not noted", len(rows))


def note_ids(scope: Scope, memory_ids: Iterable[UUID], how: str) -> None:
    """The same for some memories by their ids, as far as they are in the scope."""
    rows = Memory.objects.within(scope).filter(public_id__in=set(memory_ids))
    note(scope, rows.only("workspace_id", "user_id", "public_id"), how)


def note_many(scope: Scope, keys: Sequence[int], how: str) -> None:
    """The same for the memories with these primary keys, however many, in several transactions."""
    now = clock.now()
    try:
        for start in range(0, len(keys), MANY_AT_ONCE):
            with write_transaction():
                access_rows.insert(scope, keys[start : start + MANY_AT_ONCE], now, how)
    except (QueueTimeout, DatabaseError):
        logger.exception("%d accesses were not all noted", len(keys))


def accesses_of(scope: Scope, memory: Memory) -> QuerySet[Access]:
    """The notes of one memory; each version has its own."""
    return Access.objects.within(scope).filter(memory_id=memory.public_id)


def newest(scope: Scope, memory: Memory, most: int = 20) -> list[Access]:
    """The last notes of one memory, with what waits to be written."""
    notes.settle(seconds=1)
    return list(accesses_of(scope, memory).order_by("-id")[:most])


def recalls_of(scope: Scope, memory: Memory) -> QuerySet[RecallCandidate]:
    """Where recalls gave this version to somebody."""
    rows = RecallCandidate.objects.filter(
        memory_id=memory.public_id, rank__isnull=False, recall__workspace_id=scope.workspace_id
    )
    if scope.user_id is not None:
        rows = rows.filter(recall__user_id=scope.user_id)
    return rows.select_related("recall")


def readings(
    scope: Scope, memory: Memory, most: int, below: tuple[int, int] = (LARGEST_ID, LARGEST_ID)
) -> list[Access | RecallCandidate]:
    """The last `most` notes and recalls of one memory, newest first, with ids `below` these, with
    what waits to be written."""
    notes.settle()
    # Ids of either table rise with its time, so two lists by id merge into one by time.
    merged = heapq.merge(
        accesses_of(scope, memory).filter(id__lt=below[0]).order_by("-id")[:most],
        recalls_of(scope, memory).filter(id__lt=below[1]).order_by("-id")[:most],
        key=lambda row: row.at if isinstance(row, Access) else row.recall.at,
        reverse=True,
    )
    return list(islice(merged, most))


def forget_old() -> int:
    """Remove the notes that are older than the settings say; 0 days: none. At most some
    thousands at a time, for others want to write too. Raises `QueueTimeout`."""
    if not settings.ACCESS_DAYS:
        return 0
    old = Access.everywhere.filter(at__lt=clock.now() - timedelta(days=settings.ACCESS_DAYS))
    if not old.exists():
        return 0
    with write_transaction():
        some = list(old.order_by("at").values_list("pk", flat=True)[:FORGOTTEN_AT_ONCE])
        return Access.everywhere.filter(pk__in=some).delete()[0]
