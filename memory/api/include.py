"""What one memory may bring along, so that an agent asks once."""

from typing import Annotated, Any

from ninja import Schema

from memory.models import Memory, Status, Turn

from .form import MemoryForm, memory_forms
from .history import ChangeForm, change_form, changes_of
from .listing import AsOf, some_of
from .turns import TurnForm, turn_form

PARTS = ("superseded", "evidence", "history")
# More versions than a person reads; `GET /memories/{id}/history` has them all, by pages.
MOST = 100


class OneMemory(AsOf):
    """`include`, by commas: "superseded" (its former versions, newest first), "evidence" (the turn
    that it was read from), "history" (the ledger's entries, oldest first); at most 100 each."""

    include: Annotated[str, some_of([*PARTS, ""])] = ""

    @property
    def parts(self) -> set[str]:
        return set(self.include.split(",")) - {""}


class Included(Schema):
    """What was asked for, and no more."""

    superseded: list[MemoryForm] | None = None
    evidence: TurnForm | None = None
    history: list[ChangeForm] | None = None


class MemoryWithMore(MemoryForm):
    """`included` is there only where `include` asked for something."""

    included: Included | None = None


def included(request, memory: Memory, parts: set[str]) -> dict[str, Any]:
    """The parts asked for, in the form of `Included`; the key is missing where nothing was."""
    made = {name: _PARTS[name](request, memory) for name in PARTS if name in parts}
    return {"included": made} if made else {}


def _superseded(request, memory: Memory) -> list[dict[str, Any]]:
    rows = Memory.objects.within(request.scope).filter(
        fact=memory.fact, status=Status.SUPERSEDED
    ).exclude(pk=memory.pk)  # fmt: skip
    rows = list(rows.order_by("-version", "-pk")[:MOST])
    forms = memory_forms(request, rows)
    return [forms[row.public_id] for row in rows]


def _evidence(request, memory: Memory) -> dict[str, Any] | None:
    if memory.turn_id is None:
        return None
    turn = Turn.objects.within(request.scope).filter(public_id=memory.turn_id).first()
    return turn and turn_form(turn, request.auth.workspace.name)


def _history(request, memory: Memory) -> list[dict[str, Any]]:
    entries = changes_of(request.scope, memory).order_by("id")[:MOST]
    return [change_form(entry, request.auth.workspace.name) for entry in entries]


_PARTS = {"superseded": _superseded, "evidence": _evidence, "history": _history}
