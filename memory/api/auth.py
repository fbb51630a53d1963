"""Who is calling: the API key in the request, the scope that it gives, what it may do."""

from django.db import DatabaseError
from ninja.errors import AuthenticationError
from ninja.security.base import AuthBase

from memory import clock
from memory.models import ApiKey
from memory.write import queue
from memory.write.transaction import write_transaction

from . import rates

# A reader is not kept waiting behind a long queue of writers for the note of its last use.
NOTE_WITHIN_SECONDS = 0.1


class MissingScope(Exception):
    """The key is known, but was not given the scope that this operation needs."""

    def __init__(self, scope: str):
        self.scope = scope
        super().__init__(f"this key has no scope {scope!r}")


class _Key(AuthBase):
    def __init__(self, needed: str):
        self.needed = needed
        super().__init__()

    def key_text(self, request) -> str:
        raise NotImplementedError

    def live(self, request) -> ApiKey | None:
        text = self.key_text(request)
        key = ApiKey.objects.holding(text) if text else None
        if key is not None:
            request.rate = rates.count(key)
        return key

    def __call__(self, request) -> ApiKey | None:
        key = self.live(request)
        if key is None:
            return None
        if self.needed not in key.scopes:
            raise MissingScope(self.needed)
        request.scope = key.scope()
        _note_use(key)
        return key


class BearerKey(_Key):
    openapi_type = "http"
    openapi_scheme = "bearer"
    openapi_description = "`Authorization: Bearer KEY`; `Token KEY` is taken too."

    def key_text(self, request) -> str:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        return text.strip() if scheme.lower() in ("bearer", "token") else ""


class HeaderKey(_Key):
    openapi_type = "apiKey"
    openapi_in = "header"
    openapi_name = "X-API-Key"

    def key_text(self, request) -> str:
        return request.headers.get("X-API-Key", "").strip()


def needs(scope: str) -> list[AuthBase]:
    """For an operation's `auth`: a live key with this scope. Sets `request.scope` and
    `request.auth` (the key, with its workspace)."""
    return [BearerKey(scope), HeaderKey(scope)]


def key_of(request) -> ApiKey:
    """The live key that a request brings, whatever it may do; raises `AuthenticationError`."""
    for door in needs(""):
        if key := door.live(request):
            _note_use(key)
            return key
    raise AuthenticationError


def _note_use(key: ApiKey) -> None:
    if not key.use_is_due:
        return
    try:
        with queue.turn(NOTE_WITHIN_SECONDS), write_transaction():
            ApiKey.objects.filter(pk=key.pk).update(last_used_at=clock.now())
    except (queue.QueueTimeout, DatabaseError):
        return
