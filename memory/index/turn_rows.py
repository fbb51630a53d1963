"""Keeping the index of the dialogue log: each turn beside the turn before it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from django.db import connection
from django.db.models import F

from memory.models import Owner, Turn, TurnRole
from memory.text.terms import index_terms

from .entry import Entry, owner_prefix
from .rows import owner_of
from .schema import TURNS

# A turn may have 100,000 characters. Its first 8,000 take 48 ms to analyse in Chinese, all of
# them 860 ms, and every question that meets the turn would read all of its terms.
INDEXED = 8000
_NOTHING = Entry(index_terms(""))

Row = tuple[str, str, str, str]


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
    rows, added = [], Counter()
    for turn, entry, before in beside(turns, entries):
        key = (turn.workspace_id, turn.user_id)
        owner = owners.get(key) or owners.setdefault(key, owner_of(turn))
        rows.append((turn.pk, *columns(entry, before, owner.pk)))
        added[owner.pk] += 1
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {TURNS}(rowid, words, bigrams, before_words, before_bigrams) "
            "VALUES (%s, %s, %s, %s, %s)",
            rows,
        )
    return added


def beside(
    turns: Iterable[Turn], entries: Mapping[UUID, Entry] | None = None
) -> Iterator[tuple[Turn, Entry, Entry]]:
    """The indexed ones of these turns, oldest first, with what they say and what was said before.

    The turn before is the newest earlier one of the session that is indexed and that every agent
    who may see this turn may see too.
    """
    last: dict[tuple, tuple[int, Entry]] = {}
    for turn in filter(is_indexed, turns):
        session = (turn.workspace_id, turn.user_id, turn.session_id)
        seen = [
            last.get((*session, agent)) or last.setdefault((*session, agent), _newest(turn, agent))
            for agent in {"", turn.agent_id}
        ]
        entry = (entries or {}).get(turn.public_id) or turn_entry(turn)
        yield turn, entry, max(seen, key=lambda pair: pair[0])[1]
        last[*session, turn.agent_id] = (turn.pk, entry)


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


def _newest(turn: Turn, agent_id: str) -> tuple[int, Entry]:
    found = (
        Turn.everywhere.filter(
            workspace_id=turn.workspace_id,
            user_id=turn.user_id,
            session_id=turn.session_id,
            agent_id=agent_id,
            pk__lt=turn.pk,
        )
        .exclude(role=TurnRole.SYSTEM)
        .order_by("-pk")
        .first()
    )
    return (found.pk, turn_entry(found)) if found else (0, _NOTHING)
