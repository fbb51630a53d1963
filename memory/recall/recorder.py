"""Keeping recall records: at once, or by a thread that writes them in batches.

A record's own commit costs more than the whole search. In batches an agent does not wait for
it; a process that is killed outright (not stopped) loses at most the last `EVERY_SECONDS`. For
audits that may lose nothing, MASE_RECALL_RECORDING=synchronous.
"""

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from memory.index import candidates
from memory.models import Recall
from memory.write.background import Background, at_exit
from memory.write.transaction import write_transaction

from .late import Entry, without_erased
from .sealed import digest

EVERY_SECONDS = 0.2
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


class Recorder(Background):
    """Takes records and writes them from a thread of its own, started with the first."""

    name, what = "recall-recorder", "recall records"

    @property
    def every(self) -> float:
        return EVERY_SECONDS

    @property
    def backlog(self) -> int:
        return BACKLOG

    def store(self, entries: Sequence[Entry]) -> None:
        store(entries)


recorder = at_exit(Recorder())


def keep(kept: Recall, found: Sequence[dict[str, Any]]) -> None:
    """Agents' recalls go by the batch where the settings say so; those of people and commands,
    who look at the record next, are written at once."""
    if settings.RECALL_RECORDING == "batched" and kept.surface == "api":
        recorder.take((kept, found))
    else:
        store([(kept, found)])
