"""The database file's write-ahead log."""

from pathlib import Path

from django.db import connection


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
