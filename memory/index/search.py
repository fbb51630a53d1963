"""Finding: what matches a question in one owner's active rows, newest first or best first."""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from memory.models import Scope, ScopeError
from memory.text.terms import Query

from .entry import owner_mark, owner_prefix, workspace_prefix
from .expression import any_token, expression
from .filters import Filters, read_text, stored
from .schema import BROWSE, RECALL, TERMS

# bm25 inside one owner's postings costs 3.4 ms at 10 k rows of that owner, 51 ms at 100 k;
# the newest 200 cost about 4 ms at any size. Above the limit the newest are taken.
LARGE_OWNER = 5000
NEWEST = 200
BEST = 50
DROPPED_SHOWN = 20


# What ranking and the record need of a row, read with the match itself: making fifty model
# objects costs more than the whole search. Times come as text: the driver's own reading of them
# takes five times as long.
FACTS = (
    "m.public_id, m.status, m.revision, m.importance, m.confirmed_at || '', "
    "m.occurred_at || '', m.created_at || '', m.expires_at || '', m.summary, m.kind, m.domain, "
    "m.confidence"
)


class Hit(NamedTuple):
    """A row that matched: the terms that the index holds for it and what ranks it. `gate` is the
    filter that kept it out, or "". The names are those of the memory's own columns."""

    pk: int
    words: tuple[str, ...]
    bigrams: tuple[str, ...]
    gate: str
    public_id: UUID
    status: str
    revision: int
    importance: int
    confirmed_at: datetime | None
    occurred_at: datetime | None
    created_at: datetime
    expires_at: datetime | None
    summary: str
    kind: str
    domain: str
    confidence: float | None


@dataclass(frozen=True)
class Found:
    """`hits` before ranking; `dropped` matched but a filter kept them out; `rows` is how many
    active rows the owner has, `turns` how many turns; `frequency` maps a term to how many of
    these rows hold it. `by_meaning` are those of the hits that words did not find."""

    hits: list[Hit]
    dropped: list[Hit]
    rows: int
    frequency: dict[str, int]
    newest_only: bool = False
    turns: int = 0
    by_meaning: frozenset[UUID] = frozenset()


NOTHING = Found([], [], 0, {})


def search(scope: Scope, query: Query, filters: Filters) -> Found:
    """Candidates among the active rows of the scope's user, at most `BEST` (or `NEWEST`)."""
    if scope.user_id is None:
        raise ScopeError("a recall is always for one user")
    number, active, turns = _owner(scope)
    if number is None or not query.terms:
        return replace(NOTHING, turns=turns)
    prefix, match = owner_prefix(number), expression(query, owner_prefix(number))
    if active > LARGE_OWNER:
        rows = _newest(query, prefix, filters)
        dropped = _dropped(match, filters, prefix)
    else:
        rows, dropped = _best(match, filters, prefix)
        rows = _and_of_the_days(rows, RECALL, scope, query, filters, "", ())
    return Found(
        [read_hit(row, prefix) for row in rows],
        [read_hit(row, prefix) for row in dropped],
        active,
        _frequency(query, prefix, RECALL),
        newest_only=active > LARGE_OWNER,
        turns=turns,
    )


def search_as_of(
    scope: Scope,
    query: Query,
    filters: Filters,
    moment: datetime,
    among: Set[UUID] | None = None,
) -> Found:
    """The same question to the store as it was: rows that were active at `moment`, with the
    sizes and frequencies of that time. The newest `NEWEST`, or those `among` a cut made earlier.

    Reads every row that held a term of the question; for people and replays, not for agents.
    """
    if scope.user_id is None:
        raise ScopeError("a recall is always for one user")
    number, _, turns = _owner(scope)
    if number is None or not query.terms:
        return replace(NOTHING, turns=turns)
    prefix, mark = workspace_prefix(scope.workspace_id), owner_mark(number)
    conditions, values = filters.sql(f"{BROWSE}.words", prefix)
    within, ids = "", []
    if among is not None:
        within = f" AND m.public_id IN ({', '.join(['%s'] * len(among))})"
        ids = [public_id.hex for public_id in among]
    holding = _then(any_token(_tokens(query), prefix, also=mark), scope, moment)
    limit = NEWEST if among is None else len(among)
    match = expression(query, prefix, also=mark)
    matching = _then(match, scope, moment, conditions + within, [*values, *ids], limit)
    active = _active_then(scope, moment)
    if active <= LARGE_OWNER:
        then = f"{within} AND {WAS_ACTIVE}", [*ids, stored(moment)]
        matching = _and_of_the_days(matching, BROWSE, scope, query, filters, *then)
    return Found(
        [read_hit(row, prefix, mark) for row in matching],
        [],
        active,
        _counted(query, [read_hit(row, prefix, mark) for row in holding]),
        newest_only=True,
        turns=turns,
    )


WAS_ACTIVE = (
    "'active' = (SELECT c.status_after FROM memory_change c WHERE c.memory_id = m.public_id "
    "AND c.at <= %s ORDER BY c.at DESC, c.id DESC LIMIT 1)"
)


def _then(
    match: str,
    scope: Scope,
    moment: datetime,
    conditions: str = "",
    values: Sequence = (),
    limit: int = -1,
) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {BROWSE}.rowid, {BROWSE}.words, {BROWSE}.bigrams, '', {FACTS} "
            f"FROM {BROWSE} CROSS JOIN memory_memory m ON m.id = {BROWSE}.rowid "
            f"WHERE {BROWSE} MATCH %s AND +m.user_id = %s{conditions} AND {WAS_ACTIVE} "
            f"ORDER BY {BROWSE}.rowid DESC LIMIT %s",
            [match, scope.user_id, *values, stored(moment), limit],
        )
        return cursor.fetchall()


def _active_then(scope: Scope, moment: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM memory_memory m "
            f"WHERE m.workspace_id = %s AND m.user_id = %s AND {WAS_ACTIVE}",
            [scope.workspace_id, scope.user_id, stored(moment)],
        )
        return cursor.fetchone()[0]


def _counted(query: Query, rows: Sequence[Hit]) -> dict[str, int]:
    """As `_frequency`, of these rows: the larger of the two columns' counts."""
    words = Counter(token for row in rows for token in set(row.words))
    pairs = Counter(token for row in rows for token in set(row.bigrams))
    counts = {token: max(words[token], pairs[token]) for token in _tokens(query)}
    return {token: count for token, count in counts.items() if count}


def _owner(scope: Scope) -> tuple[int | None, int, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, active, turns FROM memory_owner WHERE workspace_id = %s AND user_id = %s",
            [scope.workspace_id, scope.user_id],
        )
        return cursor.fetchone() or (None, 0, 0)


def _newest(query: Query, prefix: str, filters: Filters) -> list[tuple]:
    """Rows with every term first, then rows with any: rare exact answers outlive the cut."""
    order = f"{RECALL}.rowid DESC"
    every = _rows(expression(query, prefix, every_term=True), filters, prefix, order, NEWEST)
    any_term = _rows(expression(query, prefix), filters, prefix, order, NEWEST)
    return list({row[0]: row for row in [*every, *any_term]}.values())


def _best(match: str, filters: Filters, prefix: str) -> tuple[list[tuple], list[tuple]]:
    """The best rows that pass the filters, and the newest that one of them kept out. One
    statement gives both where it gives all rows that match; else each is asked for."""
    case, values = _first_gate(filters, prefix)
    # A row that drifted back into the index has another state: it is not even told of.
    state, states = Filters(statuses=filters.statuses).sql()
    rows = _select(case, state, [*values, match, *states], f"{RECALL}.rank", BEST + DROPPED_SHOWN)
    if len(rows) < BEST + DROPPED_SHOWN:
        newest_first = sorted((row for row in rows if row[_GATE]), key=lambda row: -row[0])
        return [row for row in rows if not row[_GATE]][:BEST], newest_first[:DROPPED_SHOWN]
    best = _rows(match, filters, prefix, f"{RECALL}.rank", BEST)
    return best, _dropped(match, filters, prefix)


def _rows(match: str, filters: Filters, prefix: str, order: str, limit: int) -> list[tuple]:
    conditions, values = filters.sql(_WORDS, prefix)
    return _select("''", conditions, [match, *values], order, limit)


def _dropped(match: str, filters: Filters, prefix: str) -> list[tuple]:
    """Rows that matched and were kept out, each with the first filter that did it."""
    case, values = _first_gate(filters, prefix)
    order = f"{RECALL}.rowid DESC"
    return _select(case, " AND gate <> ''", [*values, match], order, DROPPED_SHOWN)


def _first_gate(filters: Filters, prefix: str) -> tuple[str, list]:
    """SQL for the first filter, but its state, that keeps a row out; '' where it passes."""
    gates = [gate for gate in filters.gates(_WORDS, prefix) if gate[0] != "state"]
    if not gates:
        return "''", []
    cases = " ".join(f"WHEN NOT ({condition}) THEN '{gate}'" for gate, condition, _ in gates)
    return f"CASE {cases} ELSE '' END", [value for _, _, some in gates for value in some]


_WORDS = f"{RECALL}.words"
_GATE = 3


def _select(gate: str, conditions: str, values: Sequence, order: str, limit: int) -> list[tuple]:
    # CROSS JOIN keeps the index outside: the planner's own choice was 20 times slower.
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {RECALL}.rowid, {_WORDS}, {RECALL}.bigrams, {gate} AS gate, {FACTS} "
            f"FROM {RECALL} CROSS JOIN memory_memory m ON m.id = {RECALL}.rowid "
            f"WHERE {RECALL} MATCH %s{conditions} ORDER BY {order} LIMIT %s",
            [*values, limit],
        )
        return cursor.fetchall()


def _and_of_the_days(
    rows: list[tuple],
    table: str,
    scope: Scope,
    query: Query,
    filters: Filters,
    more: str,
    values: Sequence,
) -> list[tuple]:
    """Where a day is asked about, what happened then is a candidate whatever its words. Not asked
    for a large owner, whose rows would all be read."""
    if filters.days is None or any(term.required for term in query.terms):
        return rows
    happened = "COALESCE(m.occurred_at, m.created_at)"
    conditions, own = replace(filters, days=None).sql()
    bounds = [stored(filters.days.since), stored(filters.days.until)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {table}.rowid, {table}.words, {table}.bigrams, '', {FACTS} "
            f"FROM memory_memory m CROSS JOIN {table} ON {table}.rowid = m.id "
            f"WHERE m.workspace_id = %s AND m.user_id = %s{conditions} "
            f"AND {happened} >= %s AND {happened} < %s{more} ORDER BY m.id DESC LIMIT {BEST}",
            [scope.workspace_id, scope.user_id, *own, *bounds, *values],
        )
        return list({row[0]: row for row in [*rows, *cursor.fetchall()]}.values())


def read_hit(row: tuple, prefix: str, mark: str = "") -> Hit:
    """`mark` is the browse index's extra term, which is no word of the row."""
    pk, words, bigrams, gate, public_id, status, revision, importance, *rest = row
    # Only a prefix ends in "~", and all of a row's are the same.
    held = words.replace(prefix, "").split()
    return Hit(
        pk,
        tuple(word for word in held if word != mark) if mark else tuple(held),
        tuple(bigrams.replace(prefix, "").split()),
        gate,
        UUID(public_id),
        status,
        revision,
        importance,
        *map(read_text, rest[:4]),
        *rest[4:],
    )


def _frequency(query: Query, prefix: str, table: str) -> dict[str, int]:
    """In how many rows behind `prefix` each word and bigram of the question stands."""
    tokens = _tokens(query)
    marks = ", ".join(["%s"] * len(tokens))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT term, MAX(doc) FROM {TERMS[table]} WHERE term IN ({marks}) GROUP BY term",
            [prefix + token for token in tokens],
        )
        return {term[len(prefix) :]: count for term, count in cursor.fetchall()}


def _tokens(query: Query) -> list[str]:
    return sorted(
        {spelling for term in query.terms for spelling in (term.text, *term.also)}
        | {pair for term in query.terms for pair in term.bigrams}
    )
