"""The memories that a list shows, as a file."""

from django.http import FileResponse, Http404
from django.views.decorators.http import require_safe

from memory import clock
from memory.exchange.choice import Choice
from memory.exchange.out import FORMS, spooled
from memory.index.past import as_of

from . import past
from .access import auditing, seat
from .memory_filter import MemoryFilter

_NOT_OF_ROWS = frozenset({"format", "sort", "cursor", "peek", "as_of", "view", "columns"})


@require_safe
@auditing
def export(request):
    """What the list of memories shows under the same address, all pages of it. Without any
    filter, of every state, with the dialogue and the tombstones where the form has room for
    them."""
    form = request.GET.get("format", "")
    if form not in FORMS:
        raise Http404
    asked, then = request.GET.copy(), past.then(request)
    for name in _NOT_OF_ROWS & asked.keys():
        del asked[name]
    if then.moment:
        asked.pop("check", None)
    scope = seat(request).scope
    with as_of(then.moment):
        # A search is made when it is asked for its rows.
        rows = MemoryFilter(asked, scope, is_past=then.moment is not None).qs
    # A spreadsheet is what this is mostly opened with.
    extras = {"bom": True} if form == "csv" else {}
    chosen = Choice(scope, rows, asked.get("status") == "any" and len(asked) == 1, then.moment)
    return FileResponse(
        spooled(form, chosen, **extras),
        as_attachment=True,
        filename=f"memories-{clock.now():%Y%m%d-%H%M%S}.{FORMS[form].ending}",
        content_type=FORMS[form].media_type,
        headers={"Cache-Control": "private, no-store", "X-Content-Type-Options": "nosniff"},
    )
