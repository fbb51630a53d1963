"""What a person decides about memories that wait: approve, reject, edit, merge, hold.

Each draws up a plan; many rows make one batch with one undo.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import DuplicatePair, Memory, PairState, Policies, Scope, Status, policies_of
from memory.models.ids import new_id

from .apply import apply
from .confidence import raised, stated
from .draft import expiry
from .held import look
from .plan import Applied, Conflict, StalePlan
from .planner import WAITING, Planner
from .proposal import TAG_LIMIT
from .revise import amended, row_of
from .transaction import write_transaction
from .waiting import confirm, promote

# Why a person, and not the engine, holds a memory: a code of `Memory.held_for`.
BY_PERSON = "person"


def plan_approve(
    scope: Scope,
    memories: Iterable[Memory],
    against: Mapping[UUID, UUID | None] | None = None,
    planner: Planner | None = None,
) -> Planner:
    """Make candidates and held memories active, each in the place of the current value of its
    key; one that says what is current anyway confirms it.

    `against` names, by memory, the current value that the reviewer saw beside it (None: there was
    none). Raises `StalePlan` where another is current now, `Conflict` for a memory that does not
    wait or whose time is over.
    """
    planner, policies = planner or Planner(scope), policies_of(scope.workspace_id)
    for memory in memories:
        _check_waits(memory)
        current = _current(planner, memory)
        if memory.single_valued and memory.public_id in (against or {}):
            # What this batch itself put there was seen, as the other item of the page.
            is_older = current is None or current.public_id not in planner.before
            if is_older and against[memory.public_id] != (current and current.public_id):
                raise StalePlan([memory.public_id])
        _approve(planner, memory, current, policies)
    return planner


def plan_reject(
    scope: Scope, memories: Iterable[Memory], planner: Planner | None = None
) -> Planner:
    """Say that candidates and held memories are not to be remembered. They stay in the history.
    Raises `Conflict` for a memory that does not wait."""
    planner = planner or Planner(scope)
    for memory in memories:
        _check_waits(memory)
        planner.change(memory, "reject", status=Status.REJECTED, held_for=[], conflicts_with=None)
    return planner


def plan_edit(scope: Scope, memory: Memory, changes: Mapping[str, Any]) -> Planner:
    """Approve a memory in other words: what was said is rejected and stays as it was, the edited
    one becomes active in its place. Raises `InvalidInput` (`SecretRefused` for a secret),
    `Conflict`."""
    _check_waits(memory)
    planner, policies = Planner(scope), policies_of(scope.workspace_id)
    wanted = look(amended(memory, changes)).proposal
    scope.narrow(wanted.user_id)
    policy = policies.of(wanted.kind, wanted.domain)
    row = row_of(memory, wanted, policy) | {"ttl_hours": memory.ttl_hours}
    memory_id = new_id()
    planner.change(
        memory,
        "reject",
        status=Status.REJECTED,
        superseded_by_id=memory_id,
        held_for=[],
        conflicts_with=None,
    )
    edited = planner.add(
        "edit", public_id=memory_id, **row | {"status": Status.CANDIDATE, "fact": memory_id}
    )
    _approve(planner, edited, _current(planner, edited), policies)
    return planner


def plan_hold(scope: Scope, memories: Iterable[Memory], planner: Planner | None = None) -> Planner:
    """Take active memories out of recall until a person has looked at them. Raises `Conflict`
    for others."""
    planner = planner or Planner(scope)
    for memory in memories:
        if memory.status != Status.ACTIVE:
            raise Conflict(f"only an active memory can be held; this one is {memory.status}")
        planner.change(memory, "hold", status=Status.QUARANTINED, held_for=[{"code": BY_PERSON}])
    return planner


def plan_merge(
    scope: Scope, keep: Memory, others: Sequence[Memory], planner: Planner | None = None
) -> Planner:
    """Let one memory stand for others that say the same: they are superseded by it and keep
    their text; it takes over their confirmations, tags, links and, where it has none, evidence.

    Raises `Conflict` unless all are active memories of one user.
    """
    planner = planner or Planner(scope)
    for memory in (keep, *others):
        if memory.status != Status.ACTIVE:
            raise Conflict(f"only active memories can be merged; one is {memory.status}")
        if memory.user_id != keep.user_id:
            raise Conflict("memories of two users are never merged")
    if not others or keep.public_id in {other.public_id for other in others}:
        raise Conflict("a merge needs one memory to keep and others")
    for other in others:
        planner.change(
            other,
            "merge",
            status=Status.SUPERSEDED,
            superseded_by_id=keep.public_id,
            valid_to=planner.now,
        )
    planner.change(keep, "merge", **_merged(keep, others))
    return planner


def merge_pairs(
    scope: Scope, pairs: Sequence[DuplicatePair], keep: Mapping[int, UUID], reason: str
) -> Applied:
    """Merge what these pairs join, as one batch. `keep` names by pair the memory to stay; where
    it names none, the oldest does. Raises `Conflict`, `StalePlan`, `QueueTimeout`."""
    with write_transaction():
        rows = {
            row.public_id: row
            for row in Memory.objects.within(scope).filter(
                public_id__in={i for pair in pairs for i in (pair.first, pair.second)}
            )
        }
        planner = Planner(scope)
        wanted = {keep[pair.pk] for pair in pairs if pair.pk in keep}
        for group in _joined(pairs):
            if not group <= set(rows):
                raise Conflict("one of them is gone")
            chosen = sorted(group, key=lambda i: (i not in wanted, rows[i].pk))
            plan_merge(scope, rows[chosen[0]], [rows[i] for i in chosen[1:]], planner)
        applied = apply(planner.plan("merge", reason))
        found = DuplicatePair.objects.within(scope).filter(pk__in=[pair.pk for pair in pairs])
        found.update(
            state=PairState.MERGED,
            batch=applied.batch,
            decided_at=planner.now,
            decided_by=scope.actor,
            reason=reason[:500],
        )
    return applied


def _approve(planner: Planner, memory: Memory, current: Memory | None, policies: Policies) -> None:
    policy = policies.of(memory.kind, memory.domain)
    # That a person looked is what the threshold asks for.
    moved: dict[str, Any] = {
        "confidence": max(stated(memory.confidence), policy.threshold),
        "confirmed_at": planner.now,
    }
    if memory.ttl_hours or memory.expires_at is None:
        moved |= expiry(policy, planner.now)
    elif memory.expires_at <= planner.now:
        raise Conflict(f"the time of {memory.public_id} is over")
    if current is not None and current.fingerprint == memory.fingerprint:
        confirm(planner, current, planner.now, memory.source)
        planner.change(
            memory,
            "merge",
            status=Status.REJECTED,
            superseded_by_id=current.public_id,
            held_for=[],
            conflicts_with=None,
        )
        return
    promote(planner, memory, current, planner.now, **moved)


def _current(planner: Planner, memory: Memory) -> Memory | None:
    """What is active where the memory would stand: the value of its key, or its exact repeat."""
    if memory.single_valued:
        return planner.current(
            memory.user_id, memory.agent_id, memory.entity_key, memory.attribute_key
        )
    return planner.repeat(memory.user_id, memory.agent_id, memory.fingerprint)


def _check_waits(memory: Memory) -> None:
    if memory.status not in WAITING:
        raise Conflict(f"{memory.public_id} does not wait for a decision; it is {memory.status}")


def _merged(keep: Memory, others: Sequence[Memory]) -> dict[str, Any]:
    confidence = stated(keep.confidence)
    for _ in others:
        confidence = raised(confidence)
    moments = [memory.confirmed_at for memory in (keep, *others) if memory.confirmed_at]
    merged: dict[str, Any] = {
        "confirmations": keep.confirmations + sum(other.confirmations + 1 for other in others),
        "confidence": max(confidence, *(stated(other.confidence) for other in others)),
        "importance": max(memory.importance for memory in (keep, *others)),
        "confirmed_at": max(moments, default=None),
        **_latest_end(keep, others),
    }
    for name in ("tags", "links"):
        every = [item for memory in (keep, *others) for item in getattr(memory, name)]
        merged[name] = list(dict.fromkeys(every))[:TAG_LIMIT]
    if keep.turn_id is None:
        source = next((other for other in others if other.turn_id), None)
        if source is not None:
            names = ("turn_id", "evidence_start", "evidence_end", "quote")
            merged |= {name: getattr(source, name) for name in names}
    return merged


def _latest_end(keep: Memory, others: Sequence[Memory]) -> dict[str, datetime | int | None]:
    last = max((keep, *others), key=lambda m: (m.expires_at is None, m.expires_at or m.created_at))
    return {"expires_at": last.expires_at, "ttl_hours": last.ttl_hours}


def _joined(pairs: Iterable[DuplicatePair]) -> list[set[UUID]]:
    """The memories that these pairs join, group by group."""
    groups: list[set[UUID]] = []
    for pair in pairs:
        both = {pair.first, pair.second}
        touching = [group for group in groups if group & both]
        groups = [group for group in groups if not group & both]
        groups.append(both.union(*touching))
    return groups
