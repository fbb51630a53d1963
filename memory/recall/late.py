"""Records of recalls that began before an erasure and are written after it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from memory.models import Recall
from memory.write.erase.tombstones import erased_among, newest_erasure
from memory.write.erase.words import blank

# No recall takes so long, and no record waits so long to be written.
LATE = timedelta(minutes=5)
_TEXTS = ("query", "query_used", "context", "prompt", "answer")

Entry = tuple[Recall, Sequence[dict[str, Any]]]


def without_erased(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The records, those that found a memory which is erased by now without any words: which of
    them were its own, nobody can tell any more. In a write transaction; one question of the store
    where nothing was erased of late."""
    if not entries:
        return entries
    newest = newest_erasure()
    if newest is None or newest < min(kept.at for kept, _ in entries) - LATE:
        return entries
    named = {row["memory_id"] for _, found in entries for row in found if row.get("memory_id")}
    gone = erased_among(named)
    return [_emptied(kept, found, gone) for kept, found in entries] if gone else entries


def _emptied(kept: Recall, found: Sequence[dict[str, Any]], gone: set[UUID]) -> Entry:
    if not any(row.get("memory_id") in gone for row in found):
        return kept, found
    for name in _TEXTS:
        setattr(kept, name, blank(getattr(kept, name)))
    kept.terms, kept.moves = {"used": [], "dropped": []}, []
    kept.erased_at = kept.at
    return kept, [row | {"matched": []} for row in found]
