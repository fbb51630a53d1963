"""What was believed at one time and what at another: the difference, memory by memory."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.index.between import Span, between
from memory.index.past import as_of, check_past
from memory.index.storage import one_view
from memory.models import Batch, Change, Memory, Scope, Status
from memory.write.revise import AMENDABLE
from memory.write.snapshot import snapshot

ADDED, SUPERSEDED, RETRACTED, EXPIRED = "added", "superseded", "retracted", "expired"
CHANGED, WAITING = "changed", "waiting"
CHANGES = (ADDED, SUPERSEDED, RETRACTED, EXPIRED, CHANGED, WAITING)
_ENDED = {
    Status.SUPERSEDED: SUPERSEDED, Status.RETRACTED: RETRACTED, Status.EXPIRED: EXPIRED,
}  # fmt: skip
_HELD = (Status.CANDIDATE, Status.QUARANTINED)
_TOLD = AMENDABLE | {"status", "confirmations", "confirmed_at"}


@dataclass(frozen=True)
class Moved:
    """One memory at the two times, as the ledger keeps it: `before` is None where it was not there
    yet. `new` is what stands in the place of a superseded one, None where that is not in the
    scope. `entry` is the ledger's last about it."""

    change: str
    entry: Change
    before: dict[str, Any] | None
    after: dict[str, Any]
    new: dict[str, Any] | None = None

    @property
    def batch(self) -> Batch:
        return self.entry.batch

    @property
    def now(self) -> dict[str, Any]:
        """What to compare `before` with: of a superseded memory what stands there instead."""
        return self.new if self.new is not None else self.after

    @property
    def fields(self) -> list[str]:
        """The fields that differ, but for links between versions and bookkeeping."""
        before = self.before or {}
        return [n for n, v in self.now.items() if n in _TOLD and before.get(n) != v]


@dataclass(frozen=True)
class Difference:
    """`moved` is a page, the last moved first; `counts` by change, of the whole. `more`: there are
    others after the page's last. `is_cut`: older movements were not looked at."""

    moved: list[Moved]
    counts: Mapping[str, int]
    more: bool
    is_cut: bool


def difference(
    scope: Scope,
    since: datetime,
    until: datetime,
    *,
    agent_id: str | None = None,
    change: str = "",
    limit: int,
    before_entry: int | None = None,
) -> Difference:
    """From the store at `since` to the store at `until`, of the scope's user or its workspace:
    memories that agents could be given (active ones) and what became of them, and what came to
    wait for a person. What came and went in between is no difference.

    `change` gives only that kind; `before_entry` goes on after the page that ended with this
    ledger entry. Raises `InTheFuture`, `ValueError` where `until` is before `since`.
    """
    check_past(until)
    if until < since:
        raise ValueError("until is before since")
    with one_view():
        spans, is_cut = between(scope, since, until, agent_id)
        ends = _ends(spans)
        heirs = frozenset(ends.values())
        told = [(span, _change(span, heirs)) for span in spans]
        counts = Counter(name for _, name in told if name)
        chosen = [
            (span, name)
            for span, name in told
            if (name == change if change else name)
            and (before_entry is None or span.last < before_entry)
        ]
        moved = _moved(scope, chosen[:limit], ends, until)
    return Difference(moved, {name: counts[name] for name in CHANGES}, len(chosen) > limit, is_cut)


def _ends(spans: Sequence[Span]) -> dict[UUID, UUID]:
    """Of each memory that was active and is superseded, what stands at the end of its line."""
    after = {span.memory_id: span.superseded_by for span in spans}
    ends = {}
    for span in spans:
        if span.was != Status.ACTIVE or span.now != Status.SUPERSEDED or not span.superseded_by:
            continue
        end, met = span.superseded_by, {span.memory_id}
        while after.get(end) and end not in met:
            met.add(end)
            end = after[end]
        ends[span.memory_id] = end
    return ends


def _change(span: Span, heirs: Set[UUID]) -> str:
    if span.was == Status.ACTIVE:
        if span.is_same:
            return ""
        return _ENDED.get(span.now, CHANGED)
    if span.now == Status.ACTIVE:
        # What replaced another is told with that one.
        return "" if span.memory_id in heirs else ADDED
    return WAITING if span.now in _HELD and span.was not in _HELD else ""


def _moved(
    scope: Scope, chosen: Sequence[tuple[Span, str]], ends: Mapping[UUID, UUID], until: datetime
) -> list[Moved]:
    wanted = {pk for span, _ in chosen for pk in (span.first, span.last)}
    entries = Change.objects.select_related("batch").in_bulk(wanted)
    heirs = {ends[span.memory_id] for span, _ in chosen if span.memory_id in ends}
    with as_of(until):
        rows = Memory.objects.within(scope).filter(public_id__in=heirs)
        then = {row.public_id: snapshot(row) for row in rows}
    return [
        Moved(
            name,
            entries[span.last],
            entries[span.first].before,
            entries[span.last].after,
            then.get(ends.get(span.memory_id)),
        )
        for span, name in chosen
    ]
