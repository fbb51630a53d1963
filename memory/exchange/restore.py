"""Bringing back what an export in this store's own lines holds: row for row, with ids and times.

Into an empty workspace all of it comes back, and the next export has the same lines. In one that is
not empty, rows that are there already stay as they are and others are refused where they are in the
way. What was erased stays erased: by its id, and by its text where it is older than the erasure.
Turns lose the words of what is refused so. Lines that another installation wrote, or that were
changed by somebody who made them prove themselves again, are screened as any text from outside.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

from memory import clock
from memory.models import Erasure, Memory, Scope, Status, Turn, policies_of
from memory.write.erase.digest import digest_of
from memory.write.erase.words import Words, blank
from memory.write.plan import Conflict
from memory.write.planner import Planner
from memory.write.put_back import elsewhere, put_back_turns, put_memories, put_tombstones
from memory.write.snapshot import snapshot

from .linked import linked
from .own_file import OwnFile, Place, proved
from .own_rows import (
    Refused,
    memory_row,
    screened_memory,
    screened_turn,
    tombstone_row,
    turn_row,
)

# Rows of one transaction; what is linked is never torn apart.
AT_ONCE = 500
_LINKS = ("supersedes_id", "superseded_by_id")


@dataclass(frozen=True)
class RefusedLine:
    """A line of the file that was not brought in, and why."""

    number: int
    code: str
    message: str


@dataclass
class Restored:
    """What became of a file's lines, or in a dry run would. `counts`: "memories", "turns" and
    "tombstones" that are new, "unchanged" rows that were there, "held" ones that wait for a
    person, "relinked" ones that lost a link to what did not come, "skipped_erased", "refused"
    for another reason, "ledger" lines, which are for reading alone."""

    sealed: bool
    counts: Counter[str] = field(default_factory=Counter)
    refused: list[RefusedLine] = field(default_factory=list)
    batches: list[UUID] = field(default_factory=list)


def restore(
    scope: Scope,
    path: Path,
    *,
    reason: str = "",
    dry_run: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Restored:
    """Bring back an export. A file that does not prove itself changes nothing: `FormatError`.
    Killed on its way it may be started again and goes on. Raises `queue.QueueTimeout`."""
    file = proved(path)
    return _Restoring(scope, file, reason, dry_run, progress).run()


class _Restoring:
    def __init__(self, scope: Scope, file: OwnFile, reason: str, dry_run: bool, progress):
        self.scope, self.file, self.reason, self.dry_run = scope, file, reason, dry_run
        self.told = Restored(file.sealed)
        self._progress, self._done = progress, 0
        self._planner = Planner(scope)
        self._policies = policies_of(scope.workspace_id)
        self._erased: list[Memory] = []
        self._turns: set[UUID] = set()
        self._words: Words | None = None

    def run(self) -> Restored:
        places = self.file.places
        kept = self._without_erased(places["memory"])
        self._words = Words.of(self._erased) if self._erased else None
        for some in _portions(places["turn"]):
            self._put_turns(some)
        for some in linked(self._links(kept), kept, AT_ONCE):
            self._put_memories(some)
        for some in _portions(places["erasure"]):
            self._put_tombstones(some)
        self.told.counts["ledger"] = len(places["batch"]) + len(places["change"])
        return self.told

    def _without_erased(self, places: list[Place]) -> list[Place]:
        """The places of memories that were not erased here; the others are refused."""
        rows = Erasure.objects.within(self.scope).order_by("at")
        ids: set[UUID] = set()
        digests: dict[str, datetime] = {}
        for memory_id, digest, at in rows.values_list("memory_id", "digest", "at").iterator():
            ids.add(memory_id)
            digests[digest] = at
        if not ids:
            return places
        kept = []
        for place, (number, line) in zip(places, self.file.lines(places), strict=True):
            try:
                row = Memory(**memory_row(line, self.scope.workspace_id))
            except Refused:
                kept.append(place)
                continue
            then = digests.get(digest_of(row.user_id, row.text))
            if row.public_id in ids or (then is not None and row.created_at <= then):
                self._refuse(number, "erased", "was erased")
                self._erased.append(row)
            else:
                kept.append(place)
        return kept

    def _links(self, places: list[Place]) -> Iterator[tuple[str, list[str]]]:
        for _, line in self.file.lines(places):
            yield str(line.get("id")), [str(line.get(n)) for n in ("supersedes", "superseded_by")]

    def _put_memories(self, places: list[Place]) -> None:
        lines = dict(self.file.lines(places))
        rows = self._each(lines, lambda line: memory_row(line, self.scope.workspace_id))
        here = Memory.objects.within(self.scope).filter(public_id__in=_ids(rows.values()))
        known = {row.public_id: row for row in here}
        taken_elsewhere = elsewhere(Memory, self.scope, _ids(rows.values()) - known.keys())
        new: dict[int, dict[str, Any]] = {}
        for number, row in rows.items():
            try:
                if self._is_new(row, known, taken_elsewhere, new):
                    new[number] = row if self.file.sealed else screened_memory(row, self._policies)
            except Refused as error:
                self._refuse(number, error.code, error.message)
        self._relink(new, known)
        if not self.dry_run:
            self._write(new)
        self._count("memories", len(new))
        self.told.counts["held"] += sum(
            rows[n]["status"] != row["status"] for n, row in new.items()
        )
        self._move(len(places))

    def _is_new(self, row: dict, known: dict, taken: set[UUID], new: dict) -> bool:
        if not self._sees(row["user_id"]):
            raise Refused("outside_scope", "belongs to another user")
        if row["public_id"] in taken:
            raise Refused("exists", "this id is taken elsewhere in this store")
        if (there := known.get(row["public_id"])) is not None:
            if snapshot(there) != snapshot(Memory(**row)):
                raise Refused("exists", "is here, and differs")
            self._count("unchanged", 1)
            return False
        if row["status"] == Status.ACTIVE and row["single_valued"]:
            key = _key(row)
            planned = any(_key(o) == key and o["status"] == Status.ACTIVE for o in new.values())
            if planned or self._planner.current(*key) is not None:
                raise Refused("conflict", "another value is current here")
        return True

    def _relink(self, new: dict[int, dict], known: dict[UUID, Memory]) -> None:
        """Links to what does not come are let go."""
        there = _ids(new.values()) | known.keys()
        wanted = {row[n] for row in new.values() for n in _LINKS} - there - {None}
        here = Memory.objects.within(self.scope).filter(public_id__in=wanted)
        there |= set(here.values_list("public_id", flat=True))
        for row in new.values():
            lost = {n: None for n in _LINKS if row[n] is not None and row[n] not in there}
            if row["turn_id"] is not None and row["turn_id"] not in self._turns:
                lost |= dict.fromkeys(("turn_id", "evidence_start", "evidence_end"))
            row |= lost
            self.told.counts["relinked"] += bool(lost)

    def _write(self, new: dict[int, dict]) -> None:
        if not new:
            return
        try:
            applied = put_memories(self.scope, list(new.values()), self.reason)
        except Conflict as error:
            for number in list(new):
                del new[number]
                self._refuse(number, "conflict", str(error))
        else:
            self.told.batches.append(applied.batch.public_id)

    def _put_turns(self, places: list[Place]) -> None:
        lines = dict(self.file.lines(places))
        rows = self._each(lines, lambda line: turn_row(line, self.scope.workspace_id))
        ids = {row.public_id for row in rows.values()}
        known = Turn.objects.within(self.scope).in_bulk(ids, field_name="public_id")
        taken_elsewhere = elsewhere(Turn, self.scope, ids - known.keys())
        new = []
        for number, row in rows.items():
            there = known.get(row.public_id)
            if not self._sees(row.user_id):
                self._refuse(number, "outside_scope", "belongs to another user")
            elif row.public_id in taken_elsewhere:
                self._refuse(number, "exists", "this id is taken elsewhere in this store")
            elif there is None:
                new.append(self._blotted(row if self.file.sealed else screened_turn(row)))
            elif there.content == row.content or there.erased_at:
                self._count("unchanged", 1)
            else:
                self._refuse(number, "exists", "is here, and differs")
        if new and not self.dry_run:
            put_back_turns(new)
        self._turns |= known.keys() | {row.public_id for row in new}
        self._count("turns", len(new))
        self._move(len(places))

    def _blotted(self, turn: Turn) -> Turn:
        """The turn without the words of what was erased."""
        if self._words is None:
            return turn
        content, metadata = turn.content, turn.metadata
        own = [row for row in self._erased if row.turn_id == turn.public_id]
        for row in own:
            span = slice(row.evidence_start or 0, row.evidence_end or len(content))
            content = content[: span.start] + blank(content[span]) + content[span.stop :]
        content = self._words.blotted(content, own=bool(own))
        metadata = self._words.blotted_json(metadata, own=bool(own))
        if (content, metadata) != (turn.content, turn.metadata):
            turn.content, turn.metadata, turn.erased_at = content, metadata, clock.now()
        return turn

    def _put_tombstones(self, places: list[Place]) -> None:
        rows = self._each(dict(self.file.lines(places)), tombstone_row)
        rows = {n: row for n, row in rows.items() if self._sees(row["user_id"])}
        new = put_tombstones(self.scope, list(rows.values()), self.reason, dry_run=self.dry_run)
        self._count("tombstones", new)
        self._count("unchanged", len(rows) - new)
        self._move(len(places))

    def _each(self, lines: dict[int, dict], read: Callable[[dict], Any]) -> dict[int, Any]:
        found = {}
        for number, line in lines.items():
            try:
                found[number] = read(line)
            except Refused as error:
                self._refuse(number, error.code, error.message)
        return found

    def _sees(self, user_id: str) -> bool:
        return self.scope.user_id in (None, user_id)

    def _refuse(self, number: int, code: str, message: str) -> None:
        self.told.refused.append(RefusedLine(number, code, message))
        self._count("skipped_erased" if code == "erased" else "refused", 1)

    def _count(self, name: str, count: int) -> None:
        self.told.counts[name] += count

    def _move(self, count: int) -> None:
        self._done += count
        total = sum(len(self.file.places[name]) for name in ("turn", "memory", "erasure"))
        self._progress(self._done, total)


def _portions(places: Iterable[Place]) -> Iterator[list[Place]]:
    rest = iter(places)
    while some := list(islice(rest, AT_ONCE)):
        yield some


def _ids(rows: Iterable[dict[str, Any]]) -> set[UUID]:
    return {row["public_id"] for row in rows}


def _key(row: dict[str, Any]) -> tuple[str, str, str, str]:
    return row["user_id"], row["agent_id"], row["entity_key"], row["attribute_key"]
