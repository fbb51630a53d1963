"""A proposal: one memory as somebody offers it, checked at the door."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import Kind, Source
from memory.text.normalise import UnstorableText, clean

TEXT_LIMIT = 20_000
NAME_LIMIT = 200
PART_LIMIT = 300
SUMMARY_LIMIT = 500
TAG_LIMIT = 50


class InvalidInput(ValueError):
    """What was offered cannot be kept. `errors` is a list of (field, message)."""

    code = "invalid"

    def __init__(self, errors: list[tuple[str, str]]):
        self.errors = errors
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors))


@dataclass(frozen=True)
class Proposal:
    """A memory to be written. Empty text is made from entity, attribute and value; None means
    "not said" and is filled from the kind's policy or left open (and counted by health)."""

    user_id: str = ""
    text: str = ""
    entity: str = ""
    attribute: str = ""
    value: str = ""
    agent_id: str = ""
    session_id: str = ""
    summary: str = ""
    kind: str = ""
    domain: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    source: str = ""
    importance: int | None = None
    confidence: float | None = None
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    turn_id: UUID | None = None
    quote: str = ""
    external_id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    # Why the one who offers it is not sure of it: codes as in `Memory.held_for`.
    doubts: tuple[str, ...] = ()

    def checked(self) -> "Proposal":
        """The same proposal with its texts cleaned; raises `InvalidInput` naming each field."""
        errors: list[tuple[str, str]] = []
        cleaned: dict[str, Any] = {}
        for name, limit in _TEXTS.items():
            try:
                cleaned[name] = clean(getattr(self, name), limit).strip()
            except UnstorableText as error:
                errors.append((name, str(error)))
        for name in ("tags", "links"):
            try:
                cleaned[name] = tuple(
                    tag
                    for tag in (clean(t, PART_LIMIT).strip() for t in getattr(self, name))
                    if tag
                )
            except UnstorableText as error:
                errors.append((name, str(error)))
        checked = Proposal(**{**self.__dict__, **cleaned}) if not errors else self
        errors += list(_complaints(checked))
        if errors:
            raise InvalidInput(errors)
        return checked


_TEXTS = {
    "text": TEXT_LIMIT,
    "value": TEXT_LIMIT,
    "quote": TEXT_LIMIT,
    "entity": PART_LIMIT,
    "attribute": PART_LIMIT,
    "external_id": PART_LIMIT,
    "summary": SUMMARY_LIMIT,
    "domain": 100,
    "user_id": NAME_LIMIT,
    "agent_id": NAME_LIMIT,
    "session_id": NAME_LIMIT,
}


def _complaints(p: Proposal):
    if not p.text and not p.value:
        yield "text", "give a text, or an entity, an attribute and a value"
    if p.value and not (p.entity and p.attribute):
        yield "value", "a value needs an entity and an attribute"
    if p.attribute and not p.entity:
        yield "entity", "an attribute needs an entity"
    if p.kind and p.kind not in Kind.values:
        yield "kind", f"one of {', '.join(Kind.values)}"
    if p.source and p.source not in Source.values:
        yield "source", f"one of {', '.join(Source.values)}"
    if p.importance is not None and not 1 <= p.importance <= 5:
        yield "importance", "a whole number from 1 to 5"
    if p.confidence is not None and not 0 <= p.confidence <= 1:
        yield "confidence", "a number from 0 to 1"
    if len(p.tags) > TAG_LIMIT or len(p.links) > TAG_LIMIT:
        yield "tags", f"at most {TAG_LIMIT} tags and {TAG_LIMIT} links"
    if wrong := not_storable(p.metadata):
        yield "metadata", wrong
    for name in ("occurred_at", "valid_from", "valid_to", "expires_at"):
        moment = getattr(p, name)
        if moment is not None and moment.tzinfo is None:
            yield name, "a time needs its offset, such as +08:00"
    if p.valid_from and p.valid_to and p.valid_from > p.valid_to:
        yield "valid_to", "ends before it begins"
    if p.user_id == "*":
        yield "user_id", "name one user"


def not_storable(metadata: Mapping[str, Any]) -> str:
    """What keeps metadata out: it goes into the ledger's digest and must be JSON on any engine."""
    try:
        text = json.dumps(metadata, allow_nan=False, ensure_ascii=False)
        clean(text, TEXT_LIMIT)
    except UnstorableText as error:
        return str(error)
    except (TypeError, ValueError, RecursionError):
        return "plain JSON, without NaN and infinity"
    return "nul" if "\\u0000" in text else ""
