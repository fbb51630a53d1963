"""What the pages of corrections in plain words show: what was understood, and its effect."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from memory.models import Correction, CorrectionState, CorrectionVerdict, Memory, Scope
from memory.write.correction.propose import MESSAGES, Meant, plan_change
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput
from memory.write.snapshot import snapshot

from .differences import Difference, differences
from .keyset import COUNT_CAP
from .listing import State

# What a reading comes to, as the engine says it, for the catalogues.
SENTENCES = (
    gettext_noop("It is clear which fact is meant."),
    gettext_noop("It states something and takes nothing back; remember it instead."),
    gettext_noop("It asks and changes nothing."),
    gettext_noop("It ends the talk and changes nothing."),
    gettext_noop("It says that something stays as it is."),
    gettext_noop("It says that something is right."),
    gettext_noop("It supposes or plans and states nothing."),
    gettext_noop("It tells what somebody else said."),
    gettext_noop("It says that something is wrong. Which of these, and what is right?"),
    gettext_noop("Nothing is remembered under “{subject}”; remember it as something new."),
    gettext_noop("That is what is remembered."),
    gettext_noop("It fits several facts. Which of these is meant?"),
    gettext_noop("It does not say whose, nor does the session. Is one of these meant?"),
    gettext_noop("The value that it calls old is not the one remembered. Change it?"),
    gettext_noop("The new value is of another type than the remembered one. Is it so?"),
    gettext_noop("“{subject}” is a topic and not one fact; name the facts."),
    gettext_noop("“{subject}” is too little to go by; name the fact."),
)
# What the engine may object to in a decision.
OBJECTIONS = (
    gettext_noop("say whose memory is to be corrected"),
    gettext_noop("say what is right, or retract"),
    gettext_noop("give a value or retract, not both"),
    gettext_noop("not among its candidates"),
)
REFUSALS = {
    "over_the_cap": gettext_lazy("It is about too many facts. Nothing was changed."),
    "needs_confirmation": gettext_lazy("Type how many facts it changes. Nothing was changed yet."),
    "needs_choice": gettext_lazy("Choose the fact that is meant. Nothing was changed yet."),
    "nothing_to_apply": gettext_lazy("There is nothing to correct. Nothing was changed."),
    "already_applied": gettext_lazy("It has been applied before; it was not applied again."),
    "dismissed": gettext_lazy("It has been dismissed. Nothing was changed."),
    "expired": gettext_lazy("This preview is too old. Look again; nothing was changed."),
}
_NOT_ONE = Q(verdict=CorrectionVerdict.NOT_A_CORRECTION)
TABS = {
    "open": (gettext_lazy("Open"), Q(state=CorrectionState.OPEN)),
    "applied": (gettext_lazy("Applied"), Q(state=CorrectionState.APPLIED)),
    "dismissed": (gettext_lazy("Dismissed"), Q(state=CorrectionState.DISMISSED) & ~_NOT_ONE),
    "none": (gettext_lazy("No correction"), Q(state=CorrectionState.DISMISSED) & _NOT_ONE),
}
# The facts of a blocked correction are shown as examples; nobody can apply it.
EXAMPLES = 20


@dataclass(frozen=True)
class Line:
    """One memory of a preview (None: gone) and what it becomes. `moved`: it is not as it was
    previewed; `asks`: the utterance does not say what is right."""

    memory_id: UUID
    memory: Memory | None
    moved: bool
    value: str | None
    retracts: bool
    changes: list[Difference] = field(default_factory=list)

    @property
    def asks(self) -> bool:
        return self.value is None and not self.retracts


def lines(scope: Scope, correction: Correction, entries: Sequence[dict[str, Any]]) -> list[Line]:
    """The memories of a preview in its order, with what of each would differ afterwards."""
    entries = entries[:EXAMPLES] if correction.blocked else entries
    ids = [UUID(entry["id"]) for entry in entries]
    rows = {row.public_id: row for row in Memory.objects.within(scope).filter(public_id__in=ids)}
    is_open = correction.state == CorrectionState.OPEN and not correction.blocked
    return [
        _line(scope, pk, rows.get(pk), entry, is_open)
        for pk, entry in zip(ids, entries, strict=True)
    ]


def sentence(correction: Correction) -> str:
    """What was understood, in the reader's language."""
    template, said = MESSAGES.get(correction.reason, ""), correction.message
    head, holds_subject, tail = template.partition("{subject}")
    if not holds_subject:
        return _(template) if template else said
    return _(template).replace("{subject}", said[len(head) : len(said) - len(tail)])


def tabs(scope: Scope, chosen: str) -> list[State]:
    """The tabs with their counts, capped."""
    found = []
    for name, (text, rows) in TABS.items():
        count = Correction.objects.within(scope).filter(rows).order_by()[: COUNT_CAP + 1].count()
        capped = count > COUNT_CAP
        found.append(State(name, text, min(count, COUNT_CAP), capped, name == chosen))
    return found


def _line(
    scope: Scope, memory_id: UUID, memory: Memory | None, entry: dict[str, Any], is_open: bool
) -> Line:
    sets = entry["set"]
    value, retracts = sets.get("value"), "status" in sets
    moved = is_open and (memory is None or memory.revision != entry["revision"])
    changes = []
    if is_open and value is not None and memory is not None and not moved:
        changes = _changes(scope, Meant(memory, value))
    return Line(memory_id, memory, moved, value, retracts, changes)


def _changes(scope: Scope, meant: Meant) -> list[Difference]:
    try:
        planned = plan_change(scope, meant)
    except (InvalidInput, Conflict):
        # Applying says what is in the way.
        return []
    after = next(row for key, row in planned.rows.items() if key != meant.memory.public_id)
    return differences(snapshot(meant.memory), snapshot(after))
