"""The road of an erasure: what will go, and taking it away in one transaction with the ledger."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from memory import clock
from memory.index import vector_files
from memory.models import Batch, Erasure, Memory, Owner, Scope

from .. import queue
from ..apply import apply
from ..held import without_secrets
from ..ledger import ERASE
from ..plan import Applied, Plan, PlannedChange, StalePlan
from ..revise import check_revision
from . import stored
from .digest import tombstone_of
from .files import patterns_of, scrub
from .places import Place, places, settle
from .subject import Removed, Subject, subject_of

VERB = "erase"
# Of other memories that say the same words so many are named; all are counted.
ALSO_NAMED = 100
_LINKS = ("supersedes_id", "superseded_by_id")


@dataclass(frozen=True)
class Found:
    """What was found before the lock was taken: the keys of each place, and the newest key that
    there was then."""

    keys: dict[str, list[int]]
    newest: dict[str, int]


@dataclass(frozen=True)
class ErasedFact:
    """`erasure` is the tombstone of the memory that was named; `removed` counts what was taken
    away, by where it lay; `scrubbed`: whether the files are free of it already."""

    applied: Applied
    erasure: Erasure
    scrubbed: bool


def preview(scope: Scope, memory: Memory) -> Removed:
    """What an erasure of the memory's fact would take away. Changes nothing."""
    settle()
    subject = subject_of(scope, memory)
    found = _look(subject)
    counts = _rows_counted(subject) | {name: len(keys) for name, keys in found.keys.items()}
    return Removed(counts, _also(subject))


def erase(scope: Scope, memory: Memory, reason: str, *, seen: int | None = None) -> ErasedFact:
    """Remove a memory's fact, all its versions, from every place, for good.

    The ledger's entries stay without what they said, and a tombstone for each version. Raises
    `StalePlan` when it has moved since `seen` (a revision), `Conflict`, `QueueTimeout`; then
    nothing was changed.
    """
    settle()
    subject = replace(subject_of(scope, memory), at=clock.now())
    found, also = _look(subject), _also(subject)
    with queue.turn():
        memory.refresh_from_db()
        check_revision(memory, seen)
        current = replace(subject_of(scope, memory), at=subject.at)
        if set(current.ids) != set(subject.ids):
            raise StalePlan([memory.public_id])
        erasing = Erasing(current, found, also, memory)
        applied = apply(plan_erase(current, reason, erasing))
    for owner in _owners(subject):
        # The thread that makes vectors may have written the file between the two.
        vector_files.forget(owner)
    scrubbed = scrub([] if also else patterns_of(subject.all_rows))
    erasure = Erasure.objects.within(scope).get(memory_id=memory.public_id)
    return ErasedFact(applied, erasure, scrubbed)


def plan_erase(subject: Subject, reason: str, erasing: "Erasing") -> Plan:
    """The rows that point to what goes let go of it; then each row goes."""
    ids = set(subject.ids)
    scope = subject.scope
    pointing = Memory.everywhere.filter(workspace_id=scope.workspace_id)
    pointing = pointing.filter(superseded_by__in=ids) | pointing.filter(supersedes__in=ids)
    changes = [
        PlannedChange(
            "relink",
            row.public_id,
            row.revision,
            {name: None for name in _LINKS if getattr(row, name) in ids},
        )
        for row in pointing.exclude(public_id__in=ids).order_by("pk")
    ]
    changes += [PlannedChange(ERASE, row.public_id, row.revision, {}) for row in subject.all_rows]
    # A reason may say what it asks to forget.
    said = subject.words.blotted(without_secrets(reason), own=True)
    users = subject.users
    return Plan(
        # What points to the fact may be another user's.
        replace(scope, user_id=None),
        VERB,
        said,
        tuple(changes),
        user_id=users.pop() if len(users) == 1 else "",
        erasing=erasing,
    )


class Erasing:
    """What `apply` does beside the rows and the ledger, in the same transaction."""

    def __init__(self, subject: Subject, found: Found, also: list[str], named: Memory):
        self.subject, self._found, self._also, self._named = subject, found, also, named
        self.counts = _rows_counted(subject)
        self.foreign: list[Batch] = []

    def clean(self, batch: Batch) -> None:
        """Take the words away from every place, and keep the tombstones."""
        for one in places():
            rows = one.loaded(self.subject, self._keys(one))
            if isinstance(one, stored.Reasons):
                self.foreign = one.foreign(self.subject, rows)
            self.counts[one.name] = one.clean(self.subject, rows) if rows else 0
        self._keep_tombstones(batch)

    def _keys(self, one: Place) -> Iterable[int]:
        since = one.look(self.subject, after=self._found.newest[one.name])
        return [*self._found.keys[one.name], *since]

    def _keep_tombstones(self, batch: Batch) -> None:
        removed: dict[str, Any] = {name: n for name, n in self.counts.items() if n}
        rows = sorted(self.subject.all_rows, key=lambda row: row.pk != self._named.pk)
        first = None
        for row in rows:
            kept = Erasure(
                workspace_id=row.workspace_id,
                user_id=row.user_id,
                memory_id=row.public_id,
                fact=row.fact,
                at=batch.at,
                actor=batch.actor,
                surface=batch.surface,
                reason=batch.reason,
                digest=tombstone_of(row),
                batch=batch,
                removed={"with": str(first.public_id)} if first else removed,
            )
            if first is None and self._also:
                kept.removed = removed | {
                    "also": self._also[:ALSO_NAMED],
                    "also_count": len(self._also),
                }
            kept.save(force_insert=True)
            first = first or kept


def _look(subject: Subject) -> Found:
    newest = {one.name: one.newest() for one in places()}
    return Found({one.name: one.look(subject) for one in places()}, newest)


def _rows_counted(subject: Subject) -> dict[str, int]:
    rows = subject.all_rows
    return {
        "rows": len(subject.rows),
        "summaries": len(subject.derived),
        "history": stored.payloads_of(subject.ids).count(),
        "vectors": stored.vectors_of(rows).count(),
        "index": len(rows),
    }


def _also(subject: Subject) -> list[str]:
    """Other memories of the same user that say the same words."""
    rows = subject.own(Memory).exclude(public_id__in=subject.ids)
    texts = ("text", "value", "summary", "quote", "metadata", "links", "tags")
    words = subject.words
    return [
        str(row.public_id)
        for row in rows.only("public_id", *texts).order_by("pk").iterator(500)
        if any(words.holds(getattr(row, name)) for name in texts[:4])
        or any(words.blotted_json(getattr(row, name)) != getattr(row, name) for name in texts[4:])
    ]


def _owners(subject: Subject) -> list[Owner]:
    rows = Owner.objects.filter(workspace_id=subject.scope.workspace_id)
    return list(rows.filter(user_id__in=subject.users))
