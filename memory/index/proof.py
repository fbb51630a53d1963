"""Which rows of a page the stamps prove to be indexed as they should be, and the right columns
of the others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from memory.models import Memory, MemoryStamp, Status, Turn, TurnStamp

from .entry import (
    entry_for,
    owner_mark,
    owner_prefix,
    recall_columns,
    workspace_prefix,
)
from .schema import BROWSE, RECALL, TURNS
from .stamps import READ, Stamp, memory_said, stamp, turn_said
from .turn_rows import NOTHING, beside, columns, is_indexed, read_hash, turn_entry

# The owners' numbers by workspace and user, and by table the columns of each rowid.
Numbers = dict[tuple[int, str], int]
Stored = dict[str, dict[int, tuple[str, ...]]]
# What a row should have: (table, row, its columns there).
Wanted = Iterator[tuple[str, Memory | Turn, tuple[str, ...]]]

MEMORY_COLUMNS = (*READ, "user_id", "status")
TURN_COLUMNS = ("pk", "workspace_id", "user_id", "agent_id", "session_id", "role", "content")


def prove_memories(page: Sequence[Any], numbers: Numbers, stored: Stored) -> Iterator[int]:
    """Keys of the memories that stamps prove; their index rows are taken off `stored`. `page`
    has `MEMORY_COLUMNS`."""
    stamps = _stamps(MemoryStamp, page)
    browse, recall = stored[BROWSE], stored[RECALL]
    for row in page:
        owner = numbers.get((row.workspace_id, row.user_id), 0)
        there, active = browse.get(row.pk), recall.get(row.pk)
        if there is None or (active is not None) != (row.status == Status.ACTIVE):
            continue
        if stamps.get(row.pk) != stamp(memory_said(row[: len(READ)], owner), there):
            continue
        if active is None or active == recall_columns(there, row.workspace_id, owner):
            del browse[row.pk]
            recall.pop(row.pk, None)
            yield row.pk


def memories_anew(rows: Iterable[Memory], numbers: Numbers) -> Wanted:
    """The right columns of these memories, segmented again."""
    for memory in rows:
        entry = entry_for(memory)
        number = numbers.get((memory.workspace_id, memory.user_id), 0)
        prefix = workspace_prefix(memory.workspace_id)
        yield BROWSE, memory, entry.columns(prefix, owner_mark(number))
        if memory.status == Status.ACTIVE:
            yield RECALL, memory, entry.columns(owner_prefix(number))


def turn_prover() -> Callable[[Sequence[Any], Numbers, Stored], Iterator[int]]:
    """As `prove_memories`, for a walk over all turns from the first on, whose pages have
    `TURN_COLUMNS`. It remembers what each session said last."""
    walked: dict = {}

    def prove(page: Sequence[Any], numbers: Numbers, stored: Stored) -> Iterator[int]:
        stamps, there = _stamps(TurnStamp, page), stored[TURNS]
        yield from (row.pk for row in page if not is_indexed(row))
        for row, said, before in beside(page, read_hash, walked):
            owner = numbers.get((row.workspace_id, row.user_id), 0)
            both = turn_said(row.workspace_id, owner, said, before or "")
            if row.pk in there and stamps.get(row.pk) == stamp(both, there[row.pk]):
                del there[row.pk]
                yield row.pk

    return prove


def turns_anew(rows: Iterable[Turn], numbers: Numbers) -> Wanted:
    """The right columns of these turns, segmented again with the turns before them."""
    for row in rows:
        # One by one: the turn before need not be among them.
        for turn, entry, before in beside([row], turn_entry):
            number = numbers.get((turn.workspace_id, turn.user_id), 0)
            yield TURNS, turn, columns(entry, before or NOTHING, number)


def _stamps(model: type[MemoryStamp | TurnStamp], page: Sequence[Any]) -> dict[int, Stamp]:
    if not page:
        return {}
    rows = model.objects.filter(pk__gte=page[0].pk, pk__lte=page[-1].pk)
    kept = rows.values_list("pk", "analyser", "said", "words")
    return {pk: Stamp(analyser, said, words) for pk, analyser, said, words in kept}
