"""The cleaned export: the file as it came, without some of its rows and with others masked. Every
other byte stays as it was. For mem0's JSON and for JSON lines."""

import io
import json
import re
from collections.abc import Collection, Iterator
from json.decoder import scanstring

from memory.exchange.formats.mem0 import WRAPPERS
from memory.text.screen import PERSONAL, SECRET, masked, screen
from memory.write.held import metadata_without_secrets

from .plan import Place

# The formats of which a cleaned export can be written.
CLEANED = ("mem0", "jsonl")
_SPACE = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r,]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# What names a row, or says when, and is nobody's secret.
_NAMES = frozenset(
    {
        "id", "uuid", "memory_id", "user_id", "agent_id", "run_id", "session_id", "app_id",
        "actor_id", "hash", "created_at", "updated_at", "expires_at", "expiration_date",
        "external_id",
    }
)  # fmt: skip
_COUNTS = ("count", "total")
_decoder = json.JSONDecoder()


class NotCleaned(ValueError):
    """The file has no rows that could be told apart in it."""


def cleaned(
    form: str,
    data: bytes,
    dropped: Collection[Place],
    hidden: Collection[Place],
    *,
    personal: bool = True,
) -> bytes:
    """The file without the rows of `dropped` and with secrets, and unless told otherwise personal
    data, masked in those `hidden`. Raises `NotCleaned`."""
    if form not in CLEANED:
        raise NotCleaned(f"only of {', '.join(CLEANED)}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotCleaned("only of a file in UTF-8") from error
    changes = _Changes(dropped, hidden, personal)
    return (_document if form == "mem0" else _lines)(text, changes).encode()


class _Changes:
    def __init__(self, dropped: Collection[Place], hidden: Collection[Place], personal: bool):
        self._dropped, self._hidden, self._personal = set(dropped), set(hidden), personal

    def kept(self, place: Place, raw: str) -> str | None:
        """A row as it is written; None: not at all."""
        if place in self._dropped:
            return None
        return without(raw, self._personal) if place in self._hidden else raw


def without(raw: str, personal: bool = True) -> str:
    """A JSON object with the secrets, and with `personal` personal data, masked in its texts."""
    out, place, name = [], 0, ""
    for found in _STRING.finditer(raw):
        value = json.loads(found[0], strict=False)
        if raw[_SPACE.match(raw, found.end()).end() :][:1] == ":":
            name = value
            continue
        new = value if name in _NAMES else _hidden(name, value, personal)
        if new != value:
            written = json.dumps(new, ensure_ascii=found[0].isascii() and "\\u" in found[0])
            out += [raw[place : found.start()], written]
            place = found.end()
    return "".join([*out, raw[place:]])


def _hidden(name: str, value: str, personal: bool) -> str:
    # A value is told a secret by its name.
    new = metadata_without_secrets({name: value}).get(name, value) if name else value
    new = masked(new, screen(new).of(SECRET))
    return masked(new, screen(new).of(PERSONAL)) if personal else new


def _lines(text: str, changes: _Changes) -> str:
    out = []
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        kept = _line(number, line, changes)
        out.append(line if kept is None else kept)
    return "".join(out)


def _line(number: int, line: str, changes: _Changes) -> str | None:
    """A line with its objects cleaned, "" where none is left; None: nothing in it changes."""
    body, ending = line.rstrip("\r\n"), line[len(line.rstrip("\r\n")) :]
    start = len(body) - len(body.lstrip(" \t\ufeff"))
    place, nth, kept, is_same = start, 0, [], True
    while place < len(body):
        try:
            _value, end = _decoder.raw_decode(body, place)
        except (ValueError, RecursionError):
            kept.append(body[place:])
            break
        raw = body[place:end]
        new = changes.kept((number, nth), raw)
        is_same &= new == raw
        gap = _BETWEEN.match(body, end).end()
        if new is not None:
            kept.append(new + body[end:gap])
        place, nth = gap, nth + 1
    if is_same:
        return None
    return body[:start] + "".join(kept) + ending if kept else ""


def _document(text: str, changes: _Changes) -> str:
    start = 1 if text.startswith("\ufeff") else 0
    try:
        opening, counts = _rows_of(text, _skip(text, start))
        elements = _elements(text, opening)
    except (ValueError, IndexError, RecursionError) as error:
        raise NotCleaned("holds no list of memories") from error
    out, place, left = [], opening + 1, 0
    for number, (begin, end) in enumerate(elements, start=1):
        new = changes.kept((number, 0), text[begin:end])
        if new is not None:
            lead = text[place:begin]
            # The first that is left has no comma before it.
            out.append((lead if left or "," not in lead else lead.replace(",", "", 1)) + new)
            left += 1
        place = end
    head = _counted(text[: opening + 1], 0, counts, len(elements), left)
    tail = _counted(text[place:], place, counts, len(elements), left)
    return head + "".join(out) + tail


def _rows_of(text: str, place: int) -> tuple[int, dict[str, tuple[int, int]]]:
    """Where the list of rows opens, and where the numbers beside it stand that may count them."""
    if text[place] == "[":
        return place, {}
    members = {name: (begin, end) for name, begin, end in _members(text, place)}
    for name in WRAPPERS:
        if name in members and text[members[name][0]] in "[{":
            opening, inner = _rows_of(text, members[name][0])
            return opening, inner | {n: members[n] for n in _COUNTS if n in members}
    raise ValueError("no rows")


def _members(text: str, place: int) -> Iterator[tuple[str, int, int]]:
    """(name, begin, end) of each value of an object."""
    if text[place] != "{":
        raise ValueError("no object")
    place = _skip(text, place + 1)
    while text[place] != "}":
        name, place = scanstring(text, place + 1, True)
        begin = _skip(text, _skip(text, place) + 1)
        _value, end = _decoder.raw_decode(text, begin)
        yield name, begin, end
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)


def _elements(text: str, opening: int) -> list[tuple[int, int]]:
    found, place = [], _skip(text, opening + 1)
    while text[place] != "]":
        _value, end = _decoder.raw_decode(text, place)
        found.append((place, end))
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return found


def _counted(
    part: str, offset: int, counts: dict[str, tuple[int, int]], before: int, after: int
) -> str:
    """A part of the text in which a number that counts the rows counts those that are left."""
    for begin, end in sorted(counts.values(), reverse=True):
        begin, end = begin - offset, end - offset
        if 0 <= begin < end <= len(part) and part[begin:end] == str(before):
            part = part[:begin] + str(after) + part[end:]
    return part


def _skip(text: str, place: int) -> int:
    return _SPACE.match(text, place).end()
