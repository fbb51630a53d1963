"""What a proposal comes to beside what is already known."""

from datetime import datetime
from typing import Any

from memory.models import Memory, Policies, Status
from memory.models.ids import new_id
from memory.text.normalise import key

from .draft import columns, expiry, said_domain, said_kind
from .held import Look, look, stored_quote
from .outcome import Outcome
from .planner import Planner, began
from .proposal import Proposal
from .sameness import same_in_other_words
from .waiting import confirm, doubts_about, hold, placed, say_again


def take(
    planner: Planner, proposal: Proposal, policies: Policies, seen: Look | None = None
) -> Outcome:
    """Plan what writing the checked proposal changes. Nothing is written. `seen` is its `look`,
    where that was already taken. Raises `InvalidInput`, `SecretRefused`."""
    seen = seen or look(proposal)
    current = _current(planner, proposal)
    policy = policies.of(said_kind(proposal, current), said_domain(proposal, current))
    allowed, held = seen.under(policy)
    if allowed is not proposal:
        current = _current(planner, allowed)
    row = columns(allowed, policy, current, planner.scope)
    row["quote"] = stored_quote(row["quote"], policy)
    # What is said to happen later was observed now: it must not outrank what is said tomorrow.
    observed = min(row["occurred_at"] or row["valid_from"] or planner.now, planner.now)
    if row["expires_at"] is None:
        row |= expiry(policy, observed)
    if not row["single_valued"]:
        current = None
        same = planner.repeat(row["user_id"], row["agent_id"], row["fingerprint"])
    else:
        same = current if current and _same_value(current, row) else None
    if same is not None:
        memory = confirm(planner, same, observed, row["source"])
        return Outcome("confirmed", memory, None, "exact_repeat")
    doubts = [*held, *({"code": code} for code in proposal.doubts)]
    waiting = planner.waiting(row["user_id"], row["agent_id"], row["fingerprint"])
    if waiting is not None:
        return say_again(planner, waiting, row, policy, current, observed, doubts)
    late = current is not None and observed < min(began(current), planner.now)
    doubts += doubts_about(row, policy, None if late else current)
    if doubts:
        return hold(planner, row, doubts, observed, None if late else current)
    if current is None:
        told = same_in_other_words(planner, row, policy)
        if told is not None:
            return _merge(planner, told, row, observed)
        return _add(planner, row, observed)
    if late:
        return _file_in_history(planner, row, observed, current)
    return supersede(planner, current, row, observed)


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


def _merge(planner: Planner, told: Memory, row: dict[str, Any], observed: datetime) -> Outcome:
    """The other wording goes to history, and the memory that said it before is confirmed."""
    planner.add(
        "merge",
        **placed(planner, row, observed)
        | {
            "status": Status.SUPERSEDED,
            "superseded_by_id": told.public_id,
            "valid_to": row["valid_from"] or observed,
        },
    )
    memory = confirm(planner, told, observed, row["source"])
    return Outcome("merged", memory, None, "other_words")


def _same_value(current: Memory, row: dict[str, Any]) -> bool:
    if current.value_key or row["value_key"]:
        return current.value_key == row["value_key"]
    return current.fingerprint == row["fingerprint"]


def _add(planner: Planner, row: dict[str, Any], observed: datetime) -> Outcome:
    return Outcome("added", planner.add("add", **placed(planner, row, observed)))


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
