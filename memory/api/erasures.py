"""Erasing a memory, and the certificates of what was erased."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Query, Router, Schema

from memory.models import Erasure
from memory.write.erase.certificate import PLACES, certificate, erasures, find_erasure
from memory.write.erase.road import erase
from memory.write.erase.tombstones import BROUGHT_BACK
from memory.write.revise import NotFound

from .auth import needs
from .fields import UserId
from .form import iso
from .memories import find_matching
from .paging import Page, Paging, counted, page_form, page_of
from .problems import GONE, READ, READ_ONE, WRITE_ONE, Problem
from .reply import reply
from .review import Decision

of_memories = Router(tags=["erasure"])
router = Router(tags=["erasure"])


class Place(Schema):
    place: str
    count: int


class BroughtBack(Schema):
    batch_id: UUID
    at: datetime
    actor: str


class ErasureForm(Schema):
    """One erasure. `removed` counts by place; `also_held_by` names other memories that say the
    same words and stay. `scrubbed_at` is null as long as the files may still hold something.
    `brought_back`: imports that somebody had bring it back."""

    id: UUID
    user_id: str
    memory_id: UUID
    at: datetime
    actor: str
    surface: str
    reason: str
    batch_id: UUID
    removed: list[Place]
    also_held_by: list[UUID]
    scrubbed_at: datetime | None
    brought_back: list[BroughtBack]


class ErasedForm(Schema):
    """`batch_id` is the entry of the ledger that stays."""

    batch_id: UUID
    erasure: ErasureForm


class Certificate(Schema):
    """What was removed where; `signature` is a keyed hash over all else."""

    format: str
    id: UUID
    workspace: str
    user_id: str
    at: datetime
    actor: str
    surface: str
    reason: str
    batch_id: UUID
    memories: list[dict[str, Any]]
    removed: list[Place]
    also_held_by: dict[str, Any]
    files: dict[str, Any]
    made_at: datetime
    signature: str


class ErasureFilters(Paging):
    user_id: UserId | None = None


@of_memories.post(
    "/{memory_id}/erase",
    auth=needs("erase"),
    response={200: ErasedForm, WRITE_ONE | GONE | {412}: Problem},
)
def erase_memory(request, memory_id: UUID, body: Decision):
    """Remove a memory's fact for good: every version, and its words in history, evidence, recall
    records, corrections, feedback, reasons and indexes. The ledger keeps that it was there. Cannot
    be undone. `If-Match` with the memory's `ETag` refuses where it has changed (412). Needs
    `erase`."""
    memory = find_matching(request, memory_id)
    done = erase(request.scope, memory, body.reason, seen=memory.revision)
    done.erasure.refresh_from_db()
    batch_id = str(done.applied.batch.public_id)
    return reply({"batch_id": batch_id, "erasure": erasure_form(done.erasure)})


@router.get("", auth=needs("read"), response={200: Page[ErasureForm], READ: Problem})
def list_erasures(request, asked: Query[ErasureFilters]):
    """What was erased, newest first. Needs `read`."""
    rows = erasures(request.scope.narrow(asked.user_id))
    found, after = page_of(rows, "-id", asked)
    return reply(page_form([erasure_form(row) for row in found], after, counted(rows)))


@router.get("/{erasure_id}", auth=needs("read"), response={200: Certificate, READ_ONE: Problem})
def read_erasure(request, erasure_id: UUID):
    """The certificate of an erasure, by the id of one of its tombstones. Needs `read`."""
    found = find_erasure(request.scope, erasure_id)
    if found is None:
        raise NotFound(str(erasure_id))
    return reply(certificate(found))


def erasure_form(kept: Erasure) -> dict[str, Any]:
    removed = kept.removed
    return {
        "id": str(kept.public_id),
        "user_id": kept.user_id,
        "memory_id": str(kept.memory_id),
        "at": iso(kept.at),
        "actor": kept.actor,
        "surface": kept.surface,
        "reason": kept.reason,
        "batch_id": str(kept.batch.public_id),
        "removed": [
            {"place": name, "count": removed[name]} for name in PLACES if removed.get(name)
        ],
        "also_held_by": removed.get("also", []),
        "scrubbed_at": kept.scrubbed_at and iso(kept.scrubbed_at),
        "brought_back": removed.get(BROUGHT_BACK, []),
    }
