"""What was never brought in before: its states, its times and its earlier values."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.models import Memory, Policies, Policy, Status
from memory.models.ids import new_id
from memory.write.draft import columns, expiry, said_domain, said_kind
from memory.write.held import LOW_CONFIDENCE, REVIEW, stored_quote
from memory.write.outcome import Outcome
from memory.write.resolve import take
from memory.write.waiting import doubts_about, hold, placed

from .brought import Brought
from .planner import ImportPlanner, key_of, place_of

OVER = (Status.EXPIRED, Status.RETRACTED)
# The moves of a row that its source has put away, by what this store calls them.
VERBS = {Status.EXPIRED: "expire", Status.RETRACTED: "retract", Status.QUARANTINED: "hold"}


def first(planner: ImportPlanner, brought: Brought, policies: Policies) -> Outcome:
    """What was never brought in before."""
    last = row_of(planner, brought, policies, len(brought.versions) - 1)
    is_plain = brought.state == Status.ACTIVE
    is_rival = last.columns["single_valued"] and planner.current(*key_of(last.columns)) is not None
    if is_plain and (len(brought.versions) == 1 or is_rival):
        return _observed(planner, brought, policies)
    same = planner.repeat(*place_of(last.columns)) or planner.waiting(*place_of(last.columns))
    if same is not None:
        if is_plain:
            return take(planner, brought.last, policies, brought.versions[-1])
        # It stands here by another's word, which its end elsewhere does not take back.
        return Outcome("skipped", same, None, "stands_here")
    return _chain(planner, brought, policies, last)


def _observed(planner: ImportPlanner, brought: Brought, policies: Policies) -> Outcome:
    """Observations like any other, one a value: a late one finds its place in the history. Of an
    earlier value of which nobody knows when it began there is no place to find."""
    last = len(brought.versions) - 1
    for number, seen in enumerate(brought.versions):
        if number == last or brought.began[number]:
            proposal = replace(seen.proposal, occurred_at=brought.began[number])
            outcome = take(planner, proposal, policies, replace(seen, proposal=proposal))
    return outcome


@dataclass(frozen=True)
class Row:
    """One value as a row: its columns, what speaks against it, when it was observed."""

    columns: dict[str, Any]
    held: list[dict[str, Any]]
    policy: Policy
    observed: datetime


def row_of(planner: ImportPlanner, brought: Brought, policies: Policies, number: int) -> Row:
    seen = brought.versions[number]
    policy = policies.of(said_kind(seen.proposal, None), said_domain(seen.proposal, None))
    allowed, held = seen.under(policy)
    row = columns(allowed, policy, None, planner.scope)
    row["quote"] = stored_quote(row["quote"], policy)
    at = brought.began[number] or row["occurred_at"] or row["valid_from"] or planner.now
    observed = min(at, planner.now)
    row["occurred_at"] = brought.began[number] or row["occurred_at"]
    if row["expires_at"] is None:
        row |= expiry(policy, observed)
    doubts = [*held, *({"code": code} for code in seen.proposal.doubts)]
    return Row(row, doubts, policy, observed)


def _chain(planner: ImportPlanner, brought: Brought, policies: Policies, last: Row) -> Outcome:
    """Its values one after the other in one history, each with its time, the last as it is at
    its source. None of them was current here, so none becomes it on the way."""
    ids = [new_id() for _ in brought.versions]
    base = placed(planner, last.columns, last.observed)
    fact = base.get("fact", ids[0])
    version = base.get("version", 1)
    starts = [
        row_of(planner, brought, policies, n).observed if brought.began[n] else None
        for n in range(len(ids))
    ]
    before = None
    for n, memory_id in enumerate(ids[:-1]):
        row = row_of(planner, brought, policies, n).columns
        planner.add(
            "add",
            public_id=memory_id,
            **row
            | {
                "status": Status.SUPERSEDED, "fact": fact, "version": version + n,
                "supersedes_id": before, "superseded_by_id": ids[n + 1],
                "confirmed_at": starts[n], "valid_from": starts[n],
                "valid_to": starts[n + 1] or last.observed, "expires_at": None, "ttl_hours": None,
            },
        )  # fmt: skip
        before = memory_id
    row = base | {
        "public_id": ids[-1], "fact": fact, "version": version + len(ids) - 1,
        "supersedes_id": before,
    }  # fmt: skip
    return _end(planner, row, brought, last)


def _end(planner: ImportPlanner, row: dict[str, Any], brought: Brought, last: Row) -> Outcome:
    """The newest value, born in the state that it has."""
    if brought.state == Status.SUPERSEDED:
        ended = {"valid_to": row["valid_to"] or brought.ended_at or planner.now}
        memory = planner.add("add", **row | ended | {"status": Status.SUPERSEDED})
        return Outcome("superseded", memory, None, "older_observation")
    if brought.state in OVER:
        # Through the state that is never current: another value may stand there now.
        memory = planner.add("add", **row | {"status": Status.CANDIDATE})
        memory = put_away(planner, memory, brought)
        return Outcome(memory.status, memory, None, "so_at_source")
    if brought.state == Status.REJECTED:
        memory = planner.add("add", **row | {"status": Status.REJECTED})
        return Outcome(memory.status, memory, None, "so_at_source")
    doubts = [*last.held, *doubts_about(row, last.policy, None)]
    if brought.state == Status.QUARANTINED:
        doubts.append({"code": REVIEW})
    if brought.state == Status.CANDIDATE and not doubts:
        doubts.append({"code": LOW_CONFIDENCE})
    if doubts:
        return hold(planner, row, doubts, last.observed, None)
    return Outcome("added", planner.add("add", **row))


def put_away(planner: ImportPlanner, memory: Memory, brought: Brought) -> Memory:
    """A row put into the state that its source has put it into."""
    sets: dict[str, Any] = {"status": brought.state}
    if brought.state in OVER:
        ended = min(brought.ended_at or planner.now, planner.now)
        starts = memory.valid_from or ended
        sets["valid_to"] = memory.valid_to or max(ended, starts)
    else:
        sets["held_for"] = [{"code": REVIEW}]
    return planner.change(memory, VERBS[brought.state], **sets)
