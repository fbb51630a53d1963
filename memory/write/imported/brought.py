"""One memory as it is brought in, and what the store has of it already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.models import Change, Erasure, Memory, Scope, Status
from memory.text.fingerprint import fingerprint
from memory.write.draft import statement
from memory.write.erase.digest import digest_of
from memory.write.held import Look
from memory.write.proposal import Proposal

from .planner import ImportPlanner

MARK = "imported"
# A memory that more sources tell of than this keeps the newest of them.
MOST_MARKS = 20


@dataclass(frozen=True)
class Brought:
    """One memory as it is brought in. `versions` are its values, oldest first, each looked at;
    the last one is what it says now, and `left_out` tells of those that cannot be kept. `began`
    goes with them: when each began to hold, if the source says so. `state` is the one at its
    source, into which it came at `ended_at`; `content` the hash of all that the source says."""

    versions: tuple[Look, ...]
    began: tuple[datetime | None, ...]
    state: str
    origin: str
    external_id: str
    content: str
    ended_at: datetime | None = None
    left_out: tuple[str, ...] = ()

    @property
    def last(self) -> Proposal:
        return self.versions[-1].proposal

    @property
    def mark(self) -> dict[str, str]:
        return {
            "from": self.origin, "id": self.external_id, "sha256": self.content[:32],
            "state": self.state,
        }  # fmt: skip


@dataclass
class Known:
    """What the store has of the memories of one piece: rows by the id at their source and by
    what they say, and digests of what was erased."""

    by_id: dict[tuple[str, str], list[Memory]] = field(default_factory=dict)
    by_print: dict[tuple[str, str, str], list[Memory]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    undone: set[UUID] = field(default_factory=set)

    def join(self, other: "Known") -> None:
        """Know what another one knows, too."""
        for mine, theirs in ((self.by_id, other.by_id), (self.by_print, other.by_print)):
            for key, rows in theirs.items():
                mine.setdefault(key, []).extend(rows)
        self.erased |= other.erased
        self.undone |= other.undone

    def note(self, memory: Memory) -> None:
        if memory.external_id:
            self.by_id.setdefault((memory.user_id, memory.external_id), []).append(memory)
        key = (memory.user_id, memory.agent_id, memory.fingerprint)
        self.by_print.setdefault(key, []).append(memory)


def known(scope: Scope, pieces: Sequence[Brought]) -> Known:
    """Read, in four queries, what the store has of these."""
    found = Known()
    prints = {print_of(one.proposal) for piece in pieces for one in piece.versions}
    ids = {piece.external_id for piece in pieces if piece.external_id}
    users = {piece.last.user_id for piece in pieces}
    rows = Memory.objects.within(scope).filter(
        Q(external_id__in=ids) | Q(fingerprint__in=prints), user_id__in=users
    )
    for memory in rows.order_by("pk"):
        found.note(memory)
    digests = {digest for piece in pieces for digest in digests_of(piece)}
    tombstones = Erasure.objects.within(scope).filter(digest__in=digests)
    found.erased = set(tombstones.values_list("digest", flat=True))
    found.undone = _undone(rows.filter(status=Status.RETRACTED).values_list("public_id", flat=True))
    return found


def without_erased(brought: Brought, store: Known) -> Brought | None:
    """Without the values that were erased here; None where the present one was."""
    kept = [n for n, one in enumerate(brought.versions) if not _was_erased(one.proposal, store)]
    if not kept or kept[-1] != len(brought.versions) - 1:
        return None
    if len(kept) == len(brought.versions):
        return brought
    return replace(
        brought,
        versions=tuple(brought.versions[n] for n in kept),
        began=tuple(brought.began[n] for n in kept),
    )


def digests_of(brought: Brought) -> set[str]:
    """The keyed hashes under which its values are known again once they were erased."""
    proposals = (one.proposal for one in brought.versions)
    return {digest_of(proposal.user_id, _text(proposal)) for proposal in proposals}


def _was_erased(proposal: Proposal, store: Known) -> bool:
    return digest_of(proposal.user_id, _text(proposal)) in store.erased


def _undone(ids: Iterable[UUID]) -> set[UUID]:
    """Those whose last change was that an undo took them back."""
    last: dict[UUID, str] = {}
    rows = Change.objects.filter(memory_id__in=list(ids)).order_by("id")
    for memory_id, action in rows.values_list("memory_id", "action"):
        last[memory_id] = action
    return {memory_id for memory_id, action in last.items() if action == "undo"}


def _text(proposal: Proposal) -> str:
    return proposal.text or statement(proposal.entity, proposal.attribute, proposal.value)


def print_of(proposal: Proposal) -> str:
    """As `draft.parts` makes it."""
    named = [part for part in (proposal.entity, proposal.attribute, proposal.value) if part]
    return fingerprint(*named) if proposal.value else fingerprint(_text(proposal))


def marked(
    planner: ImportPlanner, brought: Brought, store: Known
) -> tuple[Memory, dict[str, str]] | None:
    """The newest row that was brought in from this id, with its mark; what an undo took back is
    as if it had never been here."""
    place = (brought.last.user_id, brought.last.agent_id, print_of(brought.last))
    rows = store.by_print.get(place, [])
    if brought.external_id:
        rows = [*rows, *store.by_id.get((brought.last.user_id, brought.external_id), [])]
    newest = None
    for stored in rows:
        memory = planner.rows.get(stored.public_id, stored)
        mark = mark_of(memory, brought)
        if mark is None or memory.public_id in store.undone:
            continue
        if mark["sha256"] == brought.content[:32]:
            return memory, mark
        if newest is None or memory.version >= newest[0].version:
            newest = memory, mark
    return newest


def mark_of(memory: Memory, brought: Brought) -> dict[str, str] | None:
    marks = memory.metadata.get(MARK)
    for mark in reversed(marks if isinstance(marks, list) else []):
        if isinstance(mark, dict) and (mark.get("from"), mark.get("id")) == _origin(brought):
            return {"sha256": "", "state": "", **mark}
    return None


def with_mark(planner: ImportPlanner, memory: Memory, brought: Brought) -> Memory:
    """The row as it says where it came from. On a row of this plan's own it is no second
    change."""
    marks = memory.metadata.get(MARK)
    marks = [one for one in marks if isinstance(one, dict)] if isinstance(marks, list) else []
    others = [m for m in marks if (m.get("from"), m.get("id")) != _origin(brought)]
    metadata = {**memory.metadata, MARK: [*others, brought.mark][-MOST_MARKS:]}
    if memory.metadata == metadata:
        return memory
    sets: dict[str, Any] = {"metadata": metadata}
    if not memory.external_id:
        sets["external_id"] = brought.external_id
    return planner.amend(memory, "import", **sets)


def _origin(brought: Brought) -> tuple[str, str]:
    return brought.origin, brought.external_id
