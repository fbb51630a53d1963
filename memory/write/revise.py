"""Changing what is remembered: amend, confirm, retract, restore, expire. Each draws up a plan."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory import clock
from memory.models import Erasure, Memory, Policy, Scope, Status, layer_of, policies_of
from memory.text.normalise import key
from memory.text.statement import parse_statement

from .draft import expiry, links_after, one_sentence, parts, places, restated, with_value
from .erase.tombstones import erasure_of
from .held import CONFLICT, LOW_CONFIDENCE, Look, look
from .plan import Conflict, StalePlan
from .planner import Planner
from .proposal import InvalidInput, Proposal
from .resolve import supersede
from .waiting import confirm, hold, say_again

AMENDABLE = frozenset(
    {
        "user_id", "agent_id", "session_id", "entity", "attribute", "value", "text", "summary",
        "kind", "domain", "tags", "links", "source", "importance", "confidence", "occurred_at",
        "valid_from", "valid_to", "expires_at", "external_id", "metadata",
    }
)  # fmt: skip


class NotFound(LookupError):
    """No such memory in this scope."""


class Erased(NotFound):
    """It was erased from this scope; `erasure` is its tombstone."""

    def __init__(self, erasure: Erasure):
        self.erasure = erasure
        super().__init__(f"{erasure.memory_id} was erased")


def find(scope: Scope, memory_id: UUID) -> Memory:
    """The memory, or `NotFound`: the same for one of another scope and one that never was. Where
    it was erased, and the scope had it, `Erased`."""
    memory = Memory.objects.within(scope).filter(public_id=memory_id).first()
    if memory is not None:
        return memory
    if erasure := erasure_of(scope, memory_id):
        raise Erased(erasure)
    raise NotFound(str(memory_id))


def plan_amend(scope: Scope, memory: Memory, changes: dict[str, Any]) -> Planner:
    """A new version with some fields changed; the current one becomes its history.

    A changed value without a new text restates the text, so that it does not go on telling the
    old value. Where what is new has to be looked at by a person, and none made the change, the new
    version waits and the current one stays. Raises `InvalidInput` (`SecretRefused` for a secret),
    `Conflict`.
    """
    unknown = sorted(set(changes) - AMENDABLE)
    if unknown or not changes:
        raise InvalidInput([(name, "cannot be changed") for name in unknown or ["value"]])
    if memory.status != Status.ACTIVE:
        raise Conflict(f"only an active memory can be corrected; this one is {memory.status}")
    wanted = amended(memory, changes)
    if all(_plain(getattr(wanted, name)) == _plain(getattr(memory, name)) for name in AMENDABLE):
        raise InvalidInput([(name, "is what it already says") for name in sorted(changes)])
    planner = Planner(scope)
    if wanted.user_id != memory.user_id:
        scope.narrow(wanted.user_id)
    policy = policies_of(scope.workspace_id).of(wanted.kind, wanted.domain)
    wanted, held = _screened(scope, memory, wanted, policy)
    row = row_of(memory, wanted, policy)
    if _key(row) != _key(vars(memory)) and row["single_valued"]:
        rival = planner.current(*_key(row))
        if rival is not None:
            raise Conflict(f"{rival.public_id} is already current for that entity and attribute")
    observed = (wanted.occurred_at if "occurred_at" in changes else None) or planner.now
    if wanted.expires_at is None or (memory.ttl_hours and "expires_at" not in changes):
        row |= expiry(policy, min(observed, planner.now))
    if held:
        held.append({"code": CONFLICT, "with": str(memory.public_id)})
        row |= {"fact": memory.fact, "version": planner.next_version(memory.fact)}
        hold(planner, row, held, observed, memory)
    else:
        supersede(planner, memory, row, observed)
    return planner


def plan_confirm(scope: Scope, memory: Memory) -> Planner:
    """Say that a memory still holds; a candidate that was only not sure enough becomes active
    when this makes it so. Raises `Conflict`."""
    planner = Planner(scope)
    if memory.status == Status.ACTIVE:
        confirm(planner, memory, planner.now)
    elif {reason["code"] for reason in memory.held_for} == {LOW_CONFIDENCE}:
        policy = policies_of(scope.workspace_id).of(memory.kind, memory.domain)
        current = planner.standing(memory) if memory.single_valued else None
        say_again(planner, memory, vars(memory), policy, current, planner.now)
    else:
        raise Conflict(f"only an active memory can be confirmed; this one is {memory.status}")
    return planner


def plan_retract(
    scope: Scope, memories: Iterable[Memory], planner: Planner | None = None
) -> Planner:
    """Say that memories are wrong. A superseded value stays in history, marked as wrong."""
    planner = planner or Planner(scope)
    for memory in memories:
        if memory.status == Status.RETRACTED:
            raise Conflict(f"{memory.public_id} is already retracted")
        ends = {} if memory.valid_to else {"valid_to": planner.now}
        planner.change(memory, "retract", status=Status.RETRACTED, **ends)
    return planner


def plan_restore(scope: Scope, memory: Memory) -> Planner:
    """Make a memory current again.

    In place when nothing took its place; otherwise, and for a superseded value, as a new
    version on top of what is current, so that the history only grows. Its time starts anew, but
    an end to come that the writer gave stays.
    """
    if memory.status not in (Status.RETRACTED, Status.EXPIRED, Status.SUPERSEDED):
        raise Conflict(f"a {memory.status} memory cannot be restored")
    if memory.held_for:
        raise Conflict("it was never active: it waited for a decision when it was taken back")
    planner = Planner(scope)
    rival = planner.standing(memory)
    ends = {"expires_at": memory.expires_at, "ttl_hours": memory.ttl_hours}
    if memory.ttl_hours or memory.expires_at is None or memory.expires_at <= planner.now:
        policy = policies_of(scope.workspace_id).of(memory.kind, memory.domain)
        ends = expiry(policy, planner.now)
    # What something else was built on keeps its place in the history.
    in_place = memory.status != Status.SUPERSEDED and memory.superseded_by_id is None
    if rival is None and in_place:
        planner.change(
            memory,
            "restore",
            status=Status.ACTIVE,
            valid_to=None,
            confirmed_at=planner.now,
            **ends,
        )
        return planner
    row = _copied(memory) | ends | {"occurred_at": None, "valid_from": None}
    if rival is not None:
        supersede(planner, rival, row, planner.now)
        return planner
    planner.add(
        "restore",
        **row
        | {
            "status": Status.ACTIVE,
            "fact": memory.fact,
            "version": planner.next_version(memory.fact),
            "confirmed_at": planner.now,
            "valid_from": planner.now,
        },
    )
    return planner


def plan_expire(
    scope: Scope, memories: Iterable[Memory], planner: Planner | None = None
) -> Planner:
    """Their time is over: when they said that it would be, else now."""
    planner = planner or Planner(scope)
    for memory in memories:
        over = min(filter(None, (memory.valid_to, memory.expires_at, planner.now)))
        planner.change(memory, "expire", status=Status.EXPIRED, valid_to=over)
    return planner


def check_revision(memory: Memory, seen: int | None) -> None:
    """Raise `StalePlan` when somebody saw another revision than there is now."""
    if seen is not None and seen != memory.revision:
        raise StalePlan([memory.public_id])


_COPIED = (
    "user_id", "agent_id", "session_id", "entity", "attribute", "value", "entity_key",
    "attribute_key", "value_key", "fingerprint", "text", "summary", "kind", "layer", "domain",
    "tags", "links", "source", "importance", "confidence", "single_valued", "turn_id",
    "evidence_start", "evidence_end", "quote", "external_id", "metadata",
)  # fmt: skip


def _copied(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in _COPIED}


def _key(row: dict[str, Any]) -> tuple[str, str, str, str]:
    return row["user_id"], row["agent_id"], row["entity_key"], row["attribute_key"]


def amended(memory: Memory, changes: Mapping[str, Any]) -> Proposal:
    """A memory's fields with some changed, checked. Raises `InvalidInput`."""
    wanted = _with(memory, changes).checked()
    if "text" in changes and memory.value and not changes.keys() & _PARTS:
        wanted = replace(wanted, value=_value_said_by(wanted.text, memory))
    return wanted


def _with(memory: Memory, changes: Mapping[str, Any]) -> Proposal:
    fields = {name: getattr(memory, name) for name in AMENDABLE} | dict(changes)
    value_moved = fields["value"] != memory.value
    if value_moved and "text" not in changes:
        fields["text"] = restated(
            memory.text, memory.value, fields["value"], fields["entity"], fields["attribute"]
        )
    if "summary" not in changes and fields["text"] != memory.text:
        kept = (
            with_value(memory.summary, memory.value, fields["value"])
            if "text" not in changes
            else None
        )
        fields["summary"] = kept or one_sentence(fields["text"])
    if "occurred_at" not in changes and fields["text"] != memory.text:
        fields["occurred_at"] = clock.now()
    if "links" not in changes and fields["text"] != memory.text:
        fields["links"] = links_after(memory, fields["text"])
    fields["tags"], fields["links"] = tuple(fields["tags"]), tuple(fields["links"])
    return Proposal(**fields)


_PARTS = frozenset({"entity", "attribute", "value"})


def _value_said_by(text: str, memory: Memory) -> str:
    """The value that a new text gives the same entity and attribute; the old one where the text
    still says it. Anything else would leave text and value telling different things."""
    said = parse_statement(text)
    subject = (memory.entity_key, memory.attribute_key)
    if said and (key(said.entity), key(said.attribute)) == subject:
        return said.value
    if places(key(text), memory.value_key):
        return memory.value
    raise InvalidInput([("value", "the new text no longer says it; give the new value too")])


def _screened(
    scope: Scope, memory: Memory, wanted: Proposal, policy: Policy
) -> tuple[Proposal, list[dict[str, Any]]]:
    """The amended memory as it may be stored, and why it has to wait: what is found in the fields
    that change, unless a person at the console makes the change."""
    seen = look(wanted)
    changed = {n for n in AMENDABLE if _plain(getattr(wanted, n)) != _plain(getattr(memory, n))}
    new = tuple(one for one in seen.found if one.field.partition(".")[0] in changed)
    wanted, held = Look(wanted, new).under(policy)
    return wanted, [] if scope.surface == "console" else held


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def row_of(memory: Memory, wanted: Proposal, policy: Policy) -> dict[str, Any]:
    """The columns of a new row for `memory` as it is wanted now."""
    row = _copied(memory) | {
        name: value for name, value in vars(wanted).items() if name in AMENDABLE
    }
    row |= parts(wanted.entity, wanted.attribute, wanted.value, wanted.text)
    row["tags"], row["links"] = list(wanted.tags), list(wanted.links)
    row["layer"] = layer_of(wanted.kind)
    row["single_valued"] = policy.single_valued and bool(wanted.entity and wanted.attribute)
    row["valid_from"] = wanted.valid_from if wanted.valid_from != memory.valid_from else None
    if wanted.text != memory.text:
        # The quoted span speaks for the old text, not for the new one.
        row |= {"turn_id": None, "evidence_start": None, "evidence_end": None, "quote": ""}
    return row
