"""What the page of one memory is made of."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import (
    MOVES,
    Memory,
    RecallCandidate,
    Scope,
    Status,
    Turn,
    policies_of,
)
from memory.write.planner import WAITING
from memory.write.snapshot import snapshot

from .differences import field_label, shown, side_by_side
from .templatetags.console import when

RECALLS, VERSIONS, AGAINST = 20, 20, 5
# A quote is read in its turn; of a turn of many pages, this many characters on each side of it.
AROUND = 600
RESTORABLE = {Status.RETRACTED, Status.EXPIRED, Status.SUPERSEDED}
_PLAIN = (
    "user_id", "agent_id", "session_id", "entity", "attribute", "value", "summary", "kind",
    "layer", "domain", "tags", "links", "source",
)  # fmt: skip
_TIMES = (
    "occurred_at", "created_at", "updated_at", "confirmed_at", "valid_from", "valid_to",
    "expires_at",
)  # fmt: skip


def fields(memory: Memory, last_recalled) -> list[tuple[str, Any]]:
    """Every field with its name, for reading."""
    columns = snapshot(memory)
    pairs = [(field_label(name), shown(name, columns[name])) for name in _PLAIN]
    pairs += [(field_label("confirmations"), str(memory.confirmations))]
    pairs += [(field_label(name), when(getattr(memory, name), full=True)) for name in _TIMES]
    pairs += [
        (_("last recalled"), when(last_recalled, full=True)),
        (field_label("version"), str(memory.version)),
        (field_label("external_id"), memory.external_id),
        (field_label("metadata"), shown("metadata", columns["metadata"])),
    ]
    return pairs


@dataclass(frozen=True)
class Evidence:
    """A turn, or as much of it as stands around the quote; `is_cut` then says so."""

    turn: Turn
    text: str
    start: int | None
    end: int | None
    is_cut: bool


def evidence(memory: Memory) -> Evidence | None:
    """The turn that the memory came from, with the quoted span in it."""
    turn = memory.turn
    if turn is None:
        return None
    start, end = memory.evidence_start, memory.evidence_end
    first = max((start or 0) - AROUND, 0)
    last = min((end or 0) + AROUND, len(turn.content))
    if start is not None:
        start, end = start - first, end - first
    is_cut = last - first < len(turn.content)
    return Evidence(turn, turn.content[first:last], start, end, is_cut)


def served_by(scope: Scope, memory: Memory) -> list[RecallCandidate]:
    """The last recalls that gave this version to an agent, newest first."""
    return list(
        RecallCandidate.objects.filter(
            memory_id=memory.public_id, rank__isnull=False, recall__workspace_id=scope.workspace_id
        )
        .select_related("recall")
        .order_by("-id")[:RECALLS]
    )


@dataclass(frozen=True)
class Against:
    """A memory that says something else; both texts with the words marked that the other lacks."""

    other: Memory
    marked: SafeString
    own: SafeString


def against(scope: Scope, memory: Memory) -> list[Against]:
    """Active memories that say something else of the same thing, of which by its policy one value
    is current: under another agent's name, from before the policy, or held up by this one."""
    rows = Memory.objects.within(scope).filter(status=Status.ACTIVE).exclude(fact=memory.fact)
    waits = memory.status in WAITING
    if waits and memory.conflicts_with:
        return _beside(memory, rows.filter(public_id=memory.conflicts_with))
    is_single = policies_of(scope.workspace_id).of(memory.kind, memory.domain).single_valued
    keyed = memory.entity_key and memory.attribute_key and memory.value_key
    if memory.status != Status.ACTIVE or not (is_single and keyed):
        return []
    same = {name: getattr(memory, name) for name in ("user_id", "entity_key", "attribute_key")}
    others = rows.filter(**same).exclude(value_key__in=["", memory.value_key])
    return _beside(memory, others[:AGAINST])


def _beside(memory: Memory, others: QuerySet[Memory]) -> list[Against]:
    found = []
    for other in others:
        own, marked = side_by_side(memory.text, other.text)
        found.append(Against(other, marked, own))
    return found


@dataclass(frozen=True)
class Verb:
    """Something that a person may do about a memory, for a reason."""

    name: str
    text: str
    hint: str
    symbol: str
    needs_reason: bool = False


_VERBS = {
    "confirm": Verb(
        "confirm",
        gettext_lazy("Confirm"),
        gettext_lazy("It is true today: confidence rises, no new version is made."),
        "check",
    ),
    "retract": Verb(
        "retract",
        gettext_lazy("Retract"),
        gettext_lazy("It is wrong: no agent is given it any more. It stays in the history."),
        "ban",
        needs_reason=True,
    ),
    "expire": Verb(
        "expire",
        gettext_lazy("End"),
        gettext_lazy("It held until now and does no longer: no agent is given it any more."),
        "clock-off",
        needs_reason=True,
    ),
    "restore": Verb(
        "restore",
        gettext_lazy("Restore"),
        gettext_lazy("Make it current again, in place of what is current now."),
        "arrow-back-up",
    ),
    "approve": Verb(
        "approve",
        gettext_lazy("Approve"),
        gettext_lazy("It becomes active, in place of what is current now."),
        "check",
        needs_reason=True,
    ),
    "reject": Verb(
        "reject",
        gettext_lazy("Reject"),
        gettext_lazy("It is not to be remembered. It stays in the history."),
        "ban",
        needs_reason=True,
    ),
    "hold": Verb(
        "hold",
        gettext_lazy("Hold"),
        gettext_lazy("No agent is given it until a person has looked at it in the review queue."),
        "lock",
        needs_reason=True,
    ),
}
NEEDS_REASON = frozenset(name for name, verb in _VERBS.items() if verb.needs_reason)


def verbs(memory: Memory) -> list[Verb]:
    """What its state allows."""
    allowed = {
        "confirm": memory.status == Status.ACTIVE,
        "retract": Status.RETRACTED in MOVES[Status(memory.status)],
        "expire": memory.status == Status.ACTIVE,
        "restore": memory.status in RESTORABLE,
        "approve": memory.status in WAITING,
        "reject": memory.status in WAITING,
        "hold": memory.status == Status.ACTIVE,
    }
    return [_VERBS[name] for name in allowed if allowed[name]]
