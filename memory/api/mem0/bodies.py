"""What mem0's client sends. Names that mean nothing here (custom_categories, output_format,
enable_graph and so on) are passed over; what a filter names is not."""

from datetime import UTC, date, datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Schema
from pydantic import BeforeValidator, Field, StringConstraints, field_validator

from memory.models import Scope
from memory.recall.request import QUERY_LIMIT
from memory.write.proposal import InvalidInput

from ..bodies import MOST_MESSAGES, MemoryIn
from ..fields import Content, Metadata, Said
from .filters import ENTITIES
from .form import APP, end_of

# Where nothing is said of it, as many as mem0 gives.
TOP_K = 10
LATEST_YEAR = 9000


def _moment(value: Any) -> datetime:
    """A Unix time in seconds, or ISO 8601; without an offset in UTC."""
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
            moment = datetime.fromisoformat(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        else:
            moment = datetime.fromtimestamp(float(value), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        raise ValueError("a Unix time in seconds, or ISO 8601") from None
    if not 1000 <= moment.year < LATEST_YEAR:
        raise ValueError("a year from 1000 to 8999")
    return moment.astimezone(UTC)


def _day(value: Any) -> date:
    try:
        day = date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("a day such as 2026-03-01") from None
    if not 1000 <= day.year < LATEST_YEAR:
        raise ValueError("a year from 1000 to 8999")
    return day


Timestamp = Annotated[datetime, BeforeValidator(_moment)]
Day = Annotated[date, BeforeValidator(_day)]
Query = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=QUERY_LIMIT)
]


class Owned(Schema):
    """Whose it is, said beside the rest or in `filters`."""

    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None
    filters: dict[str, Any] | None = None

    def owner(self) -> dict[str, str]:
        """The names, by mem0's words for them. Raises `InvalidInput`."""
        said = dict(self.filters or {})
        said |= {n: v for n in (*ENTITIES, APP) if (v := getattr(self, n)) is not None}
        for name, value in said.items():
            if name not in (*ENTITIES, APP) or not isinstance(value, str) or not value.strip():
                raise InvalidInput([(name, "names one user, agent, app or run")])
        return said


class Message(Schema):
    role: str = "user"
    content: Content

    @field_validator("content", mode="before")
    @classmethod
    def _as_text(cls, content: Any) -> Any:
        """Parts of text are put together; pictures and files are not taken."""
        if not isinstance(content, list):
            return content
        if not all(isinstance(p, dict) and p.get("type") == "text" for p in content):
            raise ValueError("only text is taken")
        return "\n".join(str(part.get("text", "")) for part in content)


class AddIn(Owned):
    messages: list[Message] = Field(min_length=1, max_length=MOST_MESSAGES)
    metadata: Metadata | None = None
    infer: bool | None = None
    timestamp: Timestamp | None = None
    expiration_date: Day | None = None

    def memory_in(self, scope: Scope) -> MemoryIn:
        """The same as this API takes it. Raises `InvalidInput`."""
        owner = self.owner()
        if not (owner.get("user_id") or scope.user_id):
            raise InvalidInput([("user_id", "every memory here is one user's: say whose")])
        metadata = dict(self.metadata or {})
        metadata |= {APP: owner[APP]} if APP in owner else {}
        said = {
            "user_id": owner.get("user_id"),
            "agent_id": owner.get("agent_id"),
            "session_id": owner.get("run_id"),
            "metadata": metadata or None,
            "occurred_at": self.timestamp,
            "expires_at": end_of(self.expiration_date),
            "infer": self.infer is not False,
        }
        return MemoryIn(
            messages=[{"role": _role(m.role), "content": m.content} for m in self.messages],
            **{name: value for name, value in said.items() if value is not None},
        )


class SearchIn(Owned):
    """`latest_only`, `rerank` and `keyword_search` change nothing: only what is true now is ever
    found, and ranked."""

    query: Query
    top_k: int | None = Field(None, ge=1)
    limit: int | None = Field(None, ge=1)
    threshold: float | None = None
    fields: list[str] | None = None
    output_format: str | None = None

    @property
    def wanted(self) -> int:
        return self.top_k or self.limit or TOP_K


class ListIn(Owned):
    start_date: str | None = None
    end_date: str | None = None
    categories: list[str] | None = None
    show_expired: bool | None = None
    latest_only: bool | None = None
    fields: list[str] | None = None
    output_format: str | None = None


class UpdateIn(Schema):
    text: Said | None = None
    memory: Said | None = None
    data: Said | None = None
    metadata: Metadata | None = None
    timestamp: Timestamp | None = None
    expiration_date: Day | None = None

    def changes(self) -> dict[str, Any]:
        """What changes, by our names; an `expiration_date` of null clears it."""
        changes: dict[str, Any] = {}
        if text := self.text or self.memory or self.data:
            changes["text"] = text
        if self.metadata is not None:
            changes["metadata"] = self.metadata
        if self.timestamp is not None:
            changes["occurred_at"] = self.timestamp
        if "expiration_date" in self.model_fields_set:
            changes["expires_at"] = end_of(self.expiration_date)
        if not changes:
            raise InvalidInput([("text", "say what changes")])
        return changes


class FeedbackIn(Schema):
    memory_id: UUID
    feedback: str | None = None
    feedback_reason: str | None = Field(None, max_length=4000)


def _role(role: str) -> str:
    return role if role in ("user", "assistant", "system", "tool") else "tool"
