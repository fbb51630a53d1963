"""What agents send to write and to correct, and how it becomes a proposal."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pydantic import Field, model_validator

from memory import clock
from memory.models import Scope
from memory.write.proposal import Proposal

from .fields import (
    Body,
    Confidence,
    Content,
    Domain,
    Importance,
    KindName,
    Metadata,
    Moment,
    Name,
    NewValue,
    Part,
    Parts,
    Reason,
    RoleName,
    Said,
    SourceName,
    Summary,
    Text,
    TtlSeconds,
    UserId,
    Value,
)

MOST_MESSAGES = 200
# What belongs to one statement and cannot be said of many messages at once.
OF_ONE = ("text", "entity", "attribute", "value", "summary", "evidence", "external_id")


class EvidenceIn(Body):
    """`quote` must stand in the turn, word for word; empty: the memory's text, if it does."""

    turn_id: UUID
    quote: Text = ""


class MessageIn(Body):
    role: RoleName
    content: Content


class MemoryIn(Body):
    """One of: `entity`, `attribute` and `value`; a `text`; or `messages`. With `infer` a plain
    statement ("my X is Y", 「X的Y是Z」) also gets its entity, attribute and value.

    Each of `messages` is kept as a turn. With `infer`, what the user says in it that is worth
    remembering becomes memories, one a statement: at once by rules, or where a model is
    configured in the background; without, each user message is remembered as it stands.
    """

    user_id: UserId | None = None
    agent_id: Name | None = None
    session_id: Name | None = None
    text: Text | None = None
    messages: list[MessageIn] | None = Field(None, min_length=1, max_length=MOST_MESSAGES)
    entity: Part | None = None
    attribute: Part | None = None
    value: Value | None = None
    summary: Summary | None = None
    kind: KindName | None = None
    domain: Domain | None = None
    tags: Parts | None = None
    links: Parts | None = None
    source: SourceName | None = None
    importance: Importance | None = None
    confidence: Confidence | None = None
    occurred_at: Moment | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    expires_at: Moment | None = None
    ttl_seconds: TtlSeconds | None = None
    evidence: EvidenceIn | None = None
    external_id: Part | None = None
    metadata: Metadata | None = None
    infer: bool = Field(True, strict=True)
    reason: Reason = ""

    @model_validator(mode="after")
    def _one_form(self):
        if self.messages is not None:
            mixed = [name for name in OF_ONE if getattr(self, name) is not None]
            if mixed:
                raise ValueError(f"messages come without {', '.join(mixed)}")
        if self.ttl_seconds is not None and self.expires_at is not None:
            raise ValueError("give expires_at or ttl_seconds, not both")
        return self

    def proposal(self, scope: Scope, **more: Any) -> Proposal:
        """As the road in takes it; `more` wins over what the body says."""
        said = self.model_dump(
            exclude_none=True,
            exclude={"messages", "evidence", "ttl_seconds", "infer", "reason"},
        )
        said |= {"user_id": scope.user_id or ""} | more
        said |= {name: tuple(said[name]) for name in ("tags", "links") if name in said}
        if self.evidence is not None:
            said |= {"turn_id": self.evidence.turn_id, "quote": self.evidence.quote}
        if self.ttl_seconds is not None:
            from_then = said.get("occurred_at") or said.get("valid_from")
            said["expires_at"] = ends(self.ttl_seconds, from_then)
        return Proposal(**said)


class MemoryPatch(Body):
    """The fields that change. What is left out stays; null clears a time or the confidence."""

    user_id: UserId = None
    agent_id: Name = None
    session_id: Name = None
    text: Said = None
    entity: Part = None
    attribute: Part = None
    value: NewValue = None
    summary: Summary = None
    kind: KindName = None
    domain: Domain = None
    tags: Parts = None
    links: Parts = None
    source: SourceName = None
    importance: Importance = None
    confidence: Confidence | None = None
    occurred_at: Moment | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    expires_at: Moment | None = None
    ttl_seconds: TtlSeconds = None
    external_id: Part = None
    metadata: Metadata = None
    reason: Reason = ""

    @model_validator(mode="after")
    def _says_something(self):
        said = self.model_fields_set
        if not said - {"reason"}:
            raise ValueError("say what changes")
        if {"ttl_seconds", "expires_at"} <= said:
            raise ValueError("give expires_at or ttl_seconds, not both")
        return self

    def changes(self) -> dict[str, Any]:
        said = self.model_dump(exclude_unset=True, exclude={"reason", "ttl_seconds"})
        if self.ttl_seconds is not None:
            said["expires_at"] = ends(self.ttl_seconds, self.occurred_at)
        return said


def ends(ttl_seconds: int, begins: datetime | None) -> datetime:
    return (begins or clock.now()) + timedelta(seconds=ttl_seconds)
