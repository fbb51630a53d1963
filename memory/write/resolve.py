"""What a proposal comes to beside what is already known: added, superseded or confirmed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory.models import Memory, Policy, Status
from memory.models.ids import new_id
from memory.text.normalise import key

from .draft import columns, said_kind
from .planner import Planner, began
from .proposal import Proposal

# An exact repeat takes away this share of the doubt that is left.
REPEAT_REMOVES_DOUBT = 0.3
UNSTATED_CONFIDENCE = 0.6


@dataclass(frozen=True)
class Outcome:
    """`action` is added, superseded or confirmed. A late observation is "superseded" with no
    `previous` and reason "older_observation": it went straight to history."""

    action: str
    memory: Memory
    previous: Memory | None = None
    reason: str = ""


def take(planner: Planner, proposal: Proposal, policies: dict[str, Policy]) -> Outcome:
    """Plan what writing the proposal changes. Nothing is written."""
    current = _current(planner, proposal)
    policy = policies[said_kind(proposal, current)]
    row = columns(proposal, policy, current, planner.scope)
    # What is said to happen later was observed now: it must not outrank what is said tomorrow.
    observed = min(row["occurred_at"] or row["valid_from"] or planner.now, planner.now)
    if row["expires_at"] is None and policy.ttl_hours:
        row["expires_at"] = observed + timedelta(hours=policy.ttl_hours)
    if not row["single_valued"]:
        same = planner.repeat(row["user_id"], row["agent_id"], row["fingerprint"])
        if same is not None:
            return Outcome("confirmed", confirm(planner, same, observed), None, "exact_repeat")
        return _add(planner, row, observed)
    if current is None:
        return _add(planner, row, observed)
    if _same_value(current, row):
        return Outcome("confirmed", confirm(planner, current, observed), None, "exact_repeat")
    if observed < min(began(current), planner.now):
        return _file_in_history(planner, row, observed, current)
    return supersede(planner, current, row, observed)


def confirm(planner: Planner, memory: Memory, observed: datetime) -> Memory:
    """One more time said: count, confidence and last confirmed move, no version is made."""
    doubt = 1 - (UNSTATED_CONFIDENCE if memory.confidence is None else memory.confidence)
    return planner.change(
        memory,
        "confirm",
        confirmations=memory.confirmations + 1,
        confidence=round(1 - doubt * (1 - REPEAT_REMOVES_DOUBT), 4),
        confirmed_at=max(filter(None, (memory.confirmed_at, min(observed, planner.now)))),
    )


def supersede(
    planner: Planner, current: Memory, row: dict[str, Any], observed: datetime
) -> Outcome:
    """The new value takes the current one's place; the old row goes to history."""
    memory_id = new_id()
    began_at = row["valid_from"] or observed
    previous = planner.change(
        current,
        "supersede",
        status=Status.SUPERSEDED,
        superseded_by_id=memory_id,
        valid_to=began_at,
    )
    version = planner.next_version(current.fact)
    row = row | {
        "status": Status.ACTIVE,
        "fact": current.fact,
        "version": version,
        "supersedes_id": current.public_id,
        "confirmed_at": min(observed, planner.now),
        "valid_from": began_at,
    }
    return Outcome("superseded", planner.add("add", public_id=memory_id, **row), previous)


def _current(planner: Planner, proposal: Proposal) -> Memory | None:
    if not (proposal.entity and proposal.attribute):
        return None
    return planner.current(
        proposal.user_id, proposal.agent_id, key(proposal.entity), key(proposal.attribute)
    )


def _same_value(current: Memory, row: dict[str, Any]) -> bool:
    if current.value_key or row["value_key"]:
        return current.value_key == row["value_key"]
    return current.fingerprint == row["fingerprint"]


def _add(planner: Planner, row: dict[str, Any], observed: datetime) -> Outcome:
    row = row | {
        "status": Status.ACTIVE,
        "confirmed_at": min(observed, planner.now),
        "valid_from": row["valid_from"] or observed,
    }
    if row["single_valued"]:
        last = planner.last_of_key(
            row["user_id"], row["agent_id"], row["entity_key"], row["attribute_key"]
        )
        if last is not None:
            row |= {"fact": last.fact, "version": planner.next_version(last.fact)}
    return Outcome("added", planner.add("add", **row))


def _file_in_history(
    planner: Planner, row: dict[str, Any], observed: datetime, current: Memory
) -> Outcome:
    """An older observation that arrives late takes its place in the history, by validity."""
    after, before = current, None
    for link in planner.chain(current)[1:]:
        if began(link) <= observed:
            before = link
            break
        after = link
    if before is not None and before.status == Status.SUPERSEDED and _same_value(before, row):
        memory = planner.change(before, "confirm", confirmations=before.confirmations + 1)
        return Outcome("confirmed", memory, None, "older_observation")
    memory_id = new_id()
    version = planner.next_version(current.fact)
    planner.change(after, "relink", supersedes_id=memory_id)
    if before is not None:
        planner.change(before, "relink", superseded_by_id=memory_id, valid_to=observed)
    row = row | {
        "status": Status.SUPERSEDED,
        "fact": current.fact,
        "version": version,
        "supersedes_id": before.public_id if before else None,
        "superseded_by_id": after.public_id,
        "confirmed_at": observed,
        "valid_from": observed,
        "valid_to": began(after),
    }
    memory = planner.add("add", public_id=memory_id, **row)
    return Outcome("superseded", memory, None, "older_observation")
