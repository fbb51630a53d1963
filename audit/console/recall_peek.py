"""A recall beside the log that it stands in: what was asked, given and kept back, in short."""

from typing import Any
from uuid import UUID

from django.db.models import Count
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from memory.models import Memory, Recall

from . import pages
from .access import recall_or_404, seat
from .peek import list_address
from .recall_turns import GATES as TURN_GATES
from .recalls import GATES

GIVEN = 5
_WHY = GATES | TURN_GATES
# The head of a context; its page has the whole.
CHARACTERS = 600


@require_safe
def peek(request, recall_id: UUID):
    """The panel for one recall; asked for by itself, its page."""
    if not pages.wants_part(request):
        return redirect("recall", recall_id)
    shown = peeked(request, recall_or_404(request, recall_id))
    return pages.page(request, "console/recall_peek.html", {"peek": shown})


def peeked_at(request) -> dict[str, Any] | None:
    """What the address names as `peek`; None where it names none that this person may see."""
    try:
        recall_id = UUID(request.GET.get("peek", ""))
    except ValueError:
        return None
    recall = Recall.objects.within(seat(request).scope).filter(public_id=recall_id).first()
    return peeked(request, recall) if recall else None


def peeked(request, recall: Recall) -> dict[str, Any]:
    """What the panel shows of a recall."""
    found = recall.candidates.filter(rank__isnull=False, memory_id__isnull=False)
    served = list(found.order_by("rank")[:GIVEN])
    rows = Memory.objects.within(seat(request).scope)
    memories = rows.in_bulk([one.memory_id for one in served], field_name="public_id")
    kept_back = recall.candidates.filter(rank=None).order_by().values_list("gate")
    return {
        "recall": recall,
        "given": [(one, memories.get(one.memory_id)) for one in served],
        "more": max(recall.served - len(served), 0),
        "kept_back": [
            (*_WHY.get(gate, (gate, "")), n) for gate, n in kept_back.annotate(n=Count("pk"))
        ],
        "context": recall.context[:CHARACTERS],
        "is_cut": len(recall.context) > CHARACTERS,
        "back": list_address(request, "recalls"),
    }
