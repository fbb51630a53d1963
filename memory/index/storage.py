"""The database file: what its engine can do, its write-ahead log, and a still view of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.db import DatabaseError, connection, transaction

from . import schema

BLOCK = 1 << 22
# Of an index; the engine's own advice is 100 to 1000.
SAMPLE = 1000


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


def checkpoint(patience: float | None = None) -> bool:
    """Fold the log into the database and empty it; False when a reader still needs it, after
    waiting for it for `patience` seconds (None: as long as for any lock).

    Call it under the write lock and nowhere else: SQLite before 3.51.3 can corrupt the log when
    two processes reset it at once.
    """
    with connection.cursor() as cursor:
        kept = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        if patience is not None:
            cursor.execute(f"PRAGMA busy_timeout={int(patience * 1000)}")
        try:
            busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            cursor.execute(f"PRAGMA busy_timeout={kept}")
    return not busy


def count_values() -> None:
    """Let the engine see how many rows its indexes give for a value, from samples; in a write
    transaction, 0.2 s at 1,000,000 memories. Without it the page of history read an index of all
    rows: 360 ms at 100,000, not 90."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit={SAMPLE}")
        # A new table, not other rows in the old one: that is what other connections notice.
        cursor.execute("DROP TABLE IF EXISTS sqlite_stat1")
        # Not those of the full-text indexes, which ask for none and took 5 s.
        for table in connection.introspection.django_table_names(only_existing=True):
            cursor.execute(f"ANALYZE {connection.ops.quote_name(table)}")


def secure_delete() -> bool:
    """Whether SQLite overwrites with zeros what is deleted."""
    with connection.cursor() as cursor:
        return cursor.execute("PRAGMA secure_delete").fetchone()[0] == 1


def rewrite() -> None:
    """Write the whole database anew, without what its free pages hold. Under the write lock,
    outside a transaction; 100 MB take about a second."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")


def files() -> list[Path]:
    """The database, its logs, and those of the same name beside it."""
    path = Path(connection.settings_dict["NAME"])
    beside = [path.with_name(path.name + end) for end in ("", "-wal", "-journal")]
    return [one for one in beside if one.exists()]


def files_hold(patterns: Sequence[bytes]) -> bool:
    """Whether the bytes of the database's files hold one of these."""
    longest = max(map(len, patterns), default=0)
    return bool(longest) and any(_holds(path, patterns, longest) for path in files())


def _holds(path: Path, patterns: Sequence[bytes], longest: int) -> bool:
    tail = b""
    with path.open("rb") as file:
        while piece := file.read(BLOCK):
            piece = tail + piece
            if any(pattern in piece for pattern in patterns):
                return True
            tail = piece[1 - longest :] if longest > 1 else b""
    return False


@contextmanager
def one_view() -> Iterator[None]:
    """All reads inside see the store as the first of them saw it, and hold up no writer.

    Without it a write between two reads looks like drift. Transactions open with BEGIN IMMEDIATE
    here, which would take the writers' lock for as long as a report takes: hence DEFERRED.
    """
    # The mode is known once there is a connection.
    connection.ensure_connection()
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
