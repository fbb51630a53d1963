"""What used to be current: superseded values, with when, why and by whom."""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.shortcuts import redirect
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from memory.models import Change, Memory, Scope, Status

from . import pages
from .access import seat
from .columns import Columns, names_of
from .differences import value_diff
from .listing import COUNTS, SORTS, chips, countable, facets, headings, order_of, page_of
from .memory_filter import MemoryFilter
from .peek import peeked_at
from .saved_views import has_views
from .templatetags.console import word_diff
from .typed import read_typed, spelt_out
from .view_queries import Known

FACETS = ("user_id", "kind", "domain")
# All of it is of one state.
LACKING = ("status", "not_status")


@dataclass(frozen=True)
class Superseded:
    """A former value, the one that took its place, and the ledger's entry of it."""

    old: Memory
    new: Memory | None
    entry: Change | None

    @property
    def marked(self) -> SafeString:
        """From the old value, or text where there is none, to the new one."""
        old, new = self.old, self.new
        if new is None:
            return value_diff(old.value or old.text, "")
        if old.value and new.value:
            return value_diff(old.value, new.value)
        return word_diff(old.text, new.text)


@require_safe
@has_views(
    "history",
    Known.of_filter(MemoryFilter, sort=SORTS, columns=partial(names_of, "history"), counts=COUNTS),
)
def history(request):
    """Superseded memories, the last one superseded first; parameters as for memories, and what is
    typed too."""
    if address := spelt_out(request, LACKING):
        return redirect(address)
    scope = seat(request).scope
    chosen = MemoryFilter(request.GET, scope, (Status.SUPERSEDED.value,))
    order = order_of(chosen)
    page = page_of(chosen, order, request.GET.get("cursor"))
    columns = Columns(request, "history")
    context = {
        "page": page,
        "rows": told(scope, page.rows),
        "facets": (found := facets(chosen, FACETS)),
        "may_count": countable(chosen) and not all(facet.counted for facet in found),
        "chips": chips(chosen, count=not page.total),
        "shown": columns,
        "columns": headings(order, columns.heads),
        "search": chosen.wanted.get("q", ""),
        "unknown": read_typed(chosen.wanted.get("q", ""), LACKING).unknown,
        "is_cut": chosen.is_cut,
        "is_sort_cut": chosen.is_sort_cut,
        "peek": peeked_at(request),
    }
    return pages.page(request, "console/history.html", context, part="console/history_list.html")


def told(scope: Scope, rows: list[Memory]) -> list[Superseded]:
    """Each row with its successor and with the change that superseded it, in two queries."""
    wanted = {row.superseded_by_id for row in rows if row.superseded_by_id}
    successors = {
        row.public_id: row for row in Memory.objects.within(scope).filter(public_id__in=wanted)
    }
    entries: dict[UUID, Change] = {
        entry.memory_id: entry
        for entry in Change.objects.filter(
            memory_id__in=[row.public_id for row in rows],
            status_after=Status.SUPERSEDED,
            batch__workspace_id=scope.workspace_id,
        )
        .exclude(status_before=Status.SUPERSEDED)
        .select_related("batch")
        .order_by("id")
    }
    return [
        Superseded(row, successors.get(row.superseded_by_id), entries.get(row.public_id))
        for row in rows
    ]
