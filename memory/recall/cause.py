"""What moved a memory between a recorded recall and the same question now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from memory.models import Batch, Change, Memory, Recall, Scope
from memory.text.terms import VERSION

MOST_BATCHES = 20

Ranks = Mapping[UUID, int]


@dataclass(frozen=True)
class Cause:
    """`kind`: "batch" (changes of that memory), "others" (changes of memories that it is ranked
    among), "policy" (no change of the store: time, expiry, freshness or the rules of ranking), or
    "index" (another version of the analyser). `batches` are the changes, oldest first."""

    kind: str
    batches: tuple[Batch, ...] = ()


class Causes:
    """Compares four rankings: the record's, the same worked out anew, the store of then asked
    at today's time, and now."""

    def __init__(
        self,
        scope: Scope,
        record: Recall,
        *,
        then: Ranks,
        as_it_was: Ranks,
        aged: Ranks,
        now: Ranks,
    ):
        self.scope, self.record = scope, record
        self.then, self.as_it_was, self.aged, self.now = then, as_it_was, aged, now
        self.touched = self._touched({*then, *as_it_was, *now})

    def of(self, memory_id: UUID) -> Cause:
        """The cause of one memory's move."""
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
        others = self._of_all(_passed(memory_id, self.then, self.now))
        return Cause("others", others or self._of_owner())

    def _touched(self, memory_ids: Iterable[UUID]) -> dict[UUID, tuple[Batch, ...]]:
        found: dict[UUID, dict[int, Batch]] = {}
        for entry in self._since().filter(memory_id__in=memory_ids):
            found.setdefault(entry.memory_id, {})[entry.batch_id] = entry.batch
        return {memory_id: tuple(batches.values()) for memory_id, batches in found.items()}

    def _of_all(self, memory_ids: Iterable[UUID]) -> tuple[Batch, ...]:
        batches = {b.pk: b for one in memory_ids for b in self.touched.get(one, ())}
        return tuple(batches[pk] for pk in sorted(batches))

    def _of_owner(self) -> tuple[Batch, ...]:
        """The newest of all changes of this user's memories: new rows make terms less rare."""
        own = Memory.objects.within(self.scope).values("public_id")
        entries = self._since().filter(memory_id__in=own).order_by("-id")[: MOST_BATCHES * 10]
        batches = list({entry.batch_id: entry.batch for entry in entries}.values())
        return tuple(batches[:MOST_BATCHES][::-1])

    def _since(self):
        return (
            Change.objects.filter(
                at__gt=self.record.at, batch__workspace_id=self.scope.workspace_id
            )
            .select_related("batch")
            .order_by("id")
        )


def _passed(memory_id: UUID, before: Ranks, after: Ranks) -> set[UUID]:
    """Memories that stand on another side of it than before."""
    return _above(memory_id, before) ^ _above(memory_id, after)


def _above(memory_id: UUID, ranks: Ranks) -> set[UUID]:
    own = ranks.get(memory_id, len(ranks) + 1)
    return {other for other, rank in ranks.items() if rank < own}
