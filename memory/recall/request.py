"""What an agent asks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from memory import clock
from memory.models import Kind, Scope, ScopeError
from memory.text.normalise import UnstorableText, clean
from memory.write.held import without_secrets
from memory.write.working import AtHand

from .dates import Day, named_day

QUERY_LIMIT = 20_000
DEFAULT_LIMIT = 8
MAX_LIMIT = 50
DEFAULT_TURNS = 4
MAX_TURNS = 20
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
    the store as it was then; `budget_tokens` bounds the context, `limit` its memories, `turns` its
    turns of the dialogue log, and with `prompt_tokens`, the rest of the prompt, all of it is at
    most 30 % of the whole. `asked_at` is when it was asked, where that is not now. `working` is
    what the session's working memory holds."""

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
    turns: int = DEFAULT_TURNS
    asked_at: datetime | None = None
    working: Sequence[AtHand] = ()

    @cached_property
    def day(self) -> Day | None:
        """The day that the question itself asks about, as `named_day` reads it."""
        return named_day(self.query, self.as_of or self.asked_at or clock.now())

    def checked(self, profiles: Sequence[str]) -> "RecallRequest":
        """Itself, with what looks like a secret in the question masked, for the question is kept;
        or `InvalidRequest` naming every wrong field, or `ScopeError`."""
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
        if not 0 <= self.turns <= MAX_TURNS:
            errors.append(("turns", f"from 0 to {MAX_TURNS}"))
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
            elif name == "as_of" and moment is not None and moment > clock.now():
                errors.append((name, "is in the future"))
        if errors:
            raise InvalidRequest(errors)
        query = without_secrets(self.query)
        return self if query == self.query else replace(self, query=query)

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
            "day": self.day and str(self.day),
            "limit": self.limit,
            "budget_tokens": self.budget_tokens,
            "prompt_tokens": self.prompt_tokens,
            "turns": None if self.turns == DEFAULT_TURNS else self.turns,
        }
        return {name: value for name, value in asked.items() if value not in (None, "", [])}
