"""What a policy would have changed: recorded questions asked again as if it had ruled then."""

import time
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

from django.db.models import Q, QuerySet

from memory import clock
from memory.models import (
    Memory,
    Policies,
    Policy,
    Recall,
    RecallCandidate,
    Scope,
    Status,
    policies_of,
    policy_changes,
)
from memory.write.policies import end_under, ruled

from .gates import closed
from .look import Swap
from .past import as_it_was
from .rank import PROFILES
from .replay import Again, asked_again, served
from .request import InvalidRequest

DAYS = 30
# An admin waits for this: the newest answers that can change, for so long.
MOST, SECONDS = 300, 5.0
# Records read at once, and rows of one user that are thought not to have expired.
CHUNK, MOST_BACK = 500, 200
RANKED = ("", "limit", "budget")


@dataclass(frozen=True)
class Moved:
    """A memory that would be given at another rank; a rank of None: not given."""

    memory_id: UUID
    was_rank: int | None
    rank: int | None


@dataclass(frozen=True)
class ChangedAnswer:
    """A recorded answer that would have been another one, in ids or in their order."""

    record: Recall
    leave: tuple[Moved, ...]
    come: tuple[Moved, ...]
    move: tuple[Moved, ...]


@dataclass(frozen=True)
class Simulation:
    """`recalls` in the window, of which the newest `read` were looked through and the `checked`
    ones, which the draft can touch at all, asked again. `cut`: the bound was reached before the
    window's end."""

    recalls: int
    read: int
    checked: int
    changed: tuple[ChangedAnswer, ...]
    cut: bool


def simulate(
    scope: Scope, draft: Policy, *, days: int = DAYS, most: int = MOST, seconds: float = SECONDS
) -> Simulation:
    """Compare the answers of the last `days` under today's policies with those that they would
    have been had the draft ruled all along; newest first, at most `most` of them and for about
    `seconds`. Nothing is written.

    Half-lives touch only profiles that use them. A limit touches the memories whose end a policy
    makes, those included that had expired by then. One value at a time, importance and review
    are for later writes: no answer changes. How rare a word is still counts the rows that a
    shorter limit would have sent away by then.
    """
    window = Recall.objects.within(scope).filter(at__gt=clock.now() - timedelta(days=days))
    trial, give_up = _Trial(scope, draft), time.monotonic() + seconds
    total, read, checked, changed, cut = window.count(), 0, 0, [], False
    if not trial.can_change:
        return Simulation(total, total, 0, (), False)
    for record, touched in trial.records(window):
        if checked >= most or time.monotonic() > give_up:
            cut = True
            break
        read += 1
        outcome = trial.ask(record) if touched else None
        checked += outcome is not None
        if outcome is not None and outcome.differs:
            changed.append(outcome.told(record))
    return Simulation(total, read, checked, tuple(changed), cut)


@dataclass(frozen=True)
class _Outcome:
    """Ranks by memory, under today's policies and under the draft."""

    before: dict[UUID, int]
    after: dict[UUID, int]

    @property
    def differs(self) -> bool:
        return self.before != self.after

    def told(self, record: Recall) -> ChangedAnswer:
        moved = [
            Moved(memory_id, self.before.get(memory_id), self.after.get(memory_id))
            for memory_id in self.before | self.after
            if self.before.get(memory_id) != self.after.get(memory_id)
        ]
        return ChangedAnswer(
            record,
            tuple(one for one in moved if one.rank is None),
            tuple(one for one in moved if one.was_rank is None),
            tuple(one for one in moved if one.rank and one.was_rank),
        )


class _Trial:
    def __init__(self, scope: Scope, draft: Policy):
        self.scope, self.draft = scope, draft
        self.today = policies_of(scope.workspace_id)
        self.drafted = self.today.with_(draft)
        was, new = (each.of(draft.kind, draft.domain) for each in (self.today, self.drafted))
        self.decays = was.half_life_hours != new.half_life_hours
        self.was_ttl, self.ttl = was.ttl_hours, new.ttl_hours
        self.ends = self.was_ttl != self.ttl
        self.longer = bool(self.was_ttl) and (self.ttl is None or self.ttl > self.was_ttl)
        self.rows = ruled(scope, self.drafted, draft)
        self.last_change = max(
            (c.policy.at for c in policy_changes(scope.workspace_id) if self._rules(c.policy)),
            default=None,
        )

    @property
    def can_change(self) -> bool:
        return self.decays or self.ends

    def records(self, window: QuerySet[Recall]) -> Iterator[tuple[Recall, bool]]:
        """Every record, newest first, and whether the draft can touch its answer."""
        newest = window.order_by("-at", "-pk").defer("context", "prompt", "answer")
        rows = newest.iterator(chunk_size=CHUNK)
        while chunk := list(islice(rows, CHUNK)):
            touched = self._touched(chunk)
            yield from ((record, record.pk in touched) for record in chunk)

    def ask(self, record: Recall) -> _Outcome | None:
        """None where the record cannot be asked again, or the draft does not touch it after all."""
        candidates = list(record.candidates.order_by("rank", "id"))
        try:
            again = asked_again(self.scope, record, candidates)
        except InvalidRequest:
            return None
        back = self._back(again) if self.longer else ()
        if not back and not self._holds(record, candidates):
            return None
        recorded = {
            row.memory_id: row.rank for row in candidates if row.memory_id and row.was_served
        }
        after = self._look(again, self.drafted, candidates, back)
        as_today = self.last_change is None or self.last_change <= again.past
        if as_today and list(after) == list(recorded):
            return _Outcome(recorded, after)
        return _Outcome(self._look(again, self.today, candidates), after)

    def _rules(self, policy: Policy) -> bool:
        return policy.kind == self.draft.kind and policy.domain in (self.draft.domain, "")

    def _touched(self, chunk: list[Recall]) -> set[int]:
        found = set()
        named = RecallCandidate.objects.filter(
            recall_id__in=[record.pk for record in chunk],
            gate__in=(*RANKED, "expiry"),
            memory_id__in=self.rows.values("public_id"),
        )
        found.update(named.values_list("recall_id", flat=True))
        if self.longer:
            users = set(
                self._expired()
                .filter(user_id__in={record.user_id for record in chunk})
                .values_list("user_id", flat=True)
            )
            found.update(record.pk for record in chunk if record.user_id in users)
        return {
            record.pk
            for record in chunk
            if record.pk in found and record.triggered and (self.ends or _decays(record))
        }

    def _holds(self, record: Recall, candidates: list[RecallCandidate]) -> bool:
        gates = {row.memory_id for row in candidates if row.gate in (*RANKED, "expiry")}
        return self.rows.filter(public_id__in=gates).exists() and (self.ends or _decays(record))

    def _look(
        self,
        again: Again,
        policies: Policies,
        candidates: list[RecallCandidate],
        back: tuple[Memory, ...] = (),
    ) -> dict[UUID, int]:
        over = {row.memory_id for row in candidates if row.gate == "expiry"}
        seen = again.look(
            policies=policies,
            ends=self._ends(policies) if self.ends else None,
            among=again.among and again.among | over,
            swap=Swap(enters=back) if back else None,
        )
        return {placed.memory_id: placed.rank for placed in served(seen)}

    def _ends(self, policies: Policies):
        mine = self.drafted.of(self.draft.kind, self.draft.domain)

        def ends(memory: Memory) -> datetime | None:
            if self.drafted.of(memory.kind, memory.domain) is not mine:
                return memory.expires_at
            return end_under(policies, memory)["expires_at"]

        return ends

    def _expired(self) -> QuerySet[Memory]:
        return self.rows.filter(status=Status.EXPIRED, ttl_hours__isnull=False)

    def _back(self, again: Again) -> tuple[Memory, ...]:
        """Rows that upkeep had expired by then and that the draft would have kept, but for those
        that something else has taken the place of."""
        gone = self._expired().filter(
            user_id=again.request.scope.user_id, expires_at__lte=again.past
        )
        if self.ttl:
            gone = gone.filter(confirmed_at__gt=again.past - timedelta(hours=self.ttl))
        then = as_it_was({row.pk: row for row in gone.order_by("-pk")[:MOST_BACK]}, again.past)
        kept = [self._alive(row) for row in then.values() if row.status == Status.EXPIRED]
        kept = [row for row in kept if not closed(again.request, row, again.past)]
        taken = self._places_taken(again, kept)
        return tuple(row for row in kept if not taken & {row.fact, row.fingerprint})

    def _alive(self, row: Memory) -> Memory:
        row = copy(row)
        row.status = Status.ACTIVE
        row.expires_at = end_under(self.drafted, row)["expires_at"]
        return row

    def _places_taken(self, again: Again, kept: list[Memory]) -> set:
        """The facts and texts of these rows that another row stood for then."""
        if not kept:
            return set()
        facts, prints = {row.fact for row in kept}, {row.fingerprint for row in kept}
        rows = Memory.objects.within(again.request.scope).filter(
            Q(fact__in=facts) | Q(fingerprint__in=prints)
        )
        then = as_it_was({row.pk: row for row in rows}, again.past).values()
        standing = [row for row in then if row.status == Status.ACTIVE]
        return {row.fact for row in standing} | {row.fingerprint for row in standing}


def _decays(record: Recall) -> bool:
    return record.profile in PROFILES and PROFILES[record.profile].by_half_life
