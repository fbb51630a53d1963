"""What moved a memory between a recorded recall and the same question now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory.models import (
    Batch,
    Change,
    Memory,
    PolicyChange,
    Recall,
    Scope,
    policies_of,
    policy_changes,
)
from memory.text.terms import VERSION

from .rank import PROFILES

MOST_BATCHES = 20

Ranks = Mapping[UUID, int]


@dataclass(frozen=True)
class Cause:
    """`kind`: "batch" (changes of that memory), "others" (changes of memories that it is ranked
    among), "policy" (no change of the store: time, expiry, freshness or the rules of ranking), or
    "index" (another version of the analyser, or meaning compared otherwise). `batches` are the
    changes, oldest first. `policies` are those whose half-life moved it, or those that it is
    ranked among, whatever the kind."""

    kind: str
    batches: tuple[Batch, ...] = ()
    policies: tuple[PolicyChange, ...] = ()


def half_lives_since(record: Recall) -> list[PolicyChange]:
    """The changes of half-lives since a recall, oldest first; none where its profile has no use
    for them."""
    if not PROFILES[record.profile].by_half_life:
        return []
    return [
        change
        for change in policy_changes(record.workspace_id)
        if change.policy.at > record.at and "half_life_hours" in change.changes
    ]


class Causes:
    """Compares five rankings: the record's, the same worked out anew, the store of then asked at
    today's time, that under today's half-lives (`shifts` changed them), and now. `compared`:
    meaning is compared now, or was, and not by the same model."""

    def __init__(
        self,
        scope: Scope,
        record: Recall,
        *,
        then: Ranks,
        as_it_was: Ranks,
        timed: Ranks,
        aged: Ranks,
        now: Ranks,
        shifts: Sequence[PolicyChange] = (),
        compared: bool = False,
    ):
        self.scope, self.record = scope, record
        self.then, self.as_it_was, self.aged, self.now = then, as_it_was, aged, now
        self.timed, self.compared = timed, compared
        self.shifts = self._ruling(shifts)
        self.touched = batches_since(scope, record, {*then, *as_it_was, *now})

    def of(self, memory_id: UUID) -> Cause:
        """The cause of one memory's move."""
        shifted = self.timed.get(memory_id) != self.aged.get(memory_id)
        return replace(self._of(memory_id), policies=self.shifts if shifted else ())

    def _of(self, memory_id: UUID) -> Cause:
        if own := self.touched.get(memory_id):
            return Cause("batch", own)
        was = self.then.get(memory_id)
        if self.as_it_was.get(memory_id) != was:
            # The record can only differ from its own store where rows are gone from the ledger.
            others = self._of_all(_passed(memory_id, self.then, self.as_it_was))
            rules = "policy" if self.record.analyser == VERSION else "index"
            return Cause("others", others) if others else Cause(rules)
        if self.aged.get(memory_id) == self.now.get(memory_id):
            return Cause("policy")
        if others := self._of_all(_passed(memory_id, self.then, self.now)):
            return Cause("others", others)
        return Cause("index") if self.compared else Cause("others", self._of_owner())

    def _ruling(self, shifts: Sequence[PolicyChange]) -> tuple[PolicyChange, ...]:
        """Those of the changes that rule a memory of the rankings that they make differ."""
        if not shifts:
            return ()
        workspace = self.scope.workspace_id
        rows = Memory.objects.within(self.scope).filter(public_id__in={*self.timed, *self.aged})
        ruling = {
            (kind, policies.of(kind, domain).domain)
            for policies in (policies_of(workspace, self.record.at), policies_of(workspace))
            for kind, domain in rows.values_list("kind", "domain")
        }
        return tuple(c for c in shifts if (c.policy.kind, c.policy.domain) in ruling)

    def _of_all(self, memory_ids: Iterable[UUID]) -> tuple[Batch, ...]:
        batches = {b.pk: b for one in memory_ids for b in self.touched.get(one, ())}
        return tuple(batches[pk] for pk in sorted(batches))

    def _of_owner(self) -> tuple[Batch, ...]:
        """The newest of all changes of this user's memories: new rows make terms less rare."""
        own = Memory.objects.within(self.scope).values("public_id")
        entries = _since(self.scope, self.record).filter(memory_id__in=own)
        entries = entries.order_by("-id")[: MOST_BATCHES * 10]
        batches = list({entry.batch_id: entry.batch for entry in entries}.values())
        return tuple(batches[:MOST_BATCHES][::-1])


def batch_form(batch: Batch) -> dict[str, Any]:
    """A batch that moved something, as plain data."""
    return {
        "id": str(batch.public_id),
        "at": batch.at.isoformat(),
        "verb": batch.verb,
        "actor": batch.actor,
        "reason": batch.reason,
    }


def batches_since(
    scope: Scope, record: Recall, memory_ids: Iterable[UUID]
) -> dict[UUID, tuple[Batch, ...]]:
    """The batches after a recall that changed each of these memories, oldest first."""
    found: dict[UUID, dict[int, Batch]] = {}
    for entry in _since(scope, record).filter(memory_id__in=memory_ids):
        found.setdefault(entry.memory_id, {})[entry.batch_id] = entry.batch
    return {memory_id: tuple(batches.values()) for memory_id, batches in found.items()}


def _since(scope: Scope, record: Recall) -> QuerySet:
    entries = Change.objects.filter(at__gt=record.at, batch__workspace_id=scope.workspace_id)
    return entries.select_related("batch").order_by("id")


def _passed(memory_id: UUID, before: Ranks, after: Ranks) -> set[UUID]:
    """Memories that stand on another side of it than before."""
    return _above(memory_id, before) ^ _above(memory_id, after)


def _above(memory_id: UUID, ranks: Ranks) -> set[UUID]:
    own = ranks.get(memory_id, len(ranks) + 1)
    return {other for other, rank in ranks.items() if rank < own}
