"""Finding in the dialogue log: what matches a question in one owner's turns."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.models import Scope, ScopeError, TurnRole
from memory.text.terms import Query, QueryTerm

from .entry import owner_prefix
from .expression import Columns, expression, quoted
from .filters import read_text, stored
from .schema import TERMS, TURNS
from .search import BEST, DROPPED_SHOWN, LARGE_OWNER, NEWEST

_COLUMNS = Columns("{words before_words}", "{bigrams before_bigrams}")
# Times come as text, as for memories.
_FACTS = (
    "t.public_id, t.role, t.content, t.session_id, t.agent_id, t.occurred_at || '', "
    "t.created_at || ''"
)


@dataclass(frozen=True, slots=True)
class Held:
    """What of a question a text holds: how often each of its terms and as what ("word", else
    "characters" in a row), and which of its bigrams; `size` is the text's number of words.
    `columns` are all of its words and bigrams as the index writes them, behind `prefix`."""

    terms: dict[str, tuple[int, str]]
    bigrams: set[str]
    size: int
    columns: tuple[str, str]
    prefix: str

    def words(self, wanted: Collection[str]) -> set[str]:
        """Those of the wanted words that the text holds."""
        return self._among(self.columns[0], wanted)

    def pairs(self, wanted: Collection[str]) -> set[str]:
        """Those of the wanted bigrams that the text holds."""
        return self._among(self.columns[1], wanted)

    def _among(self, column: str, wanted: Collection[str]) -> set[str]:
        held = {self.prefix + token: token for token in wanted}
        return {held[token] for token in held.keys() & column.split()}


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A turn that matched, in itself or in the turn before it. `gate` is the filter that kept it
    out, or "". The other names are those of the turn's own columns."""

    pk: int
    own: Held
    before: Held
    gate: str
    public_id: UUID
    role: str
    content: str
    session_id: str
    agent_id: str
    occurred_at: datetime
    created_at: datetime


@dataclass(frozen=True)
class TurnsFound:
    """`hits` best first (or newest first); `dropped` matched but a filter kept them out; `rows` is
    how many indexed turns the owner has; `frequency` maps a term to how many of them hold it."""

    hits: Sequence[TurnHit] = ()
    dropped: Sequence[TurnHit] = ()
    rows: int = 0
    frequency: dict[str, int] | None = None


@dataclass(frozen=True)
class TurnFilters:
    """Which turns may be found: of that agent or of no agent in particular, said at or after
    `since` and before `until`. Empty means "any"."""

    agent_id: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def gates(self) -> list[tuple[str, str, str]]:
        """(gate, SQL condition, its one parameter)."""
        found = []
        if self.agent_id:
            found.append(("agent", "t.agent_id IN ('', %s)", self.agent_id))
        if self.since:
            found.append(("time", "t.occurred_at >= %s", stored(self.since)))
        if self.until:
            found.append(("time", "t.occurred_at < %s", stored(self.until)))
        return found

    def sql(self) -> tuple[str, list[str]]:
        gates = self.gates()
        return "".join(f" AND {gate[1]}" for gate in gates), [gate[2] for gate in gates]


NOTHING = TurnsFound()


def search_turns(scope: Scope, query: Query, filters: TurnFilters) -> TurnsFound:
    """Turns of the scope's user, at most `BEST` by the engine's rank; the newest `NEWEST`, those
    with every term first, of an owner with more than `LARGE_OWNER`."""
    number, size = _owner(scope)
    if not size or not query.terms:
        return NOTHING
    search = _Search(query, owner_prefix(number), filters)
    if size > LARGE_OWNER:
        order = f"{TURNS}.rowid DESC"
        every = search.rows(order, NEWEST, every_term=True)
        rows = {row[0]: row for row in [*every, *search.rows(order, NEWEST)]}.values()
    else:
        rows = search.rows(f"{TURNS}.rank", BEST)
    return TurnsFound([search.hit(row) for row in rows], search.dropped(), size, search.frequency())


def search_turns_as_of(
    scope: Scope,
    query: Query,
    filters: TurnFilters,
    moment: datetime,
    among: Collection[int] | None = None,
) -> TurnsFound:
    """The same of the log as it was: turns stored by `moment`, with the sizes and frequencies of
    that time. The newest `NEWEST`, or those `among` a cut made earlier, in that order.

    Reads every turn that holds a term of the question; for people and replays, not for agents.
    """
    number, size = _owner(scope)
    if not size or not query.terms or (among is not None and not among):
        return NOTHING
    search = _Search(query, owner_prefix(number), filters, stored(moment))
    limit = NEWEST if among is None else -1
    rows = {row[0]: row for row in search.rows(f"{TURNS}.rowid DESC", limit)}
    chosen = rows if among is None else [pk for pk in among if pk in rows]
    return TurnsFound(
        [search.hit(rows[pk]) for pk in chosen],
        search.dropped(),
        _stored_by(scope, moment),
        search.frequency_then(),
    )


class _Search:
    """One question to one owner's turns; with `moment`, to those stored by then."""

    def __init__(self, query: Query, prefix: str, filters: TurnFilters, moment: str = ""):
        self.query, self.prefix, self.filters = query, prefix, filters
        self.tokens = sorted(
            {spelling for term in query.terms for spelling in (term.text, *term.also)}
            | {pair for term in query.terms for pair in term.bigrams}
        )
        self._then = " AND t.created_at <= %s" if moment else ""
        self._moment = [moment] if moment else []
        # The question's tokens as the index writes them.
        self._spelt: dict[str, list[str]] = {}
        for term in query.terms:
            for spelling in (term.text, *term.also):
                self._spelt.setdefault(prefix + spelling, []).append(term.text)
        self._pairs = {prefix + pair: pair for term in query.terms for pair in term.bigrams}
        in_a_row = ((term.text, self._row(term)) for term in query.terms)
        self._rows = [(text, row) for text, row in in_a_row if row]

    def _row(self, term: QueryTerm) -> str:
        if term.prefix:
            return self.prefix + term.prefix
        return " ".join(self.prefix + pair for pair in term.bigrams)

    def rows(self, order: str, limit: int, *, every_term: bool = False) -> list[tuple]:
        conditions, values = self.filters.sql()
        conditions, values = conditions + self._then, [*values, *self._moment]
        match = expression(self.query, self.prefix, every_term=every_term, columns=_COLUMNS)
        # Only the rows within the limit are joined: a common word is said in hundreds of turns.
        join = f"CROSS JOIN memory_turn t ON t.id = {TURNS}.rowid " if conditions else ""
        found = (
            f"SELECT {TURNS}.rowid AS id, {_INDEXED} FROM {TURNS} {join}"
            f"WHERE {TURNS} MATCH %s{conditions} ORDER BY {order} LIMIT %s"
        )
        return self._read(
            f"SELECT found.*, '', {_FACTS} FROM ({found}) found "
            "CROSS JOIN memory_turn t ON t.id = found.id",
            [match, *values, limit],
        )

    def dropped(self) -> list[TurnHit]:
        """Turns that matched and which filter kept out, each with the first such filter."""
        gates = self.filters.gates()
        if not gates:
            return []
        cases = " ".join(f"WHEN NOT ({condition}) THEN '{gate}'" for gate, condition, _ in gates)
        match = expression(self.query, self.prefix, columns=_COLUMNS)
        rows = self._read(
            f"SELECT {TURNS}.rowid, {_INDEXED}, CASE {cases} END AS gate, {_FACTS} "
            f"{_FROM} MATCH %s AND gate IS NOT NULL{self._then} "
            f"ORDER BY {TURNS}.rowid DESC LIMIT %s",
            [*(value for _, _, value in gates), match, *self._moment, DROPPED_SHOWN],
        )
        return [self.hit(row) for row in rows]

    def hit(self, row: tuple) -> TurnHit:
        pk, words, bigrams, before_words, before_bigrams, gate, public_id, *rest = row
        return TurnHit(
            pk,
            self._held(words, bigrams),
            self._held(before_words, before_bigrams),
            gate,
            UUID(public_id),
            *rest[:-2],
            *map(read_text, rest[-2:]),
        )

    def frequency(self) -> dict[str, int]:
        """In how many turns of the owner each word and bigram of the question stands."""
        marks = ", ".join(["%s"] * len(self.tokens))
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT term, MAX(doc) FROM {TERMS[TURNS]} WHERE term IN ({marks}) "
                "AND col IN ('words', 'bigrams') GROUP BY term",
                [self.prefix + token for token in self.tokens],
            )
            return {term[len(self.prefix) :]: count for term, count in cursor.fetchall()}

    def frequency_then(self) -> dict[str, int]:
        """As `frequency`, counted row by row."""
        wanted = {self.prefix + token: token for token in self.tokens}
        rows = self._read(
            f"SELECT {TURNS}.words, {TURNS}.bigrams {_FROM} MATCH %s{self._then}",
            [f"{{words bigrams}}: ({' OR '.join(map(quoted, wanted))})", *self._moment],
        )
        columns = [
            Counter(wanted[held] for row in rows for held in wanted.keys() & row[place].split())
            for place in (0, 1)
        ]
        # `|` of two counters is the larger of both.
        return dict(columns[0] | columns[1])

    def _held(self, words: str, bigrams: str) -> Held:
        """Counts of the question's own terms only: a turn may have thousands of others."""
        own = words.split()
        spelt = [word for word in own if word in self._spelt]
        terms: dict[str, tuple[int, str]] = {}
        for word in set(spelt):
            for text in self._spelt[word]:
                terms[text] = max(terms.get(text, (0, "")), (spelt.count(word), "word"))
        for text, row in self._rows:
            if text not in terms and (count := bigrams.count(row)):
                terms[text] = (count, "characters")
        pairs = self._pairs
        held = {pairs[pair] for pair in pairs.keys() & bigrams.split()} if pairs else set()
        return Held(terms, held, len(own), (words, bigrams), self.prefix)

    def _read(self, sql: str, values: list) -> list[tuple]:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall()


_INDEXED = ", ".join(
    f"{TURNS}.{column}" for column in ("words", "bigrams", "before_words", "before_bigrams")
)
# CROSS JOIN keeps the index outside, as for memories.
_FROM = f"FROM {TURNS} CROSS JOIN memory_turn t ON t.id = {TURNS}.rowid WHERE {TURNS}"


def _owner(scope: Scope) -> tuple[int, int]:
    if scope.user_id is None:
        raise ScopeError("a recall is always for one user")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, turns FROM memory_owner WHERE workspace_id = %s AND user_id = %s",
            [scope.workspace_id, scope.user_id],
        )
        return cursor.fetchone() or (0, 0)


def _stored_by(scope: Scope, moment: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM memory_turn WHERE workspace_id = %s AND user_id = %s "
            "AND role <> %s AND created_at <= %s",
            [scope.workspace_id, scope.user_id, TurnRole.SYSTEM.value, stored(moment)],
        )
        return cursor.fetchone()[0]
