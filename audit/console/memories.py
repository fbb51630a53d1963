"""The list of memories: search, filters, order; the whole of it stands in the address."""

from functools import partial
from typing import Any

from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from memory.index.past import as_of
from memory.models import Right
from memory.write.accesses import note

from . import pages, past
from .access import seat
from .bulk_verbs import DECIDING, SETTING, keyless
from .columns import Columns, names_of
from .listing import COUNTS, SORTS, chips, countable, facets, headings, order_of, page_of, states
from .log import users_of
from .memory_filter import MemoryFilter
from .peek import peeked_at
from .saved_views import has_views
from .start import steps
from .typed import read_typed, spelt_out
from .view_queries import Known


@require_safe
@has_views(
    "memories",
    Known.of_filter(
        MemoryFilter,
        sort=SORTS,
        columns=partial(names_of, "memories"),
        as_of=None,
        counts=COUNTS,
    ),
)
def memories(request):
    """Active memories, unless `status` says otherwise; see `MemoryFilter` for the parameters.
    `as_of` shows them as they were on that day, `peek` one of them beside the list. Filters typed
    into the search field become parameters, so that the address is the state."""
    if address := spelt_out(request):
        return redirect(address)
    scope, then = seat(request).scope, past.then(request)
    asked = request.GET.copy()
    if then.moment:
        # Which rows a check counts is known of the present only.
        asked.pop("check", None)
    with as_of(then.moment):
        context = _listed(request, MemoryFilter(asked, scope, is_past=then.moment is not None))
    note(scope, context["page"], "list")
    context |= {"then": then, "lacks_check": asked.keys() != request.GET.keys()}
    context |= {"deciding": DECIDING, "setting": SETTING, "keyless": keyless(request.GET)}
    context["may_choose"] = then.moment is None and seat(request).membership.may(Right.OPERATE)
    context["is_bare"] &= then.moment is None
    if context["is_bare"]:
        context["start"] = steps(request)
    return pages.page(request, "console/memories.html", context, part="console/memories_list.html")


def _listed(request, chosen: MemoryFilter) -> dict[str, Any]:
    # Of the past only the order of birth needs no sorting of all rows.
    order = "-created" if chosen.is_past and "sort" not in chosen.data else order_of(chosen)
    page = page_of(chosen, order, request.GET.get("cursor"))
    tabs, columns = states(chosen), Columns(request, "memories")
    return {
        "peek": None if request.GET.get("as_of") else peeked_at(request),
        "unknown": read_typed(chosen.wanted.get("q", "")).unknown,
        "page": page,
        "states": tabs,
        "facets": (found := facets(chosen)),
        "may_count": countable(chosen) and not all(facet.counted for facet in found),
        "chips": chips(chosen, count=not page.total),
        "shown": columns,
        "columns": headings(order, columns.heads),
        "search": chosen.wanted.get("q", ""),
        "is_cut": chosen.is_cut,
        "behind": chosen.behind,
        "is_sort_cut": chosen.is_sort_cut,
        "users": () if pages.wants_part(request) else users_of(chosen.scope),
        "is_bare": not (chosen.wanted or any(tab.count for tab in tabs)),
    }
