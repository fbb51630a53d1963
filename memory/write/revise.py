"""Changing what is remembered: amend, confirm, retract, restore, expire. Each draws up a plan."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from memory import clock
from memory.models import Memory, Policy, Scope, Status, layer_of, policies_of
from memory.text.normalise import key
from memory.text.statement import parse_statement

from .draft import one_sentence, parts, places, restated, with_value
from .plan import Conflict, StalePlan
from .planner import Planner
from .proposal import InvalidInput, Proposal
from .resolve import confirm, supersede

AMENDABLE = frozenset(
    {
        "user_id", "agent_id", "session_id", "entity", "attribute", "value", "text", "summary",
        "kind", "domain", "tags", "links", "source", "importance", "confidence", "occurred_at",
        "valid_from", "valid_to", "expires_at", "external_id", "metadata",
    }
)  # fmt: skip


class NotFound(LookupError):
    """No such memory in this scope."""


def find(scope: Scope, memory_id: UUID) -> Memory:
    """The memory, or `NotFound`: the same for one of another scope and one that never was."""
    memory = Memory.objects.within(scope).filter(public_id=memory_id).first()
    if memory is None:
        raise NotFound(str(memory_id))
    return memory


def plan_amend(scope: Scope, memory: Memory, changes: dict[str, Any]) -> Planner:
    """A new version with some fields changed; the current one becomes its history.

    A changed value without a new text restates the text, so that it does not go on telling the
    old value. Raises `InvalidInput`, `Conflict`.
    """
    unknown = sorted(set(changes) - AMENDABLE)
    if unknown or not changes:
        raise InvalidInput([(name, "cannot be changed") for name in unknown or ["value"]])
    if memory.status != Status.ACTIVE:
        raise Conflict(f"only an active memory can be corrected; this one is {memory.status}")
    wanted = _amended(memory, changes).checked()
    if "text" in changes and memory.value and not changes.keys() & _PARTS:
        wanted = replace(wanted, value=_value_said_by(wanted.text, memory))
    if all(_plain(getattr(wanted, name)) == _plain(getattr(memory, name)) for name in AMENDABLE):
        raise InvalidInput([(name, "is what it already says") for name in sorted(changes)])
    planner = Planner(scope)
    if wanted.user_id != memory.user_id:
        scope.narrow(wanted.user_id)
    policy = policies_of(scope.workspace_id)[wanted.kind]
    row = _row(memory, wanted, policy)
    if _key(row) != _key(vars(memory)) and row["single_valued"]:
        rival = planner.current(*_key(row))
        if rival is not None:
            raise Conflict(f"{rival.public_id} is already current for that entity and attribute")
    observed = wanted.occurred_at if "occurred_at" in changes else None
    supersede(planner, memory, row, observed or planner.now)
    return planner


def plan_confirm(scope: Scope, memory: Memory) -> Planner:
    if memory.status != Status.ACTIVE:
        raise Conflict(f"only an active memory can be confirmed; this one is {memory.status}")
    planner = Planner(scope)
    confirm(planner, memory, planner.now)
    return planner


def plan_retract(scope: Scope, memories: Iterable[Memory]) -> Planner:
    """Say that memories are wrong. A superseded value stays in history, marked as wrong."""
    planner = Planner(scope)
    for memory in memories:
        if memory.status == Status.RETRACTED:
            raise Conflict(f"{memory.public_id} is already retracted")
        ends = {} if memory.valid_to else {"valid_to": planner.now}
        planner.change(memory, "retract", status=Status.RETRACTED, **ends)
    return planner


def plan_restore(scope: Scope, memory: Memory) -> Planner:
    """Make a memory current again.

    In place when nothing took its place; otherwise, and for a superseded value, as a new
    version on top of what is current, so that the history only grows.
    """
    if memory.status not in (Status.RETRACTED, Status.EXPIRED, Status.SUPERSEDED):
        raise Conflict(f"a {memory.status} memory cannot be restored")
    planner = Planner(scope)
    rival = planner.standing(memory)
    policy = policies_of(scope.workspace_id)[memory.kind]
    expires = planner.now + timedelta(hours=policy.ttl_hours) if policy.ttl_hours else None
    # What something else was built on keeps its place in the history.
    in_place = memory.status != Status.SUPERSEDED and memory.superseded_by_id is None
    if rival is None and in_place:
        planner.change(
            memory,
            "restore",
            status=Status.ACTIVE,
            valid_to=None,
            confirmed_at=planner.now,
            expires_at=expires,
        )
        return planner
    row = _copied(memory) | {"expires_at": expires, "occurred_at": None, "valid_from": None}
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


def plan_expire(scope: Scope, memories: Iterable[Memory]) -> Planner:
    planner = Planner(scope)
    for memory in memories:
        planner.change(
            memory, "expire", status=Status.EXPIRED, valid_to=memory.valid_to or memory.expires_at
        )
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


def _amended(memory: Memory, changes: dict[str, Any]) -> Proposal:
    fields = {name: getattr(memory, name) for name in AMENDABLE} | changes
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


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _row(memory: Memory, wanted: Proposal, policy: Policy) -> dict[str, Any]:
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
