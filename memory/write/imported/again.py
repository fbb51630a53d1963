"""What was brought in before and has changed at its source since."""

from collections.abc import Mapping
from dataclasses import replace

from memory.models import Memory, Policies, Source, Status
from memory.write.held import REVIEW
from memory.write.outcome import Outcome
from memory.write.planner import WAITING
from memory.write.resolve import supersede
from memory.write.waiting import doubts_about, hold, promote

from .brought import Brought, mark_of, print_of
from .first import OVER, VERBS, Row, put_away, row_of
from .planner import ImportPlanner, key_of


def again(
    planner: ImportPlanner, brought: Brought, policies: Policies, before: Memory
) -> Outcome | None:
    """What was brought in before and has changed at its source; None: as if for the first
    time."""
    number = len(brought.versions) - 1
    last = row_of(planner, brought, policies, number)
    says_same = last.columns["fingerprint"] == before.fingerprint
    told = mark_of(before, brought)
    if says_same and (told is None or told["state"] != brought.state):
        return _moved(planner, brought, policies, before, last, told)
    if says_same and before.status != Status.ACTIVE:
        return Outcome("confirmed", before, None, "details")
    current = before if before.status == Status.ACTIVE else _standing(planner, before)
    if current is None or brought.state not in (Status.ACTIVE, *VERBS):
        if before.status in WAITING:
            planner.change(before, "reject", status=Status.REJECTED)
        return None
    if last.columns["single_valued"]:
        rival = planner.current(*key_of(last.columns))
        if rival is not None and rival.public_id != current.public_id:
            # It speaks of something else now, of which there is a value already.
            planner.change(current, "retract", status=Status.RETRACTED, valid_to=planner.now)
            return None
    if doubts := [*last.held, *doubts_about(last.columns, last.policy, current)]:
        return hold(planner, last.columns, doubts, last.observed, current)
    outcome = None
    for n in range(_after(brought, current), len(brought.versions)):
        row = row_of(planner, brought, policies, n)
        outcome = supersede(planner, current, row.columns, row.observed)
        current = outcome.memory
    if brought.state in VERBS:
        outcome = replace(outcome, memory=put_away(planner, current, brought))
    return outcome


def _moved(
    planner: ImportPlanner,
    brought: Brought,
    policies: Policies,
    before: Memory,
    last: Row,
    told: Mapping[str, str] | None,
) -> Outcome:
    """The same statement in another state than before."""
    # What a person or a system of record has said as well does not go with its copy elsewhere.
    is_ours = before.source == Source.IMPORTED
    if before.status == Status.ACTIVE and brought.state in VERBS and is_ours:
        memory = put_away(planner, before, brought)
        return Outcome(memory.status, memory, None, "so_at_source")
    as_left = told is not None and before.status == told["state"]
    if as_left and brought.state == Status.ACTIVE:
        rival = _standing(planner, before)
        if before.status == Status.QUARANTINED and _may_pass(before, last):
            return promote(planner, before, rival, last.observed)
        if before.status in OVER and rival is None and not last.held:
            ends = {"valid_to": None, "expires_at": last.columns["expires_at"]}
            memory = planner.change(before, "restore", status=Status.ACTIVE, **ends)
            return Outcome("confirmed", memory, None, "restored")
    return Outcome("skipped", before, None, "changed_here")


def _standing(planner: ImportPlanner, before: Memory) -> Memory | None:
    """What stands in its place, as this plan leaves it: another row of the file may have taken it
    away."""
    stored = planner.standing(before)
    row = stored and planner.rows.get(stored.public_id, stored)
    return row if row and row.status == Status.ACTIVE else None


def _may_pass(before: Memory, last: Row) -> bool:
    codes = {reason["code"] for reason in before.held_for}
    return codes <= {REVIEW} and not last.held and not last.policy.review_required


def _after(brought: Brought, current: Memory) -> int:
    """Which of the versions comes after the one that is here; the last where none is."""
    prints = [print_of(one.proposal) for one in brought.versions]
    for n in range(len(prints) - 2, -1, -1):
        if prints[n] == current.fingerprint:
            return n + 1
    return len(prints) - 1
