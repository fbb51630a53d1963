"""Tombstones: which memories were erased, and whether a text was."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from memory.models import Batch, Erasure, Scope

from .digest import digest_of

_AT_ONCE = 5000
BROUGHT_BACK, BACK_TOLD = "brought_back", 20


def was_erased(scope: Scope, user_id: str, text: str) -> Erasure | None:
    """The tombstone of a memory of this user that said the same text; None where there is none.
    An import asks it of each row before it brings one in."""
    rows = Erasure.objects.within(scope).filter(digest=digest_of(user_id, text))
    return rows.order_by("-id").first()


def note_brought_back(scope: Scope, digests: Collection[str], batch: Batch) -> None:
    """Tell with the tombstones of these texts that somebody chose to bring them back, in the
    transaction in which they come; the newest `BACK_TOLD` times. What was erased stays told."""
    told = {"batch_id": str(batch.public_id), "at": batch.at.isoformat(), "actor": batch.actor}
    for kept in Erasure.objects.within(scope).filter(digest__in=digests):
        before = kept.removed.get(BROUGHT_BACK, [])
        kept.removed = {**kept.removed, BROUGHT_BACK: [*before, told][-BACK_TOLD:]}
        kept.save(update_fields=["removed"])


def brought_back(erasure: Erasure) -> list[dict[str, str]]:
    """When, by whom and in which batch any memory of this erasure was brought back."""
    rows = Erasure.everywhere.filter(batch=erasure.batch_id, removed__has_key=BROUGHT_BACK)
    found = {one["batch_id"]: one for row in rows for one in row.removed[BROUGHT_BACK]}
    return sorted(found.values(), key=lambda one: one["at"])


def erasure_of(scope: Scope, memory_id: UUID) -> Erasure | None:
    """The tombstone of this memory, where the scope saw the memory."""
    return Erasure.objects.within(scope).filter(memory_id=memory_id).first()


def newest_erasure() -> datetime | None:
    """When something was erased last, in any workspace."""
    return Erasure.everywhere.order_by("-pk").values_list("at", flat=True).first()


def erased_among(memory_ids: Collection[UUID]) -> set[UUID]:
    """Those of these memories that were erased."""
    ids = list(memory_ids)
    return {
        one
        for n in range(0, len(ids), _AT_ONCE)
        for one in Erasure.everywhere.filter(memory_id__in=ids[n : n + _AT_ONCE]).values_list(
            "memory_id", flat=True
        )
    }
