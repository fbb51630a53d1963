"""A recall asked again: as it was recorded, as the store was, and as it is now, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory.models import Batch, Memory, PolicyChange, Scope, ScopeError
from memory.recall import InvalidRequest
from memory.recall.replay import Move, Placed, Replay, replay

from .access import recall_or_404, seat
from .pages import page
from .recall_turns import moved_turns
from .templatetags.console import word_diff

BATCHES_SHOWN = 5
CAUSES = {
    "batch": gettext_lazy("it was changed"),
    "others": gettext_lazy("others that it is ranked among were changed"),
    "policy": gettext_lazy("no memory was changed: time went on, or the rules of ranking moved"),
    "index": gettext_lazy("words are read by another version of the index"),
}
WORKING_CAUSES = {
    "expired": gettext_lazy("its time is over, or it was removed"),
    "changed": gettext_lazy("another value stands under this key now"),
    "added": gettext_lazy("it came since"),
    "others": gettext_lazy("the context has no room for it now"),
}


@dataclass(frozen=True)
class Place:
    """A place in one ranking. `moved`: its rank in the record is another one, `was`, or none."""

    placed: Placed
    memory: Memory | None
    was: int | None

    @property
    def moved(self) -> bool:
        return self.was != self.placed.rank


@dataclass(frozen=True)
class Moved:
    """A memory that is at another rank now, and the one that took its place since; the newest of
    the batches behind it come first."""

    move: Move
    memory: Memory | None
    successor: Memory | None
    cause: str
    batches: Sequence[Batch]
    more: int
    policies: Sequence[PolicyChange]

    @property
    def marked(self) -> SafeString:
        return word_diff(self.memory.text, self.successor.text)


@require_safe
def one(request, recall_id):
    """Replay a record; nothing is written, and no recall is recorded."""
    recall = recall_or_404(request, recall_id)
    scope = seat(request).scope
    context = {
        "recall": recall,
        "crumbs": [
            (_("Recall log"), reverse("recalls")),
            (str(recall), reverse("recall", args=[recall.public_id])),
            (_("Replay"), None),
        ],
    }
    try:
        answer = replay(scope, recall)
    except (InvalidRequest, ScopeError):
        return page(request, "console/replay.html", context | {"cannot": True})
    memories = memories_of(scope, answer)
    successors = successors_of(scope, [memories.get(move.memory_id) for move in answer.moves])
    context |= {
        "answer": answer,
        "columns": columns(answer, memories),
        "moves": [moved(move, memories, successors) for move in answer.moves],
        "turn_moves": moved_turns(scope, answer.turns),
        "working_moves": [(one.key, WORKING_CAUSES[one.cause]) for one in answer.working.moves],
    }
    return page(request, "console/replay.html", context)


def memories_of(scope: Scope, answer: Replay) -> dict[UUID, Memory]:
    """The memories that the rankings name, as far as they are still there; one query."""
    placed = (*answer.then, *answer.as_it_was, *answer.now)
    rows = Memory.objects.within(scope).filter(public_id__in={one.memory_id for one in placed})
    return {row.public_id: row for row in rows}


def successors_of(scope: Scope, moved: Sequence[Memory | None]) -> dict[UUID, Memory]:
    """What took the place of these memories, by its id; one query."""
    wanted = {row.superseded_by_id for row in moved if row and row.superseded_by_id}
    rows = Memory.objects.within(scope).filter(public_id__in=wanted)
    return {row.public_id: row for row in rows}


def columns(answer: Replay, memories: dict[UUID, Memory]) -> list[tuple[str, str, list[Place]]]:
    """The three rankings with their titles and what each of them is."""
    was = {placed.memory_id: placed.rank for placed in answer.then}

    def places(ranking: Sequence[Placed]) -> list[Place]:
        return [Place(p, memories.get(p.memory_id), was.get(p.memory_id)) for p in ranking]

    return [
        (_("As recorded"), _("what the agent was given"), places(answer.then)),
        (_("As the store was"), _("worked out again from the ledger"), places(answer.as_it_was)),
        (_("Now"), _("what it would be given now"), places(answer.now)),
    ]


def moved(move: Move, memories: dict[UUID, Memory], successors: dict[UUID, Memory]) -> Moved:
    newest, memory = move.cause.batches[::-1], memories.get(move.memory_id)
    return Moved(
        move,
        memory,
        memory and successors.get(memory.superseded_by_id),
        CAUSES.get(move.cause.kind, move.cause.kind),
        newest[:BATCHES_SHOWN],
        max(len(newest) - BATCHES_SHOWN, 0),
        move.cause.policies,
    )
