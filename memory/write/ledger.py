"""Walking the ledger's chain."""

import json
from dataclasses import dataclass
from functools import cached_property

from memory.index import ledger_rows
from memory.index.ledger_rows import Row
from memory.models import GENESIS, Change, payload_digest, reason_digest, sealed

ERASE = "erase"
# The action of an entry that takes a batch's reason away; the batch stands for the memory.
ERASE_REASON = "erase_reason"
# Walking so many takes some 5 s: more than a request should.
MOST_AT_ONCE = 100_000


@dataclass(frozen=True)
class Break:
    """The first entry that does not verify, as its bytes lie there, and in what."""

    row: Row
    what: str

    @property
    def number(self) -> int:
        return self.row.id

    @cached_property
    def entry(self) -> Change:
        """The entry as the models read it; raises what reading a damaged row raises."""
        return Change.objects.select_related("batch").get(pk=self.number)


@dataclass(frozen=True)
class Walk:
    """`entries` hold up to `head`, the hash of the last of them; `broken` comes next."""

    entries: int
    head: str
    broken: Break | None


def first_break() -> Break | None:
    """None when every entry's hash, link and payload hold. Linear in the ledger."""
    return walk().broken


def walk() -> Walk:
    """Verify entry by entry, up to the first that does not hold: each follows the one before it,
    bears the hash of its own bytes and its batch's, and holds the payload and the reason of its
    digests, but for those that a later entry says were erased. Linear in the ledger."""
    count, head, erased = 0, GENESIS, _Erased()
    for row in ledger_rows.entries():
        if what := _wrong(row, head, erased):
            return Walk(count, head, Break(row, what))
        count, head = count + 1, row.hash
    return Walk(count, head, None)


def is_long() -> bool:
    """Whether the ledger has more entries than a request should walk."""
    return Change.objects.filter(pk__gt=MOST_AT_ONCE).exists()


def contains(head: str) -> bool:
    """Whether an entry bears this hash: with a chain that holds, whether a head that was noted
    is still in it. A tail that was cut off is not to be seen otherwise."""
    return Change.objects.filter(hash=head).exists()


def erased_digest(tombstone: str) -> str:
    """What an erasing entry bears for a payload's digest: its tombstone's."""
    return payload_digest({"erased": tombstone})


def _wrong(row: Row, head: str, erased: "_Erased") -> str:
    if row.previous_hash != head:
        return "does not follow the entry before it"
    if _sealed(row) != row.hash:
        return "was altered"
    if row.payload is not None and not _is_payload(row):
        return "had its before or after altered"
    if row.reason and reason_digest(row.reason) != row.reason_digest:
        return "had its reason altered"
    return erased.wrong(row)


def _sealed(row: Row) -> str:
    """As `Change.sealed_hash`, of the stored bytes."""
    return sealed(
        row.previous_hash, row.id, row.batch_public_id, row.workspace_id, row.user_id,
        _iso(row.batch_at), row.actor, row.surface, row.verb, row.reason_digest, row.undoes_id,
        row.memory_id, row.fact, _iso(row.at), row.action, row.status_before, row.status_after,
        row.revision_before, row.revision_after, row.payload_digest,
    )  # fmt: skip


def _iso(stored: object) -> object:
    """ "2026-03-01 09:00:00" as it was hashed; anything else stays, and gives another hash."""
    if isinstance(stored, str) and stored[10:11] == " ":
        return f"{stored[:10]}T{stored[11:]}+00:00"
    return stored


def _is_payload(row: Row) -> bool:
    try:
        payload = json.loads(row.payload)
        # Blanks, the order of names and the spelling of numbers are not in the digest.
        return json.dumps(payload) == row.payload and payload_digest(payload) == row.payload_digest
    except (TypeError, ValueError, RecursionError):
        return False


class _Erased:
    """What the walk knows of erasures. A payload may be gone only where a later entry of that
    memory erased it, a reason only where its batch changed such a memory or an entry of its own
    says so."""

    def __init__(self) -> None:
        self._tombstones = ledger_rows.tombstones()
        self._no_reason = reason_digest("")
        self._checked: int | None = None

    def wrong(self, row: Row) -> str:
        if row.action == ERASE:
            return self._wrong_erasure(row)
        if row.action != ERASE_REASON:
            if row.payload is None and self._number(row.memory_id) < row.id:
                return "has lost its before and after, and nothing says that they were erased"
            if row.payload is not None and self._known(row.memory_id) > row.id:
                return "holds again what was erased"
        if row.batch_id != self._checked and not self._may_say_nothing(row):
            return "has lost its reason, and nothing says that it was erased"
        self._checked = row.batch_id
        return ""

    def _wrong_erasure(self, row: Row) -> str:
        found = self._tombstones.get(row.memory_id) or ledger_rows.tombstone(row.memory_id)
        if row.payload is not None or found is None:
            return "was erased, and no tombstone tells of it"
        if erased_digest(found[0]) != row.payload_digest:
            return "was erased, and its tombstone was altered"
        return ""

    def _may_say_nothing(self, row: Row) -> bool:
        if row.reason != "" or row.reason_digest == self._no_reason:
            return True
        of_batch = ledger_rows.memories_of_batch(row.batch_id)
        return any(map(self._number, of_batch)) or ledger_rows.says(
            ERASE_REASON, row.batch_public_id
        )

    def _number(self, memory_id: str) -> int:
        """The entry that erased a memory; 0: none did. It may have been since the walk began."""
        if memory_id not in self._tombstones and (now := ledger_rows.tombstone(memory_id)):
            self._tombstones[memory_id] = now
        return self._known(memory_id)

    def _known(self, memory_id: str) -> int:
        return (self._tombstones.get(memory_id) or ("", 0))[1] or 0
