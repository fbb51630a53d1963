"""What a file of another system says, in no system's words: what a format yields."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.models import Status


@dataclass(frozen=True)
class Older:
    """An earlier value of a memory and when it began to hold."""

    text: str
    began: datetime | None = None
    value: str = ""


@dataclass(frozen=True)
class Record:
    """One memory of a file. `number` is the row or line that tells where it stands; times are
    aware; `state` is one of ours; `older` are its earlier values, oldest first.

    Empty means that the file does not say. `turn` is the id at the source of what was said.
    `doubts` are why the format itself is not sure of it, as codes of `Memory.held_for`.
    """

    number: int
    text: str = ""
    entity: str = ""
    attribute: str = ""
    value: str = ""
    user_id: str = ""
    agent_id: str = ""
    session_id: str = ""
    kind: str = ""
    domain: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    source: str = ""
    importance: int | None = None
    confidence: float | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    ended_at: datetime | None = None
    state: str = Status.ACTIVE
    external_id: str = ""
    older: tuple[Older, ...] = ()
    turn: str = ""
    quote: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)

    def content_hash(self) -> str:
        """SHA-256 over all that it says, wherever it stands in its file: what tells a row that
        comes again from one that was changed."""
        said = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("number", "raw")
        }
        said["older"] = [[one.text, one.value, _plain(one.began)] for one in self.older]
        text = json.dumps(said, sort_keys=True, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Said:
    """One turn of a dialogue."""

    number: int
    role: str
    content: str
    external_id: str
    user_id: str = ""
    agent_id: str = ""
    session_id: str = ""
    at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """What another system once handed out: a question and the memories that answered it, as
    (id at the source, score, state then), best first."""

    number: int
    external_id: str
    at: datetime
    query: str
    items: tuple[tuple[str, float | None, str], ...]
    agent_id: str = ""
    user_id: str = ""


@dataclass(frozen=True)
class Reject:
    """A row that a format could not read, and why."""

    number: int
    code: str
    message: str
    raw: Mapping[str, Any] = field(default_factory=dict)


Item = Record | Said | Shown | Reject


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else str(value)
