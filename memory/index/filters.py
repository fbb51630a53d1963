"""Hard filters, applied inside the search and never after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from memory.models import Status

# 2025年5月2日 is not the 5月2日 of another year.
_YEAR = "年"


@dataclass(frozen=True)
class Days:
    """What happened from `since` to before `until`, or names one of these days: `spelt` are the
    ways to write them, each as terms of the index in a row."""

    since: datetime
    until: datetime
    spelt: tuple[tuple[str, ...], ...] = ()

    def take(self, happened: datetime, words: Sequence[str]) -> bool:
        """Whether a row passes that happened then and holds these words."""
        if self.since <= happened < self.until:
            return True
        return any(_in_a_row(row, words) for row in self.spelt)

    def sql(self, happened: str, words: str, prefix: str) -> tuple[str, list]:
        """`take` as a condition; `words` names the index's column of words behind `prefix`."""
        rows = [" ".join(prefix + word for word in row) + " " for row in self.spelt]
        named = [f"instr(replace(' ' || {words} || ' ', %s, ''), %s) > 0"] * len(rows)
        values = [value for row in rows for value in (f"{_YEAR} {row}", f" {row}")]
        both = [f"({happened} >= %s AND {happened} < %s)", *named]
        return f"({' OR '.join(both)})", [stored(self.since), stored(self.until), *values]


@dataclass(frozen=True)
class Filters:
    """Which rows may be found. Empty means "any", except that scope is not here at all.

    `agent_id` lets through rows of that agent and rows of no agent in particular. `since` and
    `until` bound the time a memory happened (or was first remembered), until exclusive.
    `days` is what the question itself asks about. `alive_at` drops rows that have expired by then.
    """

    statuses: Sequence[str] = ()
    kinds: Sequence[str] = ()
    domains: Sequence[str] = ()
    sources: Sequence[str] = ()
    user_id: str | None = None
    agent_id: str | None = None
    session_id: str | None = None
    entity_key: str | None = None
    attribute_key: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    days: Days | None = None
    alive_at: datetime | None = None

    def gates(self, words: str = "''", prefix: str = "") -> list[tuple[str, str, list]]:
        """(gate, SQL condition, parameters) in the order in which they are told to a person.

        `words` names the column of the index that holds a row's words behind `prefix`.
        """
        found: list[tuple[str, str, list]] = []
        happened = "COALESCE(m.occurred_at, m.created_at)"
        if self.statuses:
            found.append(("state", _one_of("m.status", self.statuses), list(self.statuses)))
        if self.alive_at:
            found.append(
                ("expiry", "(m.expires_at IS NULL OR m.expires_at > %s)", [stored(self.alive_at)])
            )
        for gate, column, values in (
            ("kind", "m.kind", self.kinds),
            ("domain", "m.domain", self.domains),
            ("source", "m.source", self.sources),
        ):
            if values:
                found.append((gate, _one_of(column, values), list(values)))
        if self.user_id is not None:
            found.append(("user", "m.user_id = %s", [self.user_id]))
        if self.agent_id is not None:
            found.append(("agent", "m.agent_id IN ('', %s)", [self.agent_id]))
        if self.session_id is not None:
            found.append(("session", "m.session_id = %s", [self.session_id]))
        if self.entity_key is not None:
            found.append(("entity", "m.entity_key = %s", [self.entity_key]))
        if self.attribute_key is not None:
            found.append(("attribute", "m.attribute_key = %s", [self.attribute_key]))
        if self.since:
            found.append(("time", f"{happened} >= %s", [stored(self.since)]))
        if self.until:
            found.append(("time", f"{happened} < %s", [stored(self.until)]))
        if self.days:
            found.append(("time", *self.days.sql(happened, words, prefix)))
        return found

    def sql(self, words: str = "''", prefix: str = "") -> tuple[str, list]:
        """All gates as one condition, to follow another."""
        gates = self.gates(words, prefix)
        conditions = "".join(f" AND {condition}" for _, condition, _ in gates)
        return conditions, [value for _, _, values in gates for value in values]


ACTIVE_ONLY = (Status.ACTIVE.value,)


def _in_a_row(row: Sequence[str], words: Sequence[str]) -> bool:
    size = len(row)
    return any(
        tuple(words[start : start + size]) == row and not words[max(start - 1, 0)].endswith(_YEAR)
        for start in range(len(words) - size + 1)
    )


def _one_of(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(['%s'] * len(values))})"


def stored(moment: datetime) -> str:
    """A time as the database keeps it."""
    return connection.ops.adapt_datetimefield_value(moment)


def read_time(kept: datetime | None) -> datetime | None:
    """A time as the driver hands it over: without its zone, which is always UTC."""
    return kept and kept.replace(tzinfo=UTC)


def read_text(kept: str | None) -> datetime | None:
    """A time as the database keeps it, read as text. Six times as fast as `replace(tzinfo=)`."""
    return datetime.fromisoformat(f"{kept}+00:00") if kept else None
