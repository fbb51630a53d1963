from collections import Counter
from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Result, Severity, active, newest, newest_keys, ratio
from memory.index.storage import one_view
from memory.index.upkeep import Drift, drift
from memory.models import Memory, Owner, Scope

# One statement of SQLite takes 32,766 values. More rows than this are cured by a rebuild, not
# by looking at them.
PAGE = 10_000
LABELS = {
    "missing": gettext_lazy("missing from an index: %d"),
    "extra": gettext_lazy("in an index where they do not belong: %d"),
    "different": gettext_lazy("indexed under other words: %d"),
    "counters": gettext_lazy("users with a wrong row count: %d"),
    "orphans": gettext_lazy("index rows of no memory: %d"),
}


class IndexDrift(MemoryCheck):
    """All workspaces share the indexes. Counted are the scope's own memories and counters, and
    the index rows that belong to no memory; of the others it says only that there is drift."""

    title = gettext_lazy("Index drift")
    why = gettext_lazy(
        "The index and the table disagree: a current memory cannot be found, or one that is no "
        "longer current can."
    )
    advice = gettext_lazy("Run manage.py reindex.")
    severity = Severity.ERROR

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        with one_view():
            found = {entry.rowid for entry in drift() if entry.what != "count"}
            return _rows(scope, _present(Memory.objects.within(scope), found))

    def look(self) -> list[Drift]:
        return list(drift())

    def judge(self, scope: Scope, seen: list[Drift]) -> Result:
        """Count: memories that an index has wrong in some way. Share: of the active ones."""
        rowids = {entry.rowid for entry in seen if entry.what != "count"}
        counters = {entry.rowid for entry in seen if entry.what == "count"}
        mine = _present(Memory.objects.within(scope), rowids)
        # The one question that has to be put to all scopes: is it anybody's?
        orphans = rowids - _present(Memory.everywhere.all(), rowids)
        my_counters = _present(_owners(scope), counters)
        kinds = Counter(entry.what for entry in seen if entry.rowid in mine)
        elsewhere = bool(rowids - mine - orphans or counters - my_counters)
        total = active(scope).count()
        rows = _rows(scope, mine)
        return Result(
            count=len(mine),
            total=total,
            share=ratio(len(mine), total),
            found=bool(mine or orphans or my_counters),
            sample=newest(rows),
            detail={what: kinds[what] for what in ("missing", "extra", "different")}
            | {"counters": len(my_counters), "orphans": len(orphans), "elsewhere": elsewhere},
            keys=newest_keys(rows),
        )

    def looks_again(self, keys: Sequence[int]) -> bool:
        """Never: to look at one again is to look at all."""
        return False

    def notes(self, detail) -> list[str]:
        notes = [str(label) % detail[name] for name, label in LABELS.items() if detail[name]]
        if detail["elsewhere"]:
            notes.append(_("The shared index also differs for memories outside this report."))
        return notes

    def url(self, count: int) -> str | None:
        return super().url(count) if count <= PAGE else None


def _rows(scope: Scope, ids: set[int]) -> QuerySet[Memory]:
    return Memory.objects.within(scope).filter(pk__in=sorted(ids)[:PAGE])


def _owners(scope: Scope) -> QuerySet[Owner]:
    owners = Owner.objects.filter(workspace_id=scope.workspace_id)
    return owners if scope.user_id is None else owners.filter(user_id=scope.user_id)


def _present(rows: QuerySet, ids: set[int]) -> set[int]:
    wanted, found = sorted(ids), set()
    for start in range(0, len(wanted), PAGE):
        page = rows.filter(pk__in=wanted[start : start + PAGE])
        found.update(page.values_list("pk", flat=True))
    return found


CHECK = IndexDrift()
