"""A memory in JSON."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Subquery
from ninja import Schema

from memory.models import Memory, RecallCandidate

_TEXTS = (
    "user_id", "agent_id", "session_id", "entity", "attribute", "value", "text", "summary",
    "kind", "layer", "domain", "tags", "links", "source", "importance", "confidence", "status",
)  # fmt: skip
_TIMES = (
    "occurred_at", "created_at", "updated_at", "confirmed_at", "valid_from", "valid_to",
    "expires_at",
)  # fmt: skip


class Evidence(Schema):
    turn_id: UUID
    start: int | None
    end: int | None
    quote: str


class MemoryForm(Schema):
    id: UUID
    workspace: str
    user_id: str
    agent_id: str
    session_id: str
    entity: str
    attribute: str
    value: str
    text: str
    summary: str
    kind: str
    layer: str
    domain: str
    tags: list[str]
    links: list[str]
    source: str
    importance: int
    confidence: float | None
    status: str
    occurred_at: datetime | None
    created_at: datetime
    updated_at: datetime
    confirmed_at: datetime | None
    accessed_at: datetime | None
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    version: int
    confirmations: int
    supersedes: UUID | None
    superseded_by: UUID | None
    held_for: list[dict[str, Any]]
    conflicts_with: UUID | None
    evidence: Evidence | None
    external_id: str
    metadata: dict[str, Any]


def memory_form(
    memory: Memory, workspace: str, accessed_at: datetime | None = None
) -> dict[str, Any]:
    """The JSON of one memory; `accessed_at` is when it last reached an agent."""
    return {
        "id": str(memory.public_id),
        "workspace": workspace,
        **{name: getattr(memory, name) for name in _TEXTS},
        **{name: iso(getattr(memory, name)) for name in _TIMES},
        "accessed_at": iso(accessed_at),
        "version": memory.version,
        "confirmations": memory.confirmations,
        "supersedes": _id(memory.supersedes_id),
        "superseded_by": _id(memory.superseded_by_id),
        "evidence": _evidence(memory),
        "held_for": memory.held_for,
        "conflicts_with": _id(memory.conflicts_with),
        "external_id": memory.external_id,
        "metadata": memory.metadata,
    }


def memory_forms(request, memories: Iterable[Memory]) -> dict[UUID, dict[str, Any]]:
    """The JSON of many memories of the request's scope by public id, with one query."""
    memories = list(memories)
    newest = RecallCandidate.objects.filter(memory_id=OuterRef("public_id"), rank__isnull=False)
    accessed = dict(
        Memory.objects.within(request.scope)
        .filter(pk__in=[memory.pk for memory in memories])
        # The newest of each by the index, not the maximum over all that it was ever given in.
        .annotate(accessed=Subquery(newest.order_by("-id").values("recall__at")[:1]))
        .values_list("public_id", "accessed")
    )
    workspace = request.auth.workspace.name
    return {
        memory.public_id: memory_form(memory, workspace, accessed.get(memory.public_id))
        for memory in memories
    }


def iso(moment: datetime | None) -> str | None:
    return moment and moment.isoformat()


def etag(memory: Memory) -> str:
    return f'"{memory.revision}"'


def _id(public_id: UUID | None) -> str | None:
    return public_id and str(public_id)


def _evidence(memory: Memory) -> dict[str, Any] | None:
    if memory.turn_id is None:
        return None
    return {
        "turn_id": str(memory.turn_id),
        "start": memory.evidence_start,
        "end": memory.evidence_end,
        "quote": memory.quote,
    }
