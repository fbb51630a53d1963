"""Rows as the ledger says that they were."""

from collections.abc import Callable, Iterable
from datetime import datetime

from memory.index.read import read
from memory.index.search import Hit
from memory.models import Change, Memory, Scope
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


def standing(
    scope: Scope,
    hits: Iterable[Hit],
    past: datetime,
    moment: datetime,
    ends: Callable[[Memory], datetime | None] | None = None,
) -> dict[int, Memory]:
    """The rows of hits as they were at `past`, those that were not over at `moment`; `ends` says
    when a row is over, instead of the row itself."""
    rows = as_it_was(read(scope, [hit.pk for hit in hits]), past)
    over = {pk: ends(row) if ends else row.expires_at for pk, row in rows.items()}
    return {pk: row for pk, row in rows.items() if over[pk] is None or over[pk] > moment}
