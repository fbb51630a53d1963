"""The rows behind a report's numbers, in a store too large to look for them at every opening of a
page: a pair that says the same took 2.4 s to find among 1,000,000, a drift of the indexes 80 s.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from audit.models import Counted
from memory.models import Memory, Scope

from . import registry
from .check import MemoryCheck

# From so many active memories on; below, every check answers within 50 ms.
LARGE = 20_000


@dataclass(frozen=True)
class Behind:
    """Memories that a check counts; as the report of `at` counted them, None: as they are now.
    `looked_again`: without those that are mended since."""

    rows: QuerySet[Memory]
    at: datetime | None = None
    looked_again: bool = True


def behind(check_id: str, scope: Scope) -> Behind:
    """The memories that a check counts, of a large store those that the newest report counted.
    Raises `registry.UnknownCheck`."""
    kept = Counted.objects.within(scope).filter(check_name=check_id).first()
    if kept is None:
        return Behind(registry.rows_of(check_id, scope))
    check = registry.check(check_id)
    return Behind(check.still(scope, kept.keys), kept.at, check.looks_again(kept.keys))


def keep_rows(scope: Scope, at: datetime, findings: Iterable[Any]) -> None:
    """Keep the rows of a report's findings in the place of those before; in the transaction that
    keeps the report."""
    kept = Counted.objects.within(scope)
    kept.delete()
    kept.bulk_create(
        Counted(workspace_id=scope.workspace_id, check_name=each.id, at=at, keys=each.keys)
        for each in findings
        if each.total >= LARGE and (each.keys or (not each.count and _has_rows(each.id)))
    )


def _has_rows(check_id: str) -> bool:
    return isinstance(registry.check(check_id), MemoryCheck)
