"""The database file: what its engine can do, its write-ahead log, and a still view of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import DatabaseError, connection, transaction

from . import schema


def has_full_text() -> bool:
    """Whether this SQLite was built with FTS5."""
    with connection.cursor() as cursor:
        try:
            cursor.execute("CREATE VIRTUAL TABLE temp.fts5_probe USING fts5(x)")
            cursor.execute("DROP TABLE temp.fts5_probe")
        except DatabaseError:
            return False
    return True


def is_installed() -> bool:
    """Whether the migrations that make the indexes have run."""
    return schema.RECALL in connection.introspection.table_names()


def journal_mode() -> str:
    with connection.cursor() as cursor:
        return cursor.execute("PRAGMA journal_mode").fetchone()[0]


def log_bytes() -> int:
    """Size of the write-ahead log, in bytes; 0 when there is none."""
    path = Path(f"{connection.settings_dict['NAME']}-wal")
    return path.stat().st_size if path.exists() else 0


def checkpoint() -> bool:
    """Fold the log into the database and empty it; False when a reader still needs it.

    Call it under the write lock and nowhere else: SQLite before 3.51.3 can corrupt the log when
    two processes reset it at once.
    """
    with connection.cursor() as cursor:
        busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


@contextmanager
def one_view() -> Iterator[None]:
    """All reads inside see the store as the first of them saw it, and hold up no writer.

    Without it a write between two reads looks like drift. Transactions open with BEGIN IMMEDIATE
    here, which would take the writers' lock for as long as a report takes: hence DEFERRED.
    """
    mode, connection.transaction_mode = connection.transaction_mode, "DEFERRED"
    try:
        with transaction.atomic():
            yield
    finally:
        connection.transaction_mode = mode


@contextmanager
def ledger_unguarded() -> Iterator[None]:
    """Within the block the ledger may be emptied: for `flush`, and for nothing else."""
    _run(schema.UNGUARD)
    try:
        yield
    finally:
        guard_ledger()


def guard_ledger() -> None:
    """Put the ledger's guard (back) in place; without effect where it stands."""
    _run(schema.GUARD)


def _run(statements: list[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
