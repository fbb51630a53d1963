"""A memory beside the list that it stands in: the short of its page, so that the place in the
list is not lost."""

from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

from django.http import QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from memory.models import Memory, Scope, Status
from memory.write.accesses import note

from . import pages
from .access import memory_or_404, seat
from .memory_parts import Verb, evidence, served_by, verbs

VERSIONS = 5
KEYS = {"approve": "a", "reject": "r", "retract": "r", "hold": "q"}


@require_safe
def peek(request, memory_id: UUID):
    """The panel for one memory; asked for by itself, its page."""
    if not pages.wants_part(request):
        return redirect("memory", memory_id)
    chosen = memory_or_404(request, memory_id)
    return pages.page(request, "console/peek.html", {"peek": peeked(request, chosen)})


def peeked_at(request) -> dict[str, Any] | None:
    """What the address names as `peek`; None where it names none that this person may see."""
    try:
        memory_id = UUID(request.GET.get("peek", ""))
    except ValueError:
        return None
    rows = Memory.objects.within(seat(request).scope).select_related("turn")
    chosen = rows.filter(public_id=memory_id).first()
    return peeked(request, chosen) if chosen else None


def peeked(request, memory: Memory) -> dict[str, Any]:
    """What the panel shows of a memory."""
    scope: Scope = seat(request).scope
    allowed = verbs(memory) if seat(request).membership.may_correct else []
    versions = Memory.objects.within(scope).filter(fact=memory.fact).order_by("-version", "-pk")
    note(scope, [memory], "page")
    return {
        "memory": memory,
        "evidence": evidence(memory),
        "versions": list(versions[:VERSIONS]),
        "served": served_by(scope, memory)[:VERSIONS],
        "ends": min(filter(None, (memory.valid_to, memory.expires_at)), default=None),
        "verbs": [(verb, _key(verb.name, allowed)) for verb in allowed],
        "may_correct": bool(allowed) and memory.status == Status.ACTIVE,
        "back": list_address(request, "memories"),
    }


def _key(verb: str, allowed: list[Verb]) -> str:
    """The letter of a verb; that of rejecting retracts where nothing waits to be rejected."""
    rejects = "reject" in {one.name for one in allowed}
    return "" if verb == "retract" and rejects else KEYS.get(verb, "")


def list_address(request, page: str) -> str:
    """The list beside which the panel stands, without the panel; `page` where nothing tells it."""
    address = request.get_full_path()
    if pages.wants_part(request):
        address = request.htmx.current_url_abs_path or reverse(page)
    parts = urlsplit(address)
    query = QueryDict(parts.query, mutable=True)
    for name in ("peek", "done"):
        query.pop(name, None)
    return urlunsplit(parts._replace(query=query.urlencode(), fragment=""))
