"""What must be there before the first request, told at start with what to do about it."""

import logging
import sqlite3

from django.conf import settings
from django.core.checks import WARNING, Error, Info, Tags, Warning, register, run_checks
from django.db import connection

from memory.index import embedding, storage

logger = logging.getLogger(__name__)

# sqlite.org/wal.html#walresetbug: 3.7.0-3.51.2, fixed in 3.51.3, 3.50.7 and 3.44.6.
FIXED_FROM = (3, 51, 3)
FIXED_LINES = {(3, 50): 7, (3, 44): 6}


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Whether this SQLite may corrupt a write-ahead log when two processes reset it at once."""
    if version >= FIXED_FROM:
        return False
    fixed = FIXED_LINES.get(version[:2])
    return fixed is None or version[2] < fixed


@register(Tags.database)
def search_engine(app_configs, databases, **kwargs):
    """Runs with `migrate` and `check --database default`."""
    if not databases or connection.vendor != "sqlite":
        return []
    found = [Info(f"SQLite {sqlite3.sqlite_version}", id="memory.I001")]
    if not storage.has_full_text():
        found.append(
            Error(
                "This SQLite has no FTS5.",
                hint="Install a Python whose sqlite3 module is built with FTS5.",
                id="memory.E001",
            )
        )
    if storage.is_installed() and (mode := storage.journal_mode()) != "wal":
        found.append(
            Error(
                f"The database is in journal mode {mode!r}, not in write-ahead mode.",
                hint="Put the data folder on a local disk, then migrate a fresh database there.",
                id="memory.E002",
            )
        )
    if absent := embedding.missing():
        found.append(
            Warning(
                f"MASE_EMBEDDING is {settings.EMBEDDING!r}, but {', '.join(absent)} is missing: "
                "recalls go by words alone.",
                hint="pip install '.[semantic]'",
                id="memory.W002",
            )
        )
    if has_wal_reset_bug(sqlite3.sqlite_version_info):
        found.append(
            Warning(
                f"SQLite {sqlite3.sqlite_version} has the write-ahead log reset bug.",
                hint="Rare, but it can corrupt the file: keep backups, and prefer 3.51.3 or newer.",
                id="memory.W001",
            )
        )
    return found


def tell_at_start() -> None:
    """Log what the checks find as a server starts: Django itself runs them only with `migrate`
    and `check --database default`."""
    for message in run_checks(tags=[Tags.database], databases=["default"]):
        level = logging.WARNING if message.level >= WARNING else logging.INFO
        logger.log(level, "%s: %s %s", message.id, message.msg, message.hint or "")
