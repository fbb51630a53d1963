"""The store as it was: within a block every query for memories is answered by the ledger.

A temporary view (or table) under the name of the table stands before it for this connection
alone, so that lists, filters, searches, counts and checks ask the past in the words in which they
ask the present. A row that has not changed since is read as it stands; of the others the ledger's
newest entry tells every column. Writing a memory within the block is an error of the engine's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, models

from memory import clock
from memory.models import FIXED, Memory

from .filters import stored
from .storage import one_view

_MEMORY = Memory._meta.db_table
# Logs, of which the past is a part.
_LOGS = {
    table: f"SELECT * FROM main.{table} WHERE at <= {{then}}"
    for table in ("memory_change", "memory_batch", "memory_recall")
} | {
    "memory_recallcandidate": "SELECT c.* FROM main.memory_recallcandidate c "
    "CROSS JOIN main.memory_recall r ON r.id = c.recall_id WHERE r.at <= {then}",
}
# As the table's own, for checks that compare rows with one another.
_INDEXES = (
    "id", "public_id", "workspace_id, status, id", "workspace_id, user_id, fingerprint",
    "workspace_id, user_id, entity_key, attribute_key", "fact, version",
)  # fmt: skip


class InTheFuture(ValueError):
    """Nobody knows yet what the store will be."""


def check_past(moment: datetime) -> None:
    """Raise `InTheFuture` for a time that is not over."""
    if moment > clock.now():
        raise InTheFuture("is in the future")


@contextmanager
def as_of(moment: datetime | None) -> Iterator[None]:
    """Within the block memories, the ledger and recalls are those of `moment`, and the clock
    stands there; None: the present. Erased memories are absent at every time.

    What is read has to be read whole before the block ends. Raises `InTheFuture`.
    """
    if moment is None:
        yield
        return
    check_past(moment)
    with one_view(), clock.at(moment), _standing_before(moment, "VIEW"):
        yield


@contextmanager
def copied_as_of(moment: datetime) -> Iterator[None]:
    """As `as_of`, inside a view of one's own, with the memories put together beforehand: dear
    at first (every row of the store, in memory), then as quick as the present."""
    check_past(moment)
    with clock.at(moment), _standing_before(moment, "TABLE"):
        yield


@contextmanager
def _standing_before(moment: datetime, form: str) -> Iterator[None]:
    then = f"'{stored(moment)}'"
    made = {(form, _MEMORY): _memories(then)} | {
        ("VIEW", table): sql.format(then=then) for table, sql in _LOGS.items()
    }
    with connection.cursor() as cursor:
        for (kind, name), sql in made.items():
            cursor.execute(f"CREATE TEMP {kind} {name} AS {sql}")
        if form == "TABLE":
            for number, columns in enumerate(_INDEXES):
                cursor.execute(f"CREATE INDEX temp.past_{number} ON {_MEMORY} ({columns})")
    try:
        yield
    finally:
        # An error of the database's own rolls the transaction back, and these with it.
        if not connection.needs_rollback:
            with connection.cursor() as cursor:
                for kind, name in made:
                    cursor.execute(f"DROP {kind} temp.{name}")


def _memories(then: str) -> str:
    columns = ", ".join(_column(field) for field in Memory._meta.concrete_fields)
    return (
        f"SELECT {columns} FROM main.{_MEMORY} m LEFT JOIN main.memory_change c "
        f"ON c.id = CASE WHEN m.updated_at > {then} THEN ("
        "SELECT MAX(e.id) FROM main.memory_change e "
        f"WHERE e.memory_id = m.public_id AND e.at <= {then}) END "
        f"WHERE m.updated_at <= {then} OR c.payload IS NOT NULL"
    )


def _column(field: models.Field) -> str:
    name, column = field.attname, f"m.{field.column}"
    if field.primary_key or name in FIXED:
        return f"{column} AS {field.column}"
    then = f"json_extract(c.payload, '$.after.{name}')"
    target = field.target_field if field.is_relation else field
    if isinstance(target, models.DateTimeField):
        then = _as_stored(then)
    if not field.null:
        # A column younger than the entry.
        then = f"COALESCE({then}, {column})"
    return f"CASE WHEN c.id IS NULL THEN {column} ELSE {then} END AS {field.column}"


def _as_stored(time: str) -> str:
    """From ISO 8601 with an offset to UTC without, the fraction of a second kept as it is."""
    return (
        f"strftime('%Y-%m-%d %H:%M:%S', {time}) || "
        f"CASE WHEN substr({time}, 20, 1) = '.' THEN substr({time}, 20, 7) ELSE '' END"
    )
