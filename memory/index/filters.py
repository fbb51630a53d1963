"""Hard filters, applied inside the search and never after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from memory.models import Status


@dataclass(frozen=True)
class Filters:
    """Which rows may be found. Empty means "any", except that scope is not here at all.

    `agent_id` lets through rows of that agent and rows of no agent in particular. `since` and
    `until` bound the time a memory happened (or was first remembered), until exclusive.
    `alive_at` drops rows that have expired by then.
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
    alive_at: datetime | None = None

    def gates(self) -> list[tuple[str, str, list]]:
        """(gate, SQL condition, parameters) in the order in which they are told to a person."""
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
        return found

    def sql(self) -> tuple[str, list]:
        gates = self.gates()
        conditions = "".join(f" AND {condition}" for _, condition, _ in gates)
        return conditions, [value for _, _, values in gates for value in values]


ACTIVE_ONLY = (Status.ACTIVE.value,)


def _one_of(column: str, values: Sequence[str]) -> str:
    return f"{column} IN ({', '.join(['%s'] * len(values))})"


def stored(moment: datetime) -> str:
    """A time as the database keeps it."""
    return connection.ops.adapt_datetimefield_value(moment)


def read_time(kept: datetime | None) -> datetime | None:
    """A time as the driver hands it over: without its zone, which is always UTC."""
    return kept and kept.replace(tzinfo=UTC)
