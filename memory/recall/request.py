"""What an agent asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.models import Kind, Scope, ScopeError
from memory.text.normalise import UnstorableText, clean

QUERY_LIMIT = 20_000
DEFAULT_LIMIT = 8
MAX_LIMIT = 50
DEFAULT_BUDGET = 1200
MAX_BUDGET = 32_000


class InvalidRequest(ValueError):
    """A recall that cannot be made. `errors` is a list of (field, message)."""

    def __init__(self, errors: list[tuple[str, str]]):
        self.errors = errors
        super().__init__("; ".join(f"{name}: {message}" for name, message in errors))


@dataclass(frozen=True)
class RecallRequest:
    """One question for one user. `since` and `until` bound when a memory happened; `as_of` asks
    the store as it was then; `budget_tokens` bounds the context, `limit` its memories, and with
    `prompt_tokens`, the rest of the prompt, memory is at most 30 % of the whole."""

    scope: Scope
    query: str
    agent_id: str = ""
    session_id: str = ""
    limit: int = DEFAULT_LIMIT
    kinds: Sequence[str] = ()
    domains: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    profile: str = "balanced"
    budget_tokens: int = DEFAULT_BUDGET
    prompt_tokens: int | None = None

    def checked(self, profiles: Sequence[str]) -> "RecallRequest":
        """Itself, or `InvalidRequest` naming every wrong field, or `ScopeError`."""
        if self.scope.user_id is None:
            raise ScopeError("a recall is always for one user")
        errors = []
        try:
            clean(self.query, QUERY_LIMIT)
        except UnstorableText as error:
            errors.append(("query", str(error)))
        if not self.query.strip():
            errors.append(("query", "is empty"))
        if not 1 <= self.limit <= MAX_LIMIT:
            errors.append(("limit", f"from 1 to {MAX_LIMIT}"))
        if not 1 <= self.budget_tokens <= MAX_BUDGET:
            errors.append(("budget_tokens", f"from 1 to {MAX_BUDGET}"))
        if self.prompt_tokens is not None and self.prompt_tokens < 0:
            errors.append(("prompt_tokens", "0 or more"))
        if unknown := sorted(set(self.kinds) - set(Kind.values)):
            errors.append(("kinds", f"unknown: {', '.join(unknown)}"))
        if self.profile not in profiles:
            errors.append(("profile", f"one of {', '.join(profiles)}"))
        for name in ("since", "until", "as_of"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                errors.append((name, "a time needs its offset, such as +08:00"))
        if errors:
            raise InvalidRequest(errors)
        return self

    def filters(self) -> dict:
        """The filters as the record keeps them."""
        asked = {
            "user_id": self.scope.user_id,
            "agent_id": self.agent_id,
            "session_id": self.session_id,
            "kinds": list(self.kinds),
            "domains": list(self.domains),
            "since": self.since and self.since.isoformat(),
            "until": self.until and self.until.isoformat(),
            "limit": self.limit,
            "budget_tokens": self.budget_tokens,
            "prompt_tokens": self.prompt_tokens,
        }
        return {name: value for name, value in asked.items() if value not in (None, "", [])}
