"""This store's own lines, brought into a store that goes on living: each fact as one chain, under
new ids. To have everything back as it was there is `memory.exchange.restore`."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange import jsonl
from memory.exchange.fields import Fields
from memory.exchange.own_file import is_own
from memory.exchange.record import Item, Older, Record, Reject, Said
from memory.exchange.source import Source
from memory.models import Status, TurnRole

from . import Format, Options
from .lines import objects

# What tells of the store that it came from, and is nothing to bring in.
_TOLD = frozenset({"header", "end", "erasure", "batch", "change"})
_ENDED = frozenset({Status.EXPIRED, Status.RETRACTED, Status.REJECTED})


def _read(source: Source, options: Options) -> Iterator[Item]:
    """A fact comes where the last of its versions stands."""
    last = _last_lines(source)
    waiting: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for found in objects(source):
        if isinstance(found, Reject):
            yield found
            continue
        number, row = found
        if row.get("type") == "turn":
            yield _turn(number, row, options)
        elif row.get("type") == "memory":
            fact = str(row.get("fact") or number)
            waiting.setdefault(fact, []).append(found)
            if number >= last.get(fact, 0):
                yield _chain(waiting.pop(fact), options)
        elif str(row.get("type")) not in _TOLD:
            yield Reject(number, "unknown_type", "is of no type that this store writes", row)


def _last_lines(source: Source) -> dict[str, int]:
    """In which line the last version of each fact stands."""
    rows = (found for found in objects(source) if not isinstance(found, Reject))
    return {str(row.get("fact")): number for number, row in rows if row.get("type") == "memory"}


def _turn(number: int, row: Mapping[str, Any], options: Options) -> Said | Reject:
    fields = Fields(number, row)
    role = fields.choice("role", TurnRole.values)
    if not role:
        fields.errors.append(("role", "is none of ours"))
    at = fields.moment("occurred_at")
    texts = {name: fields.text(name) for name in ("content", "agent_id", "session_id", "id")}
    user_id = fields.text("user_id") or options.user_id
    if fields.errors:
        return fields.reject()
    return Said(
        number,
        role,
        texts["content"],
        texts["id"],
        user_id=user_id,
        agent_id=texts["agent_id"],
        session_id=texts["session_id"],
        at=at,
        metadata=fields.metadata(),
        raw=row,
    )


def _chain(found: list[tuple[int, Mapping[str, Any]]], options: Options) -> Record | Reject:
    """The newest version that holds, or else the newest, with those before it as its past."""
    found.sort(key=lambda pair: _version(pair[1]))
    current = [pair for pair in found if pair[1].get("status") == Status.ACTIVE]
    number, row = current[-1] if current else found[-1]
    fields = Fields(number, row)
    older = []
    for place, one in found:
        if one is row:
            break
        past = Fields(place, one)
        older.append(Older(past.text("text"), _began(past), past.text("value")))
        fields.errors += past.errors
    names = ("text", "entity", "attribute", "value", "agent_id", "session_id", "domain", "quote")
    texts = {name: fields.text(name) for name in (*names, "summary")}
    ended = fields.moment("updated_at") if str(row.get("status")) in _ENDED else None
    return fields.record(
        **texts,
        user_id=fields.text("user_id") or options.user_id,
        kind=fields.kind(),
        tags=fields.names("tags"),
        links=fields.names("links"),
        source=fields.source(),
        importance=fields.importance(),
        confidence=fields.number_in("confidence", 0, 1),
        created_at=fields.moment("occurred_at", "created_at"),
        updated_at=fields.moment("updated_at"),
        valid_from=_began(fields),
        valid_to=fields.moment("valid_to"),
        expires_at=fields.moment("expires_at"),
        ended_at=ended,
        state=fields.state("status"),
        external_id=fields.text("external_id") or fields.text("fact", "id"),
        older=tuple(older),
        turn=fields.text("turn_id"),
        metadata=fields.metadata(),
    )


def _version(row: Mapping[str, Any]) -> int:
    version = row.get("version")
    return version if isinstance(version, int) else 0


def _began(fields: Fields):
    return fields.moment("valid_from", "occurred_at", "created_at")


FORMAT = Format(
    jsonl.FORMAT, _("MASE: export in JSON lines"), lambda source: is_own(source.beginning), _read
)
