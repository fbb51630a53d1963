"""What tools answer: the API's forms without what is empty, for every word costs the agent."""

from typing import Any
from uuid import UUID

from ninja import Schema
from pydantic import AwareDatetime

_ALWAYS = ("id", "user_id", "text", "kind", "status", "version", "created_at")
_WHERE_SAID = (
    "agent_id", "session_id", "entity", "attribute", "value", "domain", "tags", "source",
    "confidence", "occurred_at", "confirmed_at", "valid_from", "valid_to", "expires_at",
    "supersedes", "superseded_by", "held_for", "conflicts_with",
)  # fmt: skip


class ShortMemory(Schema):
    """A memory; what it does not say is left out. The whole of it: get_memory."""

    id: UUID
    user_id: str
    text: str
    kind: str
    status: str
    version: int
    created_at: AwareDatetime
    agent_id: str = ""
    session_id: str = ""
    entity: str = ""
    attribute: str = ""
    value: str = ""
    domain: str = ""
    tags: list[str] = []
    source: str = ""
    confidence: float | None = None
    occurred_at: AwareDatetime | None = None
    confirmed_at: AwareDatetime | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    expires_at: AwareDatetime | None = None
    supersedes: UUID | None = None
    superseded_by: UUID | None = None
    held_for: list[dict[str, Any]] = []
    conflicts_with: UUID | None = None


class ShortResult(Schema):
    """What became of one thing. "candidate" and "quarantined" are kept but not recalled:
    `memory.held_for` says why; "rejected" is not kept, "skipped" only in the dialogue log."""

    action: str
    memory: ShortMemory | None = None
    previous: ShortMemory | None = None
    reason: str | None = None


class ShortChanged(Schema):
    """`batch_id` is null when nothing changed; a person can undo the whole batch."""

    batch_id: UUID | None
    results: list[ShortResult]
    queued: list[UUID] = []


def short_memory(form: dict[str, Any]) -> dict[str, Any]:
    """A memory in few words, from the API's form of it."""
    said = {name: form[name] for name in _WHERE_SAID if form[name] not in (None, "", [])}
    return {name: form[name] for name in _ALWAYS} | said


def short_changed(answer: dict[str, Any]) -> dict[str, Any]:
    """What a change did in few words, from the API's answer to it."""
    results = [
        {"action": result["action"]}
        | {n: short_memory(result[n]) for n in ("memory", "previous") if result[n]}
        | ({"reason": result["reason"]} if result["reason"] else {})
        for result in answer["results"]
    ]
    told = {"batch_id": answer["batch_id"], "results": results}
    return told | ({"queued": answer["queued"]} if answer.get("queued") else {})
