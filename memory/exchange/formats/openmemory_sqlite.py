"""OpenMemory's own database, whose access log tells what its agents were given."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from memory.exchange.record import Item, Record
from memory.exchange.source import Source

from . import Format, Options
from .openmemory import Names, memory_of, moves_of, searches


def _sniff(source: Source) -> bool:
    tables = source.tables
    return {"content", "state", "app_id"} <= tables.get("memories", set()) and "apps" in tables


def _read(source: Source, options: Options) -> Iterator[Item]:
    with source.database() as database:
        database.check()
        names = Names(
            database.read("users"),
            database.read("apps"),
            database.read("categories"),
            database.read("memory_categories"),
        )
        owners: dict[str, str] = {}
        for number, row in enumerate(database.read("memories"), start=1):
            item = memory_of(number, row, names, options)
            if isinstance(item, Record):
                owners[item.external_id] = item.user_id
            yield item
        moves = moves_of(database.read("memory_status_history"))
        log = database.read("memory_access_logs")
        yield from searches(log, names, moves, owners, options)


FORMAT = Format("openmemory-db", _("OpenMemory: openmemory.db"), _sniff, _read)
