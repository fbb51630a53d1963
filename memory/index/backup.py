"""The database file from outside: copied while others write, looked over, told to be in use."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from django.db import connection

# What a manifest counts.
COUNTED = (
    "memory_workspace", "memory_memory", "memory_turn", "memory_batch", "memory_change",
    "memory_erasure", "memory_recall", "memory_correction", "memory_policy", "memory_apikey",
    "audit_healthreport", "audit_finding", "audit_question", "auth_user",
)  # fmt: skip
# Between a reader and a writer of another process.
_PATIENCE = 20.0
_AT_ONCE = 500


def store_path() -> Path:
    return Path(connection.settings_dict["NAME"])


def copy(source: Path, to: Path) -> None:
    """Copy a database as it is at one moment, in one step: a read of it, which holds up no writer.
    In several steps every write in between would begin it anew. Raises `sqlite3.Error`."""
    with closing(_opened(source)) as one, closing(sqlite3.connect(to)) as other:
        one.backup(other, pages=-1)


def complaints(path: Path) -> list[str]:
    """What SQLite itself finds wrong: pages that do not fit together, links to nothing."""
    with closing(_opened(path)) as rows:
        found = [text for (text,) in rows.execute("PRAGMA integrity_check(20)") if text != "ok"]
        loose = rows.execute("PRAGMA foreign_key_check").fetchmany(20)
    return found + [
        f"{table} {rowid}: names a {of} that is not there" for table, rowid, of, _ in loose
    ]


def counts(path: Path) -> dict[str, int]:
    """How many rows each table has. Raises `sqlite3.Error`."""
    with closing(_opened(path)) as rows:
        there = {name for (name,) in rows.execute("SELECT name FROM sqlite_master")}
        return {
            table: rows.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
            for table in COUNTED
            if table in there
        }


def erased_in(path: Path) -> list[str]:
    """The memories, as hex, that a store has erased; none where there is no store."""
    if not path.exists() or "memory_erasure" not in counts(path):
        return []
    with closing(_opened(path)) as rows:
        return [one for (one,) in rows.execute("SELECT memory_id FROM memory_erasure")]


def held_there(path: Path, memory_ids: Iterable[str]) -> list[str]:
    """Those of these memories, given as hex, that a database holds."""
    ids, found = list(memory_ids), []
    with closing(_opened(path)) as rows:
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            held = rows.execute(
                f"SELECT public_id FROM memory_memory WHERE public_id IN ({marks})", some
            )
            found += [public_id for (public_id,) in held]
    return found


def settle(path: Path) -> bool:
    """Fold the write-ahead log into a database, so that it is one file; False where another
    process has it open. The log is then out of use until `set_log`."""
    with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as rows:
        try:
            return rows.execute("PRAGMA journal_mode=DELETE").fetchone()[0] == "delete"
        except sqlite3.OperationalError:
            return False


def set_log(path: Path) -> None:
    """Put the write-ahead log to use."""
    with closing(sqlite3.connect(path, isolation_level=None)) as rows:
        rows.execute("PRAGMA journal_mode=WAL")


def _opened(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=_PATIENCE)
