"""The list of memories: search, filters, order; the whole of it stands in the address."""

from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from . import pages
from .access import seat
from .listing import MemoryFilter, chips, facets, headings, order_of, page_of, states
from .log import users_of

COLUMNS = (
    (("statement", _("Memory")),),
    (("user", _("User")),),
    (("kind", _("Kind")), ("state", _("State"))),
    (("confidence", _("Confidence")), ("importance", _("Importance"))),
    (("updated", _("Updated")), ("created", _("First remembered"))),
)


@require_safe
def memories(request):
    """Active memories, unless `status` says otherwise; see `MemoryFilter` for the parameters."""
    chosen = MemoryFilter(request.GET, seat(request).scope)
    order = order_of(chosen)
    page = page_of(chosen.qs, order, request.GET.get("cursor"))
    tabs = states(chosen)
    context = {
        "page": page,
        "states": tabs,
        "facets": facets(chosen),
        "chips": chips(chosen, count=not page.total),
        "columns": headings(order, COLUMNS),
        "search": chosen.wanted.get("q", ""),
        "is_cut": chosen.is_cut,
        "users": () if pages.wants_part(request) else users_of(chosen.scope),
        "is_bare": not (chosen.wanted or any(tab.count for tab in tabs)),
    }
    return pages.page(request, "console/memories.html", context, part="console/memories_list.html")
