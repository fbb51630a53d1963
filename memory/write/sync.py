"""State that a system outside holds and tells us again and again: stock, prices, bookings.

A changed value takes the current one's place and leaves it in the history, one row a change; an
equal one only moves when it was last confirmed, and with it when it expires.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from memory import clock
from memory.index.entry import entry_for
from memory.models import (
    Batch,
    Kind,
    Memory,
    Policies,
    Scope,
    ScopeError,
    Source,
    Status,
    policies_of,
)
from memory.text.normalise import key

from . import queue
from .apply import apply
from .held import Look, look
from .outcome import Outcome
from .planner import Planner, began
from .proposal import InvalidInput, Proposal
from .resolve import take

# Rows in one batch: a new one takes 15 ms, and other writers wait 5 s at most.
BATCH = 100
Errors = list[tuple[str, str]]
Place = tuple[str, str, str, str]


@dataclass(frozen=True)
class Told:
    """What became of one row: an outcome, or the errors (field, message) for which it was left
    out, with their `code`. Action "skipped" with reason "unchanged": it told nothing new."""

    outcome: Outcome | None = None
    errors: tuple[tuple[str, str], ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Synced:
    """`rows` stand in the order in which they were given; `batches` are empty when nothing has
    changed."""

    batches: tuple[Batch, ...]
    rows: tuple[Told, ...]


def write_back(scope: Scope, proposals: Sequence[Proposal | Errors], *, reason: str = "") -> Synced:
    """Write what a system outside says is so; `occurred_at` is when it saw it, now unless given.

    Rows that cannot be kept are told of and left out, all others are written, a batch for each
    `BATCH` of them. Doing the same again changes nothing. An observation that arrives late goes
    to the history. Raises `queue.QueueTimeout`: what was written until then is kept, and doing it
    again goes on from there.
    """
    policies = policies_of(scope.workspace_id)
    rows = [_checked(scope, proposal, policies) for proposal in proposals]
    told: list[Told] = []
    batches: list[Batch] = []
    for start in range(0, len(rows), BATCH):
        with queue.turn():
            planner = Planner(scope)
            taken = _taken(planner, rows[start : start + BATCH], policies)
            applied = apply(planner.plan("sync", reason))
        told += [_as_kept(one, applied.memories) for one in taken]
        batches += [applied.batch] if applied.batch else []
    return Synced(tuple(batches), tuple(told))


@dataclass(frozen=True)
class _Row:
    """A row that can be kept, and what it is compared by."""

    seen: Look
    place: Place
    value: str
    observed: datetime


def _checked(scope: Scope, proposal: Proposal | Errors, policies: Policies) -> _Row | Told:
    if not isinstance(proposal, Proposal):
        return _refused(proposal)
    now = clock.now()
    proposal = replace(
        proposal,
        user_id=proposal.user_id or scope.user_id or "",
        kind=proposal.kind or Kind.INVENTORY,
        source=Source.EXTERNAL_SYNC,
        occurred_at=min(proposal.occurred_at or now, now),
    )
    policy = policies.of(proposal.kind, proposal.domain)
    errors = [(name, "is needed") for name in _NEEDED if not getattr(proposal, name).strip()]
    if not policy.single_valued:
        errors.append(("kind", "has many values at a time: state has one"))
    if errors:
        return _refused(errors)
    try:
        scope.narrow(proposal.user_id or None)
        seen = look(proposal.checked())
    except ScopeError:
        return _refused([("user_id", "outside the scope of this credential")], "outside_scope")
    except InvalidInput as error:
        return _refused(error.errors, error.code)
    allowed, _ = seen.under(policy)
    # Analysed now, and remembered by the analyser, so that the lock is held without it.
    entry_for(Memory(**{name: getattr(allowed, name) for name in _SEARCHABLE}))
    place = (allowed.user_id, allowed.agent_id, key(allowed.entity), key(allowed.attribute))
    return _Row(seen, place, key(allowed.value), proposal.occurred_at)


def _refused(errors: Errors, code: str = InvalidInput.code) -> Told:
    return Told(errors=tuple(errors), code=code)


_NEEDED = ("entity", "attribute", "value")
_SEARCHABLE = ("text", "entity", "attribute", "value", "summary")


def _taken(planner: Planner, rows: Sequence[_Row | Told], policies: Policies) -> list[Told]:
    current = _current(planner.scope, [row for row in rows if isinstance(row, _Row)])
    told = []
    for row in rows:
        if isinstance(row, _Row):
            outcome = _take(planner, row, current.get(row.place), policies)
            moved = planner.current(*row.place) if outcome.action != "skipped" else None
            if moved is not None:
                current[row.place] = moved
            told.append(Told(outcome))
        else:
            told.append(row)
    return told


def _current(scope: Scope, rows: Sequence[_Row]) -> dict[Place, Memory]:
    """What is current at the places of these rows, and perhaps at some others, by one query."""
    found = Memory.objects.within(scope).filter(
        status=Status.ACTIVE,
        single_valued=True,
        user_id__in={row.place[0] for row in rows},
        entity_key__in={row.place[2] for row in rows},
        attribute_key__in={row.place[3] for row in rows},
    )
    return {(m.user_id, m.agent_id, m.entity_key, m.attribute_key): m for m in found}


def _take(planner: Planner, row: _Row, current: Memory | None, policies: Policies) -> Outcome:
    is_same = current is not None and current.value_key == row.value
    if is_same and began(current) <= row.observed:
        if current.confirmed_at is not None and row.observed <= current.confirmed_at:
            return Outcome("skipped", current, None, "unchanged")
        return _seen_again(planner, current, row.observed)
    known = _known(planner, row)
    if known is not None:
        return Outcome("skipped", known, None, "unchanged")
    if current is not None and row.observed < began(current):
        after, before = _neighbours(planner, current, row.observed)
        if after.value_key == row.value:
            return _began_earlier(planner, after, before, row.observed)
    return take(planner, row.seen.proposal, policies, row.seen)


def _known(planner: Planner, row: _Row) -> Memory | None:
    """A memory that already says that this was so then."""
    user_id, agent_id, entity_key, attribute_key = row.place
    stored = Memory.objects.within(planner.scope).filter(
        Q(confirmed_at__gte=row.observed) | Q(status=Status.SUPERSEDED, valid_to__gt=row.observed),
        user_id=user_id,
        agent_id=agent_id,
        entity_key=entity_key,
        attribute_key=attribute_key,
        value_key=row.value,
        valid_from__lte=row.observed,
    )
    # Those that this write has touched are looked at as they will be.
    found = [memory for memory in stored if memory.public_id not in planner.rows]
    found += [memory for memory in planner.rows.values() if _says(memory, row)]
    return found[0] if found else None


def _says(memory: Memory, row: _Row) -> bool:
    place = (memory.user_id, memory.agent_id, memory.entity_key, memory.attribute_key)
    if place != row.place or memory.value_key != row.value or began(memory) > row.observed:
        return False
    replaced = memory.valid_to if memory.status == Status.SUPERSEDED else None
    return row.observed <= memory.confirmed_at or (replaced is not None and row.observed < replaced)


def _neighbours(
    planner: Planner, current: Memory, observed: datetime
) -> tuple[Memory, Memory | None]:
    """The first value that began after that moment, and the one that held then."""
    after = current
    for link in planner.chain(current)[1:]:
        if began(link) <= observed:
            return after, link
        after = link
    return after, None


def _began_earlier(
    planner: Planner, memory: Memory, before: Memory | None, observed: datetime
) -> Outcome:
    memory = planner.change(memory, "confirm", valid_from=observed)
    if before is not None:
        planner.change(before, "relink", valid_to=observed)
    return Outcome("confirmed", memory, None, "older_observation")


def _seen_again(planner: Planner, memory: Memory, observed: datetime) -> Outcome:
    """A poll is no second witness: confidence and the count of confirmations stay."""
    hours = memory.ttl_hours
    ends = {"expires_at": observed + timedelta(hours=hours)} if hours else {}
    memory = planner.change(memory, "confirm", confirmed_at=observed, **ends)
    return Outcome("confirmed", memory, None, "same_value")


def _as_kept(told: Told, rows: Mapping[UUID, Memory]) -> Told:
    outcome = told.outcome
    if outcome is None:
        return told
    memory, previous = outcome.memory, outcome.previous
    return Told(
        replace(
            outcome,
            memory=rows.get(memory.public_id, memory),
            previous=previous and rows.get(previous.public_id, previous),
        )
    )
