"""What an owner's memory has moved on from, row by row, now or at a moment."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.utils.dateparse import parse_datetime

from memory.models import Scope, Status

from .filters import read_text, stored

# A candidate is still waiting to be confirmed: nothing has been decided about it.
LEFT = (
    Status.SUPERSEDED, Status.RETRACTED, Status.EXPIRED, Status.REJECTED, Status.QUARANTINED,
)  # fmt: skip
_KEYS = "m.public_id, m.fact, m.fingerprint, m.entity_key, m.attribute_key, m.value_key"
_TEXT = "CASE m.value_key WHEN '' THEN m.text ELSE '' END"


@dataclass(frozen=True, slots=True)
class Version:
    """A row of a fact: whose value, evidence of which turn, in which state since when. `text` only
    where it has no value. An active row whose time is over is "expired"."""

    public_id: UUID
    fact: str
    fingerprint: str
    entity_key: str
    attribute_key: str
    value_key: str
    text: str
    turn_id: UUID | None
    status: str
    ended_at: datetime

    @property
    def is_active(self) -> bool:
        return self.status == Status.ACTIVE


def versions(scope: Scope, turn_ids: Sequence[UUID], moment: datetime) -> list[Version]:
    """The rows of the scope's user that are no longer, or not yet, current at `moment`, and the
    active ones whose evidence is one of the turns."""
    owner, own = [scope.workspace_id, scope.user_id], "m.workspace_id = %s AND m.user_id = %s"
    # The plus signs keep to the owner's rows, and to the turns' own, whatever the planner thinks.
    parts = {
        f"{own} AND m.status IN ({_marks(LEFT)})": [*owner, *(status.value for status in LEFT)],
        f"{own} AND m.status = 'active' AND +m.expires_at <= %s": [*owner, stored(moment)],
        f"m.turn_id IN ({_marks(turn_ids)}) AND +m.workspace_id = %s AND +m.user_id = %s "
        "AND +m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > %s)": [
            *(turn_id.hex for turn_id in turn_ids), *owner, stored(moment),
        ],
    }  # fmt: skip
    sql = " UNION ALL ".join(
        f"SELECT {_KEYS}, {_TEXT}, m.turn_id, m.status, m.updated_at || '', m.expires_at || '' "
        f"FROM memory_memory m WHERE {condition}"
        for condition in parts
    )
    values = [value for some in parts.values() for value in some]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [_version(row, read_text, moment) for row in cursor.fetchall()]


def versions_then(scope: Scope, past: datetime, moment: datetime) -> list[Version]:
    """All rows of the scope's user as the ledger says that they were at `past`, over or not as of
    `moment`.

    Reads every row of the user; for people and replays, not for agents.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_KEYS}, {_TEXT}, json_extract(c.payload, '$.after.turn_id'), "
            "c.status_after, c.at || '', json_extract(c.payload, '$.after.expires_at') "
            "FROM memory_memory m CROSS JOIN memory_change c ON c.id = ("
            "SELECT id FROM memory_change WHERE memory_id = m.public_id AND at <= %s "
            "ORDER BY at DESC, id DESC LIMIT 1) WHERE m.workspace_id = %s AND m.user_id = %s",
            [stored(past), scope.workspace_id, scope.user_id],
        )
        return [_version(row, _read_iso, moment) for row in cursor.fetchall()]


def current_prints(scope: Scope, prints: Iterable[str], moment: datetime) -> set[str]:
    """Which of these statements, given by their fingerprints, are current at the present."""
    prints = sorted(set(prints))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT fingerprint FROM memory_memory WHERE workspace_id = %s AND user_id = %s "
            f"AND status = 'active' AND fingerprint IN ({_marks(prints)}) "
            "AND (expires_at IS NULL OR expires_at > %s)",
            [scope.workspace_id, scope.user_id, *prints, stored(moment)],
        )
        return {row[0] for row in cursor.fetchall()}


def _version(row: tuple, read_end, moment: datetime) -> Version:
    public_id, *keys, turn_id, status, changed_at, expires_at = row
    changed, ends = read_text(changed_at), read_end(expires_at)
    over = status == Status.ACTIVE and ends is not None and ends <= moment
    if over or (status == Status.EXPIRED and ends is not None):
        # What was said after its time was over is news, whenever it was swept away.
        changed = ends
    return Version(
        UUID(public_id),
        *keys,
        turn_id and UUID(turn_id),
        Status.EXPIRED.value if over else status,
        changed,
    )


def _read_iso(kept: str | None) -> datetime | None:
    return parse_datetime(kept) if kept else None


def _marks(values: Sequence) -> str:
    return ", ".join(["%s"] * len(values))
