"""Tombstones: which memories were erased, and whether a text was."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from memory.models import Erasure, Scope

from .digest import digest_of

_AT_ONCE = 5000


def was_erased(scope: Scope, user_id: str, text: str) -> Erasure | None:
    """The tombstone of a memory of this user that said the same text; None where there is none.
    An import asks it of each row before it brings one in."""
    rows = Erasure.objects.within(scope).filter(digest=digest_of(user_id, text))
    return rows.order_by("-id").first()


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
