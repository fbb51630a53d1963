"""Working memory: what an agent keeps at hand for one session, for a while.

It lies in the cache, not in the store: it has no states, no history and no index, and is gone when
its time is over. A session is one entry of the cache; beside them stand the lists of a workspace's
sessions, in parts, so that a new session rewrites a short one.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_datetime

from memory import clock
from memory.models import Scope, ScopeError
from memory.models.ids import new_id
from memory.text.normalise import UnstorableText, clean
from memory.text.screen import INSTRUCTION, SECRET

from .held import SecretRefused, found_in_json
from .proposal import NAME_LIMIT, InvalidInput
from .working_cache import OutOfReach, cache, entry_of, list_entries, list_entry_of, locked

VALUE_LIMIT = 16_384
SESSION_LIMIT = 1_000_000
MOST_KEYS = 200
# Of a list. All sessions are listed, or an erasure would not find what they hold.
MOST_SESSIONS = 500
DEFAULT_TTL = 3600
LONGEST_TTL = 7 * 86_400
# What a context shows of one value, and of how many.
SHOWN = 300
AT_HAND = 20


@dataclass(frozen=True)
class WorkingItem:
    """One value under its key. `id` is new with each writing. One that looks like an instruction
    is `held`: it is kept and shown, but no context has it."""

    id: str
    key: str
    value: Any
    at: datetime
    expires_at: datetime
    held: bool = False

    @property
    def text(self) -> str:
        """Key and value as a context says them, a long value cut."""
        said = self.value if isinstance(self.value, str) else _json(self.value)
        said = f"{self.key}: {said}"
        return said if len(said) <= SHOWN else f"{said[:SHOWN].rstrip()} …"


@dataclass(frozen=True)
class AtHand:
    """What a recall is given of an item, and what its record keeps of it."""

    id: str
    key: str
    text: str
    at: datetime
    expires_at: datetime

    def as_record(self) -> dict[str, str]:
        times = {"at": self.at.isoformat(), "expires_at": self.expires_at.isoformat()}
        return asdict(self) | times


@dataclass(frozen=True)
class WorkingSession:
    """A session that holds something; `name` stands for it in addresses, `expires_at` is when the
    last of it goes."""

    name: str
    user_id: str
    session_id: str
    expires_at: datetime


class StaleItem(Exception):
    """Another value stands under the key than the one that was to be changed."""


def put(
    scope: Scope,
    session_id: str,
    key: str,
    value: Any,
    ttl_seconds: int = DEFAULT_TTL,
    *,
    seen: Collection[str] | None = None,
) -> WorkingItem:
    """Keep a JSON value under a key of a session for `ttl_seconds`, in place of what is there;
    with `seen` only in place of an item with one of these ids (`StaleItem`).

    Raises `InvalidInput`, `SecretRefused`, `ScopeError` without a user, and `QueueTimeout` where
    many write to this session at once; everything here raises `OutOfReach` where the cache is
    down.
    """
    user_id, now = _user(scope), clock.now()
    session_id, key = _named("session_id", session_id), _named("key", key)
    _check(value, ttl_seconds)
    found = found_in_json("value", {key: value, "session": session_id})
    if secrets := [one for one in found if one.finding.family == SECRET]:
        raise SecretRefused(secrets)
    held = any(one.finding.family == INSTRUCTION for one in found)
    ends = now + timedelta(seconds=ttl_seconds)
    item = WorkingItem(str(new_id()), key, value, now, ends, held)
    name = _session_name(user_id, session_id)

    def added(items: dict[str, WorkingItem]) -> dict[str, WorkingItem]:
        _check_seen(items.get(key), seen)
        items = {**items, key: item}
        if len(items) > MOST_KEYS:
            raise InvalidInput([("key", f"a session holds at most {MOST_KEYS} keys")])
        if sum(len(_json(one.value)) for one in items.values()) > SESSION_LIMIT:
            raise InvalidInput([("value", f"a session holds at most {SESSION_LIMIT} characters")])
        return items

    _list(scope.workspace_id, name, WorkingSession(name, user_id, session_id, ends))
    _change(scope.workspace_id, name, added)
    return item


def items(scope: Scope, session_id: str) -> list[WorkingItem]:
    """What a session of the scope's user holds, by key. Raises `ScopeError` without a user."""
    return items_of(scope, _session_name(_user(scope), session_id.strip()))


def items_of(scope: Scope, name: str) -> list[WorkingItem]:
    """The same of a session by its name, which is taken from `sessions(scope)`."""
    found = _live(cache.get(entry_of(scope.workspace_id, name)))
    return sorted(found.values(), key=lambda item: item.key)


def remove(
    scope: Scope, session_id: str, key: str | None = None, *, seen: Collection[str] | None = None
) -> int:
    """Forget a key of a session of the scope's user, or all of it; how many values went. `seen`
    and what it raises as `put`."""
    return remove_from(scope, _session_name(_user(scope), session_id.strip()), key, seen=seen)


def remove_from(
    scope: Scope, name: str, key: str | None = None, *, seen: Collection[str] | None = None
) -> int:
    """The same of a session by its name."""
    gone: list[str] = []

    def left(found: dict[str, WorkingItem]) -> dict[str, WorkingItem]:
        if key in found:
            _check_seen(found[key], seen)
        gone.extend(one for one in found if key in (None, one))
        return {one: item for one, item in found.items() if one not in gone}

    if not _change(scope.workspace_id, name, left):
        _list(scope.workspace_id, name, None)
    return len(gone)


def sessions(scope: Scope) -> list[WorkingSession]:
    """The sessions of the scope that hold something, those that last longest first."""
    now = clock.now()
    lists = cache.get_many(list_entries(scope.workspace_id))
    rows = [WorkingSession(*row) for listed in lists.values() for row in listed]
    own = [row for row in rows if row.expires_at > now and scope.user_id in (None, row.user_id)]
    return sorted(own, key=lambda row: (row.expires_at, row.name), reverse=True)


def at_hand(scope: Scope, session_id: str) -> tuple[AtHand, ...]:
    """What a context of this session may say, the newest first; nothing where the cache is out of
    reach: a recall goes on without it."""
    if not session_id.strip():
        return ()
    try:
        found = [item for item in items(scope, session_id) if not item.held]
    except OutOfReach:
        return ()
    found.sort(key=lambda item: (item.at, item.key), reverse=True)
    return tuple(
        AtHand(item.id, item.key, item.text, item.at, item.expires_at) for item in found[:AT_HAND]
    )


def recorded(rows: Sequence[dict[str, str]] | None) -> tuple[AtHand, ...]:
    """What a record kept of it."""
    times = ("at", "expires_at")
    return tuple(
        AtHand(**{name: parse_datetime(row[name]) if name in times else row[name] for name in row})
        for row in rows or ()
    )


def _check_seen(item: WorkingItem | None, seen: Collection[str] | None) -> None:
    if seen is not None and (item is None or item.id not in seen):
        raise StaleItem("another value stands under this key now")


def _check(value: Any, ttl_seconds: int) -> None:
    errors = []
    try:
        written = clean(_json(value), VALUE_LIMIT + 1)
        if len(written.encode()) > VALUE_LIMIT:
            errors.append(("value", f"at most {VALUE_LIMIT} bytes as JSON"))
    except UnstorableText as error:
        errors.append(("value", str(error)))
    except (TypeError, ValueError, RecursionError):
        errors.append(("value", "not a JSON value"))
    if not 1 <= ttl_seconds <= LONGEST_TTL:
        errors.append(("ttl_seconds", f"from 1 to {LONGEST_TTL}"))
    if errors:
        raise InvalidInput(errors)


def _named(field: str, text: str) -> str:
    try:
        text = clean(text, NAME_LIMIT).strip()
    except UnstorableText as error:
        raise InvalidInput([(field, str(error))]) from None
    if not text:
        raise InvalidInput([(field, "is empty")])
    return text


def _user(scope: Scope) -> str:
    if scope.user_id is None:
        raise ScopeError("working memory is always one user's")
    return scope.user_id


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _live(kept: Sequence[dict[str, Any]] | None) -> dict[str, WorkingItem]:
    now = clock.now()
    found = (WorkingItem(**row) for row in kept or ())
    return {item.key: item for item in found if item.expires_at > now}


def _change(
    workspace_id: int,
    name: str,
    change: Callable[[dict[str, WorkingItem]], dict[str, WorkingItem]],
) -> bool:
    """Whether anything is left in the session."""
    entry = entry_of(workspace_id, name)
    with locked(entry):
        found = change(_live(cache.get(entry)))
        if not found:
            cache.delete(entry)
            return False
        last = max(item.expires_at for item in found.values())
        cache.set(entry, [vars(item) for item in found.values()], _seconds(last))
        return True


def _list(workspace_id: int, name: str, session: WorkingSession | None) -> None:
    """Have it among the workspace's sessions for as long as it lasts; None: no longer."""
    entry, now = list_entry_of(workspace_id, name), clock.now()
    listed = next((row for row in cache.get(entry, ()) if row[0] == name), None)
    if listed and session and listed[3] >= session.expires_at:
        return
    with locked(entry):
        rows = [row for row in cache.get(entry, ()) if row[0] != name and row[3] > now]
        if session:
            rows.append(tuple(vars(session).values()))
        if session and len(rows) > MOST_SESSIONS:
            raise InvalidInput([("session_id", "too many sessions hold something now")])
        cache.set(entry, rows, _seconds(max(row[3] for row in rows)) if rows else 1)


def _seconds(end: datetime) -> int:
    # The items' own times decide; the cache only has to outlast them.
    return int((end - clock.now()).total_seconds()) + 1


def _session_name(user_id: str, session_id: str) -> str:
    """A name without letters that a cache or an address cannot take."""
    return hashlib.sha256(_json([user_id, session_id]).encode()).hexdigest()[:32]
