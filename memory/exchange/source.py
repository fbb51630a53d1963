"""A file as formats read it: bounded in size, in members, in lines and in time; never unpickled."""

import hashlib
import json
import sqlite3
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings

from memory.text.normalise import UnstorableText, clean

HEAD = 65_536
# A whole document in JSON takes some ten times its size in memory; lines take none of that.
JSON_MB = 64
LINE_LIMIT = 2_000_000
# A member that grows more than this by being unpacked is no text that somebody wrote.
MEMBERS, RATIO = 2000, 200
DATABASE_SECONDS = 60
_MB = 1_000_000


class FormatError(Exception):
    """The file cannot be read. `code` is stable, the message is for people."""

    def __init__(self, code: str, message: str):
        self.code = code
        super().__init__(message)


class Source:
    """One file. `name` is what it was called where it came from."""

    def __init__(self, path: Path, name: str = "") -> None:
        self.path, self.name = path, name or path.name
        try:
            self.size = path.stat().st_size
            with path.open("rb") as file:
                self.head = file.read(HEAD)
        except OSError as error:
            raise FormatError("unreadable", f"cannot be read: {error.strerror}") from error
        if self.size > settings.IMPORT_MAX_MB * _MB:
            raise FormatError("too_large", f"is larger than {settings.IMPORT_MAX_MB} MB")
        if not self.size:
            raise FormatError("empty", "is empty")

    @cached_property
    def sha256(self) -> str:
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def is_zip(self) -> bool:
        return self.head.startswith(b"PK\x03\x04")

    @property
    def is_database(self) -> bool:
        return self.head.startswith(b"SQLite format 3\x00")

    @property
    def is_text(self) -> bool:
        return not (self.is_zip or self.is_database)

    @cached_property
    def beginning(self) -> str:
        """The first characters of a text; "" for what is none."""
        if not self.is_text or (b"\x00" in self.head and self._encoding == "utf-8-sig"):
            return ""
        return self.head.decode(self._encoding, "ignore").lstrip()

    @cached_property
    def text(self) -> str:
        """The whole of a text in UTF-8, UTF-16 or GB 18030. Raises `FormatError`."""
        if self.size > JSON_MB * _MB:
            raise FormatError("too_large", f"a text like this may have {JSON_MB} MB")
        return _decoded(self.path.read_bytes(), self._encoding)

    @cached_property
    def document(self) -> Any:
        """The text as one JSON value. Raises `FormatError`."""
        return parsed(self.text)

    def lines(self) -> Iterator[tuple[int, str]]:
        """(number, text) of each line that is not blank. Raises `FormatError`."""
        encoding = self._encoding
        if encoding.startswith("utf-16"):
            yield from _numbered(self.text.splitlines())
            return
        with self.path.open("rb") as file:
            yield from _numbered(_read_lines(file, encoding))

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The names in an archive; none for another file, or one that cannot be read."""
        if not self.is_zip:
            return ()
        try:
            with zipfile.ZipFile(self.path) as archive:
                return tuple(one.filename for one in archive.infolist()[:MEMBERS])
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return ()

    def named(self, name: str) -> str | None:
        """The member of that file name, in whatever folder."""
        return next((m for m in self.members if m.rpartition("/")[2] == name), None)

    def member(self, name: str, limit: int = JSON_MB * _MB) -> bytes:
        """A member unpacked, at most `limit` bytes. Raises `FormatError`."""
        try:
            with zipfile.ZipFile(self.path) as archive:
                check_archive(archive, limit)
                with archive.open(name) as file:
                    data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError,
                KeyError, NotImplementedError) as error:  # fmt: skip
            raise FormatError("unreadable", f"{name} cannot be unpacked") from error
        if len(data) > limit:
            raise FormatError("too_large", f"{name} has more than {limit // _MB} MB")
        return data

    def member_document(self, name: str) -> Any:
        """A member as JSON. Raises `FormatError`."""
        return parsed(_decoded(self.member(name), "utf-8-sig"), name)

    @cached_property
    def tables(self) -> dict[str, set[str]]:
        """The tables of a database with the names of their columns; none for another file."""
        if not self.is_database:
            return {}
        try:
            with self.database() as rows:
                return rows.tables()
        except FormatError:
            return {}

    @contextmanager
    def database(self) -> Iterator["Rows"]:
        """A database to be read, and only read. What its writer has not yet moved from its log
        into the file is seen too. Raises `FormatError`."""
        log = Path(f"{self.path}-wal")
        with tempfile.TemporaryDirectory() as folder:
            path, options = self.path, "mode=ro&immutable=1"
            if log.exists() and log.stat().st_size:
                path, options = Path(folder) / "copy.sqlite3", "mode=ro"
                path.write_bytes(self.path.read_bytes())
                Path(f"{path}-wal").write_bytes(log.read_bytes())
            address = f"{path.resolve().as_uri()}?{options}"
            try:
                with closing(sqlite3.connect(address, uri=True)) as connection:
                    yield Rows(connection)
            except sqlite3.Error as error:
                raise FormatError("unreadable", f"the database cannot be read: {error}") from error

    @cached_property
    def _encoding(self) -> str:
        if self.head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return "utf-16"
        try:
            # The cut may go through a character.
            self.head[:-4].decode("utf-8-sig") if len(self.head) == HEAD else self.head.decode()
        except UnicodeDecodeError:
            return "gb18030"
        return "utf-8-sig"


class Rows:
    """Reads a foreign database: ordinary tables alone, for a limited time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        connection.execute("PRAGMA trusted_schema=OFF")
        end = time.monotonic() + DATABASE_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > end, 100_000)
        self._connection = connection

    def check(self) -> None:
        """Raise `FormatError` for a database whose pages do not fit together."""
        told = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if told != "ok":
            raise FormatError("damaged", "the database is damaged")

    def tables(self) -> dict[str, set[str]]:
        found = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        ).fetchall()
        return {
            row["name"]: {
                column["name"]
                for column in self._connection.execute(f"PRAGMA table_info({_name(row['name'])})")
            }
            for row in found
        }

    def read(self, table: str, order: str = "rowid") -> Iterator[dict[str, Any]]:
        """The rows of a table, each with the columns that it has; none if it is missing."""
        tables = self.tables()
        if table not in tables:
            return
        by = order if order in tables[table] else "rowid"
        by = by if by == "rowid" else _name(by)
        query = f"SELECT * FROM {_name(table)} ORDER BY {by}"  # noqa: S608  (names, quoted)
        for row in self._connection.execute(query):
            yield dict(row)


def parsed(text: str, name: str = "") -> Any:
    """Strict JSON: no NaN. Raises `FormatError`."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        where = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise FormatError("bad_json", f"{name or 'it'} is not JSON{where}") from error


def check_archive(archive: zipfile.ZipFile, limit: int) -> None:
    """Raise `FormatError` for an archive that is made to fill a disk or to wear one out."""
    found = archive.infolist()
    if len(found) > MEMBERS:
        raise FormatError("too_large", f"the archive has more than {MEMBERS} members")
    if sum(one.file_size for one in found) > max(limit, settings.IMPORT_MAX_MB * _MB):
        raise FormatError("too_large", "the archive unpacks to more than is allowed")
    for one in found:
        if one.file_size > _MB and one.file_size > RATIO * max(one.compress_size, 1):
            raise FormatError("too_large", f"{one.filename} is packed too tightly to be a text")


def storable(value: Any) -> bool:
    """Whether a text can be kept: no half characters, no NUL."""
    try:
        clean(str(value), LINE_LIMIT)
    except UnstorableText:
        return False
    return True


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError("bad_encoding", "is not text in UTF-8, UTF-16 or GB 18030") from error


def _read_lines(file: Any, encoding: str) -> Iterator[str]:
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    while data := file.readline(LINE_LIMIT + 1):
        if len(data) > LINE_LIMIT:
            while data and not data.endswith(b"\n"):
                data = file.readline(LINE_LIMIT)
            yield TOO_LONG
            continue
        yield data.decode(encoding, "surrogateescape").lstrip("\ufeff")


# Stands for a line beyond `LINE_LIMIT`; no format reads it as anything.
TOO_LONG = "\x00too long"


def _numbered(lines: Any) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, start=1):
        if line := line.strip("\r\n"):
            yield number, line


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
