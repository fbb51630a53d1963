"""Who calls a tool: the API key, and the scope that it gives through this door."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memory.api.auth import MissingScope
from memory.models import ApiKey, Scope

SURFACE = "mcp"


@dataclass(frozen=True)
class Caller:
    """What the API's operations look at in a request. A tool call has no headers of its own."""

    auth: ApiKey
    scope: Scope
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"
    path: str = "/mcp"

    def check(self, scope: str) -> None:
        """Raise `MissingScope` unless the key was given it."""
        if scope not in self.auth.scopes:
            raise MissingScope(scope)


def caller_with(key: ApiKey) -> Caller:
    return Caller(key, replace(key.scope(), surface=SURFACE))
