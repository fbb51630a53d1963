"""What OpenMemory's export and its database have in common."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memory.exchange.fields import STATES, Fields, digest_id, read_moment
from memory.exchange.record import Item, Shown
from memory.models import Status

from . import Options

# The rows of one search are logged one after the other.
_ONE_SEARCH = timedelta(seconds=2)
Moves = list[tuple[datetime, str]]


class Names:
    """Who and what the ids of the other tables stand for."""

    def __init__(self, users: Iterable, apps: Iterable, categories: Iterable, pairs: Iterable):
        self.users = {plain_id(row.get("id")): _name(row, "user_id", "name") for row in users}
        self.apps = {plain_id(row.get("id")): _name(row, "name") for row in apps}
        names = {plain_id(row.get("id")): _name(row, "name") for row in categories}
        self.tags: dict[str, list[str]] = {}
        for row in pairs:
            if name := names.get(plain_id(row.get("category_id"))):
                self.tags.setdefault(plain_id(row.get("memory_id")), []).append(name)
        self.categories = names


def memory_of(number: int, row: Mapping[str, Any], names: Names, options: Options) -> Item:
    fields = Fields(number, row)
    memory_id = plain_id(row.get("id"))
    state = fields.state("state")
    user = names.users.get(plain_id(row.get("user_id")), "")
    listed = [names.categories.get(plain_id(one), "") for one in row.get("category_ids") or []]
    ended = fields.moment("deleted_at") if state == Status.RETRACTED else None
    ended = fields.moment("archived_at") if state == Status.EXPIRED else ended
    return fields.record(
        text=fields.text("content"),
        user_id=user or options.user_id,
        agent_id=names.apps.get(plain_id(row.get("app_id")), "") or options.agent_id,
        tags=tuple(dict.fromkeys([*filter(None, listed), *names.tags.get(memory_id, [])])),
        created_at=fields.moment("created_at"),
        updated_at=fields.moment("updated_at"),
        ended_at=ended,
        state=state,
        external_id=memory_id,
        metadata=fields.metadata("metadata" if "metadata" in row else "metadata_")
        | ({"openmemory": {"user": user}} if user else {}),
    )


def moves_of(history: Iterable[Mapping[str, Any]]) -> dict[str, Moves]:
    """Each memory's changes of state, oldest first."""
    found: dict[str, Moves] = {}
    for row in history:
        at, state = read_moment(row.get("changed_at")), STATES.get(_word(row.get("new_state")))
        if at and state:
            found.setdefault(plain_id(row.get("memory_id")), []).append((at[0], state))
    for moves in found.values():
        moves.sort()
    return found


def searches(
    log: Iterable[Mapping[str, Any]],
    names: Names,
    moves: Mapping[str, Moves],
    owners: Mapping[str, str],
    options: Options,
) -> Iterator[Shown]:
    """The access log as what was handed out: the rows of one question at one time are one
    answer. Each memory with the state that it had then."""
    rows = []
    for number, row in enumerate(log, start=1):
        if at := read_moment(row.get("accessed_at")):
            told = Fields(number, row).metadata("metadata" if "metadata" in row else "metadata_")
            rows.append((at[0], number, row, told))
    rows.sort(key=lambda one: one[:2])
    group: list = []
    for one in rows:
        if group and not _together(group[-1], one, owners):
            yield _shown(group, names, moves, owners, options)
            group = []
        group.append(one)
    if group:
        yield _shown(group, names, moves, owners, options)


def plain_id(value: Any) -> str:
    """An id as one text, however it is written: SQLite keeps them without dashes."""
    text = str(value or "").strip().lower()
    try:
        return str(UUID(text))
    except ValueError:
        return text


def _together(before: tuple, after: tuple, owners: Mapping[str, str]) -> bool:
    is_soon = after[0] - before[0] <= _ONE_SEARCH
    return is_soon and _of(before, owners) == _of(after, owners)


def _of(one: tuple, owners: Mapping[str, str]) -> tuple:
    _at, _number, row, told = one
    owner = owners.get(plain_id(row.get("memory_id")))
    return plain_id(row.get("app_id")), row.get("access_type"), told.get("query"), owner


def _shown(
    group: list, names: Names, moves: Mapping[str, Moves], owners: Mapping, options: Options
) -> Shown:
    at, number, row, told = group[0]
    items = []
    for _at, _number, one, with_it in group:
        memory_id, score = plain_id(one.get("memory_id")), with_it.get("score")
        score = score if isinstance(score, int | float) and not isinstance(score, bool) else None
        items.append((memory_id, score, _state_then(moves.get(memory_id, []), at)))
    items = list({item[0]: item for item in items}.values())
    query = told.get("query")
    return Shown(
        number,
        digest_id(*(plain_id(one[2].get("id")) for one in group)),
        at,
        query if isinstance(query, str) else "",
        tuple(sorted(items, key=lambda item: -(item[1] or 0))),
        agent_id=names.apps.get(plain_id(row.get("app_id")), "") or options.agent_id,
        user_id=owners.get(plain_id(row.get("memory_id")), "") or options.user_id,
    )


def _state_then(moves: Moves, at: datetime) -> str:
    states = [state for moved, state in moves if moved <= at]
    return states[-1] if states else Status.ACTIVE


def _word(value: Any) -> str:
    # An enumeration may be written with its class: MemoryState.active.
    return str(value or "").rpartition(".")[2].lower()


def _name(row: Mapping[str, Any], *names: str) -> str:
    return next((str(row[name]) for name in names if row.get(name)), "")
