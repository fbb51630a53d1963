"""Walking the ledger's chain."""

from dataclasses import dataclass

from memory.models import GENESIS, Change, payload_digest, reason_digest


@dataclass(frozen=True)
class Break:
    """The first entry that does not verify, and in what."""

    entry: Change
    what: str


def first_break() -> Break | None:
    """None when every entry's hash, link and payload hold. Linear in the ledger."""
    previous = GENESIS
    entries = Change.objects.select_related("batch").order_by("id")
    for entry in entries.iterator(chunk_size=1000):
        if entry.previous_hash != previous:
            return Break(entry, "does not follow the entry before it")
        if entry.sealed_hash() != entry.hash:
            return Break(entry, "was altered")
        if entry.payload is not None and payload_digest(entry.payload) != entry.payload_digest:
            return Break(entry, "had its before or after altered")
        if entry.batch.reason and reason_digest(entry.batch.reason) != entry.batch.reason_digest:
            return Break(entry, "had its reason altered")
        previous = entry.hash
    return None
