"""Rows as the ledger says that they were."""

from datetime import datetime

from memory.models import Change, Memory
from memory.write.snapshot import restored


def as_it_was(rows: dict[int, Memory], moment: datetime) -> dict[int, Memory]:
    """The same rows with every column as it was at `moment`; rows not yet there fall out."""
    entries = Change.objects.filter(
        memory_id__in=[row.public_id for row in rows.values()], at__lte=moment
    ).order_by("at", "id")
    latest = {entry.memory_id: entry for entry in entries}
    found = {}
    for pk, row in rows.items():
        entry = latest.get(row.public_id)
        if entry is not None and entry.after is not None:
            found[pk] = Memory(id=pk, **restored(entry.after))
    return found
