"""An export in this store's own lines, read back line by line, each proved by its hash."""

import hmac
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from . import jsonl
from .source import LINE_LIMIT, FormatError

NAMES = ("turn", "memory", "erasure", "batch", "change")


@dataclass(frozen=True)
class Place:
    """Where a line stands: its number from 1, and its first byte."""

    number: int
    start: int


@dataclass
class OwnFile:
    """`places` of the lines by type. `sealed`: this installation wrote them, and none was changed
    since. `links` of each memory lead to what has to be there with it."""

    path: Path
    header: dict[str, Any]
    sealed: bool = False
    places: dict[str, list[Place]] = field(default_factory=lambda: {name: [] for name in NAMES})

    def lines(self, places: Sequence[Place]) -> Iterator[tuple[int, dict[str, Any]]]:
        """(number, line) of each place, in the order given."""
        with self.path.open("rb") as file:
            for place in places:
                file.seek(place.start)
                yield place.number, json.loads(file.readline())


def is_own(beginning: str) -> bool:
    """Whether a text with this beginning says that it is such an export."""
    first = beginning.partition("\n")[0]
    return '"header"' in first and f'"{jsonl.FORMAT}"' in first


def proved(path: Path) -> OwnFile:
    """Read an export through once. Raises `FormatError` naming the first line that was changed, is
    missing or cannot be read."""
    try:
        with path.open("rb") as file:
            return _walk(path, file)
    except OSError as error:
        raise FormatError("unreadable", f"cannot be read: {error.strerror}") from error


def _walk(path: Path, file: IO[bytes]) -> OwnFile:
    found, chain, start = OwnFile(path, _header(file)), jsonl.Chain(), file.tell()
    number = 1
    while data := file.readline(LINE_LIMIT):
        number += 1
        line = _parsed(number, data)
        if line.get("type") == "end":
            _check_end(line, chain)
            if file.read(1):
                raise FormatError("damaged", f"line {number + 1}: something follows the end")
            found.sealed = _is_sealed(line)
            return found
        if line.get("type") not in NAMES or line.get("hash") != jsonl.line_hash(line):
            raise FormatError("damaged", f"line {number}: was changed since it was written")
        chain.add(line["hash"])
        found.places[line["type"]].append(Place(number, start))
        start = file.tell()
    raise FormatError("cut_off", f"ends after line {number}: its last line is missing")


def _header(file: IO[bytes]) -> dict[str, Any]:
    header = _parsed(1, file.readline(LINE_LIMIT))
    if header.get("type") != "header" or header.get("format") != jsonl.FORMAT:
        raise FormatError("unknown_format", f"is not of the format {jsonl.FORMAT}")
    if header.get("version") != jsonl.VERSION:
        told = f"is of version {header.get('version')!r}; this reads {jsonl.VERSION}"
        raise FormatError("unknown_version", told)
    return header


def _parsed(number: int, data: bytes) -> dict[str, Any]:
    try:
        line = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError("damaged", f"line {number}: is not JSON") from error
    if not isinstance(line, dict):
        raise FormatError("damaged", f"line {number}: is not an object")
    return line


def _check_end(line: dict[str, Any], chain: jsonl.Chain) -> None:
    wanted = chain.end()
    if (line.get("lines"), line.get("sha256")) != (wanted["lines"], wanted["sha256"]):
        raise FormatError("damaged", "a line was taken away, added or moved")


def _is_sealed(line: dict[str, Any]) -> bool:
    told = line.get("seal")
    wanted = jsonl.seal(str(line.get("sha256")))
    return isinstance(told, str) and hmac.compare_digest(told.encode(), wanted.encode())
