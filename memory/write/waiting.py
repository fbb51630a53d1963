"""Rows that wait before they are believed: why, until when, and how they become active."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memory.models import Memory, Policy, Status

from .confidence import more_trusted, raised, stated, trust
from .held import CONFLICT, FOR_A_PERSON, LOW_CONFIDENCE, NO_EVIDENCE, REVIEW, status_of
from .outcome import Outcome
from .planner import Planner, began

# What an outcome calls a conflict: it is always one of trust.
_WORDS = {CONFLICT: "lower_trust"}


def doubts_about(
    row: Mapping[str, Any], policy: Policy, current: Memory | None
) -> list[dict[str, Any]]:
    """What speaks against a row of these columns becoming active by itself: the policy, its
    confidence, or a current value from a source that is believed more."""
    doubts: list[dict[str, Any]] = []
    if policy.review_required:
        doubts.append({"code": REVIEW})
    if stated(row["confidence"]) < policy.threshold:
        doubts.append({"code": LOW_CONFIDENCE})
    if current is not None and trust(row["source"]) < trust(current.source):
        doubts.append({"code": CONFLICT, "with": str(current.public_id)})
    return doubts


def hold(
    planner: Planner,
    row: dict[str, Any],
    doubts: list[dict[str, Any]],
    observed: datetime,
    current: Memory | None,
) -> Outcome:
    """A row that waits: it is no value of its key yet, and no recall finds it. `current` is the
    value that stays meanwhile."""
    opponent = _opponent(doubts)
    row = placed(planner, row, observed) | {
        "status": status_of(doubts),
        "held_for": doubts,
        "conflicts_with": opponent,
    }
    memory = planner.add("hold", **row)
    reason = ", ".join(_WORDS.get(doubt["code"], doubt["code"]) for doubt in doubts)
    return Outcome(memory.status, memory, current if opponent else None, reason)


def say_again(
    planner: Planner,
    waiting: Memory,
    said: Mapping[str, Any],
    policy: Policy,
    current: Memory | None,
    observed: datetime,
    doubts: Sequence[Mapping[str, Any]] = (),
) -> Outcome:
    """A candidate or held row is said once more, as the columns `said`; `doubts` are those of the
    saying itself. The row is confirmed, and a candidate becomes active when nothing is left
    against it; what is held waits for a person however often it is said."""
    moved = confirmed(waiting, observed, planner.now, said["source"])
    moved["confidence"] = max(moved["confidence"], said["confidence"] or 0)
    late = current is not None and observed < min(began(current), planner.now)
    if waiting.status == Status.CANDIDATE and not late:
        left = _left_against(waiting, moved, policy, current, doubts)
        if not left:
            return promote(planner, waiting, current, observed, **moved)
        moved |= {
            "status": status_of(left), "held_for": left, "conflicts_with": _opponent(left),
        }  # fmt: skip
    memory = planner.change(waiting, "confirm", **moved)
    return Outcome("confirmed", memory, None, "exact_repeat")


def promote(
    planner: Planner, waiting: Memory, current: Memory | None, observed: datetime, **moved: Any
) -> Outcome:
    """A candidate or held row becomes active, in the place of the current value of its key if
    there is one, else of the row that it was to correct."""
    current = current or _spoken_against(planner, waiting)
    moved |= {"status": Status.ACTIVE, "held_for": [], "conflicts_with": None}
    if current is None:
        memory = planner.change(waiting, "promote", **moved)
        return Outcome("confirmed", memory, None, "promoted")
    began_at = waiting.valid_from or observed
    if began_at <= began(current):
        began_at = max(observed, began(current))
    previous = planner.change(
        current,
        "supersede",
        status=Status.SUPERSEDED,
        superseded_by_id=waiting.public_id,
        valid_to=began_at,
    )
    moved |= {"supersedes_id": current.public_id, "fact": current.fact, "valid_from": began_at}
    if waiting.fact != current.fact or waiting.version < current.version:
        moved["version"] = planner.next_version(current.fact)
    memory = planner.change(waiting, "promote", **moved)
    return Outcome("superseded", memory, previous, "promoted")


def confirm(planner: Planner, memory: Memory, observed: datetime, source: str = "") -> Memory:
    """One more time said, by a source or (empty) by somebody who looks at it."""
    return planner.change(memory, "confirm", **confirmed(memory, observed, planner.now, source))


def confirmed(
    memory: Memory, observed: datetime, now: datetime, source: str = ""
) -> dict[str, Any]:
    """The columns that one more saying moves: count, confidence, last confirmed, the most trusted
    source that said it, and the end that a policy made. An end that the writer gave stays."""
    confirmed_at = max(filter(None, (memory.confirmed_at, min(observed, now))))
    hours = memory.ttl_hours
    ends = {"expires_at": confirmed_at + timedelta(hours=hours)} if hours else {}
    return {
        "confirmations": memory.confirmations + 1,
        "confidence": raised(memory.confidence),
        "confirmed_at": confirmed_at,
        "source": more_trusted(memory.source, source) if source else memory.source,
        **ends,
    }


def placed(planner: Planner, row: dict[str, Any], observed: datetime) -> dict[str, Any]:
    """The columns of a new row that stands for itself, in the history of its key if that has
    one."""
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
    return row


def _left_against(
    waiting: Memory,
    moved: Mapping[str, Any],
    policy: Policy,
    current: Memory | None,
    doubts: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    # Found in other words than the stored ones: their places would point nowhere.
    left = [
        {"code": doubt["code"], "rule": doubt["rule"]}
        for doubt in doubts
        if doubt["code"] in FOR_A_PERSON
    ]
    both = {reason["code"] for reason in waiting.held_for} & {d["code"] for d in doubts}
    left += [{"code": NO_EVIDENCE} for _ in both & {NO_EVIDENCE}]
    return left + doubts_about(moved, policy, current)


def _spoken_against(planner: Planner, waiting: Memory) -> Memory | None:
    rows = Memory.objects.within(planner.scope).filter(public_id=waiting.conflicts_with)
    stored = rows.first() if waiting.conflicts_with else None
    row = stored and planner.rows.get(stored.public_id, stored)
    return row if row and row.status == Status.ACTIVE else None


def _opponent(doubts: Iterable[Mapping[str, Any]]) -> UUID | None:
    return next((UUID(doubt["with"]) for doubt in doubts if doubt["code"] == CONFLICT), None)
