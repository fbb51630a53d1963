"""Rows that may say the same as a text in other words, found by the recall index."""

from collections.abc import Iterable

from django.db import connection

from memory.text.terms import query_terms

from .entry import owner_prefix
from .expression import quoted
from .rows import find_owner
from .schema import RECALL, TERMS

# Asked for are the text's rarest words, while few rows hold them: on an owner of 3,000 rows with
# common words in each, bm25 over all that match costs 13 ms of CPU, over these 4 ms.
WORDS = 8
ROWS = 1000


def nearest(
    workspace_id: int, user_id: str, agent_id: str, text: str, limit: int, *, but: int = 0
) -> list[tuple[int, str]]:
    """The owner's active rows that share most with a text, best first, without the row `but`:
    primary key and text of each."""
    owner = find_owner(workspace_id, user_id)
    if owner is None:
        return []
    prefix = owner_prefix(owner.pk)
    asked = {word for term in query_terms(text).terms for word in (term.text, *term.also)}
    words = _rarest([prefix + word for word in sorted(asked)], 1 if but else 0)
    if not words:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.id, m.text "
            f"FROM {RECALL} CROSS JOIN memory_memory m ON m.id = {RECALL}.rowid "
            f"WHERE {RECALL} MATCH %s AND m.agent_id = %s AND m.id <> %s AND m.status = 'active' "
            f"ORDER BY {RECALL}.rank LIMIT %s",
            [" OR ".join(f"words:{quoted(word)}" for word in words), agent_id, but, limit],
        )
        return cursor.fetchall()


def _rarest(words: list[str], own: int) -> list[str]:
    """Those that other rows than the `own` hold, the rarest first, at least one."""
    chosen: list[str] = []
    rows = 0
    for count, word in sorted(_counts(words)):
        if count <= own:
            continue
        if chosen and (len(chosen) == WORDS or rows + count > ROWS):
            break
        chosen.append(word)
        rows += count
    return chosen


def _counts(words: list[str]) -> Iterable[tuple[int, str]]:
    marks = ", ".join(["%s"] * len(words))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT doc, term FROM {TERMS[RECALL]} WHERE term IN ({marks}) AND col = 'words'",
            words,
        )
        return cursor.fetchall()
