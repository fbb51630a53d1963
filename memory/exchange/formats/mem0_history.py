"""mem0's history.db: every memory with all the values that it had."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields
from memory.exchange.record import Item, Older, Reject
from memory.exchange.source import Source
from memory.models import Status

from . import Format, Options

_NEEDED = {"memory_id", "old_memory", "new_memory", "event"}


def _sniff(source: Source) -> bool:
    return source.tables.get("history", set()) >= _NEEDED


def _read(source: Source, options: Options) -> Iterator[Item]:
    """The events of a memory, in the order in which they were written, become one chain."""
    with source.database() as database:
        database.check()
        events = [(n, row) for n, row in enumerate(database.read("history"), start=1)]
    events.sort(key=lambda pair: (str(pair[1].get("memory_id")), pair[0]))
    chains = [list(group) for _, group in groupby(events, lambda pair: pair[1].get("memory_id"))]
    for chain in sorted(chains, key=lambda chain: chain[0][0]):
        yield _record(chain, options)


def _record(chain: list[tuple[int, Mapping[str, Any]]], options: Options) -> Item:
    number, last = chain[-1]
    fields = Fields(number, last)
    values: list[Older] = []
    deleted, created, updated = None, None, None
    for place, row in chain:
        one = Fields(place, row)
        event = one.text("event").upper()
        at = one.moment("updated_at", "created_at")
        if event == "DELETE" or row.get("is_deleted") in (1, "1", True):
            deleted = at
        elif event in ("ADD", "UPDATE"):
            deleted = None
        elif event != "NONE":
            one.errors.append(("event", f"unknown: {event[:20] or 'none'}"))
        if not values and event != "ADD" and (before := one.text("old_memory")):
            # What it was when the history began.
            values.append(Older(before, one.moment("created_at")))
        if event in ("ADD", "UPDATE") and (text := one.text("new_memory")):
            values.append(Older(text, at))
        created = created or one.moment("created_at")
        updated = at or updated
        fields.errors += one.errors
        fields.naive += one.naive
    if not fields.text("memory_id"):
        fields.errors.append(("memory_id", "is needed"))
    if not values and not fields.errors:
        return Reject(number, "empty", "memory: no event of it holds a text", last)
    is_gone = deleted is not None or str(last.get("event")).upper() == "DELETE"
    now = values[-1] if values else Older("")
    return fields.record(
        text=now.text,
        user_id=options.user_id,
        agent_id=options.agent_id,
        created_at=now.began or created,
        updated_at=updated,
        ended_at=deleted,
        state=Status.RETRACTED if is_gone else Status.ACTIVE,
        external_id=fields.text("memory_id"),
        older=tuple(values[:-1]),
        metadata={"mem0": {n: last[n] for n in ("actor_id", "role") if last.get(n)}},
    )


FORMAT = Format("mem0-history", _("mem0: history.db"), _sniff, _read)
