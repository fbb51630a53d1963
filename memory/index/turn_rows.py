"""Keeping the index of the dialogue log: each turn beside the turn before it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import F

from memory.models import Owner, Turn, TurnRole
from memory.text.terms import index_terms

from .entry import Entry, owner_prefix
from .rows import owner_of
from .schema import TURNS
from .stamps import hashed, keep_turn_stamps, stamp, turn_said

# A turn may have 100,000 characters. Its first 8,000 take 48 ms to analyse in Chinese, all of
# them 860 ms, and every question that meets the turn would read all of its terms.
INDEXED = 8000
NOTHING = Entry(index_terms(""))

Row = tuple[str, str, str, str]
Made = TypeVar("Made")


def is_indexed(turn: Turn) -> bool:
    """Whether a turn can be recalled: an instruction is no evidence, and a turn of no user would
    be found for nobody."""
    return turn.role != TurnRole.SYSTEM and turn.user_id != ""


def turn_entry(turn: Turn) -> Entry:
    """Analyse a turn; a writer does it before taking the lock."""
    return Entry(index_terms(turn.content[:INDEXED]))


def put_turns(turns: Iterable[Turn], entries: Mapping[UUID, Entry]) -> None:
    """Add turns that were just saved, oldest first, and count them; `entries` by public id."""
    added = fill_turns(turns, {}, entries)
    for owner_id, count in added.items():
        Owner.objects.filter(pk=owner_id).update(turns=F("turns") + count)


def fill_turns(
    turns: Iterable[Turn],
    owners: dict[tuple[int, str], Owner],
    entries: Mapping[UUID, Entry] | None = None,
) -> Counter[int]:
    """Add turns, oldest first, to an index that does not hold them; how many of each owner.
    `owners` is kept from call to call; their counters are not touched."""
    known = entries or {}

    def made(turn: Turn) -> tuple[str, Entry]:
        return read_hash(turn), known.get(turn.public_id) or turn_entry(turn)

    rows, stamps, added = [], [], Counter()
    for turn, (said, entry), before in beside(turns, made):
        key = (turn.workspace_id, turn.user_id)
        owner = owners.get(key) or owners.setdefault(key, owner_of(turn))
        said_before, entry_before = before or ("", NOTHING)
        row = columns(entry, entry_before, owner.pk)
        rows.append((turn.pk, *row))
        both = turn_said(turn.workspace_id, owner.pk, said, said_before)
        stamps.append((turn.pk, stamp(both, row)))
        added[owner.pk] += 1
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {TURNS}(rowid, words, bigrams, before_words, before_bigrams) "
            "VALUES (%s, %s, %s, %s, %s)",
            rows,
        )
    keep_turn_stamps(stamps)
    return added


def beside(
    turns: Iterable[Turn], make: Callable[[Turn], Made], walked: dict | None = None
) -> Iterator[tuple[Turn, Made, Made | None]]:
    """The indexed ones of these turns, oldest first, with what `make` makes of each and of the
    turn before it, None where nothing was said before.

    The turn before is the newest earlier one of the session that is indexed and that every agent
    who may see this turn may see too. A walk over all turns gives an empty dictionary for
    `walked` with its first page and the same one with the others: then no query looks for it.
    """
    last: dict[tuple, tuple[int, Made | None]] = {} if walked is None else walked

    def newest(turn: Turn, session: tuple, agent_id: str) -> tuple[int, Made | None]:
        if (*session, agent_id) not in last:
            found = _newest(turn, agent_id) if walked is None else None
            last[*session, agent_id] = (found.pk, make(found)) if found else (0, None)
        return last[*session, agent_id]

    for turn in filter(is_indexed, turns):
        session = (turn.workspace_id, turn.user_id, turn.session_id)
        seen = [newest(turn, session, agent_id) for agent_id in {"", turn.agent_id}]
        made = make(turn)
        yield turn, made, max(seen, key=lambda pair: pair[0])[1]
        last[*session, turn.agent_id] = (turn.pk, made)


def columns(entry: Entry, before: Entry, owner_id: int) -> Row:
    prefix = owner_prefix(owner_id)
    return (*entry.columns(prefix), *before.columns(prefix))


def put_fixture(turn: Turn) -> None:
    """Bring the index in step with a turn that came by a raw save, and with those after it."""
    later = Turn.everywhere.filter(
        workspace_id=turn.workspace_id,
        user_id=turn.user_id,
        session_id=turn.session_id,
        pk__gte=turn.pk,
    )
    rows = list(later.order_by("pk"))
    with connection.cursor() as cursor:
        cursor.executemany(f"DELETE FROM {TURNS} WHERE rowid = %s", [(row.pk,) for row in rows])
    fill_turns(rows, {})


def put_again(turns: Iterable[Turn]) -> None:
    """Bring the index in step with turns whose content was blotted out, and with those that stand
    beside one of them as the turn before."""
    again: dict[int, Turn] = {}
    for turn in filter(is_indexed, turns):
        again[turn.pk] = turn
        again |= {later.pk: later for later in _after(turn) if later.pk not in again}
    with connection.cursor() as cursor:
        cursor.executemany(f"DELETE FROM {TURNS} WHERE rowid = %s", [(pk,) for pk in again])
    # One by one: between two of them others may stand.
    for pk in sorted(again):
        fill_turns([again[pk]], {})


def _after(turn: Turn) -> Iterator[Turn]:
    """The later turns that have this one before them: of its agent the next; of no agent, the next
    of each agent up to the next of none."""
    later = Turn.everywhere.filter(
        workspace_id=turn.workspace_id,
        user_id=turn.user_id,
        session_id=turn.session_id,
        pk__gt=turn.pk,
    ).exclude(role=TurnRole.SYSTEM)
    if turn.agent_id:
        later = later.filter(agent_id__in=("", turn.agent_id))
    seen: set[str] = set()
    for one in later.order_by("pk").iterator(100):
        if one.agent_id not in seen and (one.agent_id or not turn.agent_id):
            yield one
        seen.add(one.agent_id)
        if one.agent_id in ("", turn.agent_id):
            return


def read_hash(turn: Turn) -> str:
    """Of what is read of a turn, alone."""
    return hashed(turn.pk, turn.content[:INDEXED])


def _newest(turn: Turn, agent_id: str) -> Turn | None:
    found = Turn.everywhere.filter(
        workspace_id=turn.workspace_id,
        user_id=turn.user_id,
        session_id=turn.session_id,
        agent_id=agent_id,
        pk__lt=turn.pk,
    )
    return found.exclude(role=TurnRole.SYSTEM).order_by("-pk").first()
