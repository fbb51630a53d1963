"""A memory as mem0 shows it."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from memory.models import Memory, Scope, Status

from ..form import iso

# Where mem0 keeps a name that no column here has.
APP = "app_id"


def mem0_form(memory: Memory) -> dict[str, Any]:
    """`id` is the fact's; `version_id` names this version of it in the API under /api/v1."""
    return {
        "id": str(memory.fact),
        "memory": memory.text,
        "user_id": memory.user_id or None,
        "agent_id": memory.agent_id or None,
        "app_id": memory.metadata.get(APP),
        "run_id": memory.session_id or None,
        "metadata": {name: value for name, value in memory.metadata.items() if name != APP},
        "categories": memory.tags,
        "hash": memory.fingerprint,
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "expiration_date": last_day(memory.expires_at),
        "lifecycle_state": memory.status,
        "replaced_by": None,
        "version": memory.version,
        "version_id": str(memory.public_id),
    }


def mem0_forms(scope: Scope, memories: Iterable[Memory]) -> list[dict[str, Any]]:
    """Many in their order; of a superseded one `replaced_by` is what took its place."""
    memories = list(memories)
    heirs = {row.superseded_by_id for row in memories if row.status == Status.SUPERSEDED}
    rows = Memory.objects.within(scope).filter(public_id__in=heirs - {None})
    facts = dict(rows.values_list("public_id", "fact"))
    forms = []
    for row in memories:
        forms.append(mem0_form(row))
        if row.superseded_by_id in facts:
            forms[-1]["replaced_by"] = str(facts[row.superseded_by_id])
    return forms


def end_of(day: date | None) -> datetime | None:
    """When a memory with this `expiration_date` ends: it holds through that day, in UTC."""
    return day and datetime.combine(day + timedelta(days=1), time(), UTC)


def last_day(end: datetime | None) -> str | None:
    """The `expiration_date` of a memory that ends then."""
    return end and (end - timedelta(microseconds=1)).astimezone(UTC).date().isoformat()
