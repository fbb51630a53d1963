"""Working memory: what agents keep at hand for their sessions, while it lasts."""

import json
from functools import wraps

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from memory.models import Right
from memory.write.queue import QueueTimeout
from memory.write.working import WorkingItem, WorkingSession, items_of, remove_from, sessions
from memory.write.working_cache import OutOfReach

from .access import operating, seat
from .pages import page

PAGE_SIZE = 50
VALUE_SHOWN = 2000
BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")


def reaching(view):
    """A view of what lies in the cache; while that is down, a page says so."""

    @wraps(view)
    def reached(request, *args, **kwargs):
        try:
            return view(request, *args, **kwargs)
        except OutOfReach:
            away = page(request, "console/working.html", {"is_away": True}, status=503)
            away["Retry-After"] = str(OutOfReach.retry_after_seconds)
            return away

    return reached


@require_safe
@reaching
def working(request):
    """The sessions that hold something, those that last longest first."""
    found = sessions(seat(request).scope)
    asked = request.GET.get("from", "0")
    first = min(int(asked), len(found)) if asked.isascii() and asked.isdigit() else 0
    last = first + PAGE_SIZE
    context = {
        "rows": found[first:last],
        "total": len(found),
        "previous": str(max(first - PAGE_SIZE, 0)) if first else None,
        "next": str(last) if last < len(found) else None,
    }
    return page(request, "console/working.html", context)


@require_safe
@reaching
def session(request, name: str):
    """What one session holds, and until when."""
    chosen = _found(request, name)
    held = items_of(seat(request).scope, chosen.name)
    context = {
        "session": chosen,
        "rows": [(item, _shown(item.value)) for item in held],
        "may_remove": may_remove(request),
        "crumbs": [(_("Working memory"), reverse("working")), (chosen.session_id, None)],
    }
    return page(request, "console/working_session.html", context)


@require_POST
@operating
@reaching
def remove(request, name: str):
    """Forget one key of a session, or all of it."""
    chosen, key = _found(request, name), request.POST.get("key") or None
    try:
        removed = remove_from(seat(request).scope, chosen.name, key)
    except QueueTimeout:
        messages.error(request, BUSY)
        return redirect("working-session", name)
    if removed:
        messages.success(request, _("It was removed."))
    else:
        messages.error(request, _("It was gone already."))
    left = items_of(seat(request).scope, chosen.name)
    return redirect("working-session", name) if left else redirect("working")


def items_or_404(request, name: str) -> list[WorkingItem]:
    """What the session of this name holds."""
    return items_of(seat(request).scope, _found(request, name).name)


def may_remove(request) -> bool:
    return seat(request).membership.may(Right.OPERATE)


def _shown(value) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    return text if len(text) <= VALUE_SHOWN else f"{text[:VALUE_SHOWN]} …"


def _found(request, name: str) -> WorkingSession:
    for one in sessions(seat(request).scope):
        if one.name == name:
            return one
    raise Http404
