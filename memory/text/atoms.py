"""Normalised text as atoms: the terms of the index and of a question, with their places."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from math import prod

import snowballstemmer

from . import segment
from .patterns import ATOM
from .stopwords import STOPWORDS

_LONGEST = 64
_SAME_UNIT = {
    "块钱": "元", "块": "元", "圆": "元", "美金": "美元", "个小时": "小时", "秒钟": "秒",
    "月份": "月", "日": "号", "点钟": "点", "时": "点",
}  # fmt: skip
_TIMES = {"百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
# abc-1234, abc_1234 and abc1234 are one id, spelt abc-1234. Two borders or more stay as written:
# ab-c12 is not abc-12.
_ONE_BORDER = re.compile(r"([a-z]+)[-_]?([0-9]+(?:\.[0-9]+)?[a-z]?)\Z")
_SEGMENT = re.compile(r"[^-_./]+")
_NAME = re.compile(r"(?<![a-z0-9])[a-z]{2,}(?:[.-][a-z]{2,})*(?![a-z0-9])")


@dataclass(frozen=True, slots=True)
class Atom:
    """A term at `start:end` of the normalised text.

    `role`: "main" stands for its place in a question; "more" is asked for beside a main one;
    "index" is only in the index; "also" is another spelling of the main atom that ends there.
    """

    text: str
    kind: str
    start: int
    end: int
    role: str = "main"


def atoms(text: str) -> list[Atom]:
    """All terms of a normalised text, in order."""
    found: list[Atom] = []
    for match in ATOM.finditer(text):
        for atom in _MAKERS[match.lastgroup](match):
            spaced = _spaced_id(text, found, atom)
            found.append(_bounded(atom))
            found += spaced
    return found


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The Porter2 stem of an English word; other words as they are."""
    # A stemmer keeps state while it works, so each call has its own.
    return snowballstemmer.stemmer("english").stemWord(word) if word.isascii() else word


def _bounded(atom: Atom) -> Atom:
    """No token is longer than 64 characters; a longer one ends in its digest."""
    if len(atom.text) <= _LONGEST and "~" not in atom.text:
        return atom
    text = atom.text.replace("~", "")
    if len(text) > _LONGEST:
        text = text[:31] + "#" + blake2b(text.encode(), digest_size=16).hexdigest()
    return Atom(text, atom.kind, atom.start, atom.end, atom.role)


def _spaced_id(text: str, found: list[Atom], atom: Atom) -> list[Atom]:
    """`apollo 3` may be what another sentence spells Apollo-3."""
    if atom.kind != "number" or atom.role != "main" or len(atom.text) > 8 or not found:
        return []
    word = found[-1]
    raw = text[word.start : word.end]
    if word.kind != "latin" or text[word.end : atom.start] != " " or raw in STOPWORDS:
        return []
    if len(raw) < 2 or not (raw.isascii() and raw.isalpha()):
        return []
    return [Atom(f"{raw}-{atom.text}", "id", word.start, atom.end, "also")]


def _whole(kind: str) -> Callable[[re.Match], Iterator[Atom]]:
    def make(match: re.Match) -> Iterator[Atom]:
        yield Atom(match[0], kind, *match.span())

    return make


def _address(match: re.Match) -> Iterator[Atom]:
    """A URL, e-mail, @name or #tag: whole, and the names in it; digits in it are never bare."""
    yield Atom(match[0], "id", *match.span())
    skip = match[0].index("//") if match.lastgroup == "url" else 0
    for name in islice(_NAME.finditer(match[0], skip), 16):
        start = match.start() + name.start()
        parts = [(p[0], start + p.start(), start + p.end()) for p in _SEGMENT.finditer(name[0])]
        if len(parts) > 1:
            yield Atom(name[0], "latin", start, start + len(name[0]), "index")
        yield from _letters(parts, "index")


def _pair(match: re.Match) -> Iterator[Atom]:
    yield Atom(match[0], "id", *match.span())
    border = match.start() + match[0].index("=")
    yield from _inside(match.string, match.start(), border)
    yield from _inside(match.string, border + 1, match.end())


def _inside(text: str, start: int, end: int) -> Iterator[Atom]:
    for atom in atoms(text[start:end]):
        yield Atom(atom.text, atom.kind, atom.start + start, atom.end + start, "index")


def _day(match: re.Match) -> Iterator[Atom]:
    year, month, day = match["y"], _int(match["m"] or match["m2"]), _int(match["d"] or match["d2"])
    start, end = match.span()
    yield Atom(f"{year}-{month:0>2}-{day:0>2}", "date", start, end)
    yield Atom(f"{year}-{month:0>2}", "date", start, end, "index")
    yield from _parts(match, (f"{year}年", "y"), (f"{month}月", "m"), (f"{day}号", "d"))


def _month(match: re.Match) -> Iterator[Atom]:
    year, month = match["y3"], _int(match["m3"] or match["m4"])
    yield Atom(f"{year}-{month:0>2}", "date", *match.span())
    yield from _parts(match, (f"{year}年", "y3"), (f"{month}月", "m3" if match["m3"] else "m4"))


def _parts(match: re.Match, *parts: tuple[str, str]) -> Iterator[Atom]:
    for text, group in parts:
        named = group if match[group] is not None else group + "2"
        yield Atom(text, "date", *match.span(named), "more")


def _clock(match: re.Match) -> Iterator[Atom]:
    minute = "30" if match["half"] else match["min"] or match["min2"] or match["min3"]
    hour = _int(match["hour"])
    yield Atom(f"{hour}:{minute:0>2}", "date", *match.span())
    yield Atom(f"{hour}点", "date", *match.span("hour"), "more")


def _date(match: re.Match) -> Iterator[Atom]:
    """A number with a date's unit is never a bare number: 3 does not find 3月."""
    unit = match["n_unit"]
    yield Atom(_int(match["n"]) + _SAME_UNIT.get(unit, unit), "date", *match.span())


def _range(match: re.Match) -> Iterator[Atom]:
    """3-5月 is 3月 and 5月; 3-5天 is 3天 and 5天, and the numbers."""
    for group in ("low", "high"):
        number, span = match[group].replace(",", ""), match.span(group)
        if match["date_unit"]:
            unit = match["date_unit"]
            yield Atom(_int(number) + _SAME_UNIT.get(unit, unit), "date", *span)
        else:
            unit = match["range_unit"]
            yield Atom(number + _SAME_UNIT.get(unit, unit), "quantity", *span)
            yield Atom(number, "number", *span, "more")


def _quantity(match: re.Match) -> Iterator[Atom]:
    """A number, or a number with its unit and the number beside it: 3000 finds 3000元."""
    number = (match["sign"] or "") + _multiplied(match["q"].replace(",", ""), match["times"])
    unit = match["unit"] or match["unit2"] or ("元" if match["money"] == "¥" else "")
    sign = "" if unit else match["money"] or ""
    if not unit and not sign:
        yield Atom(number, "number", *match.span())
        return
    yield Atom(sign + number + _SAME_UNIT.get(unit, unit), "quantity", *match.span())
    yield Atom(number, "number", *match.span("q"), "more")
    if match["unit2"] and "a" <= unit[0] <= "z":
        yield Atom(unit, "latin", *match.span("unit2"), "index")


def _multiplied(digits: str, times: str | None) -> str:
    if not times:
        return digits
    # Beyond 18 digits Decimal would round; nobody writes 万 after such a number.
    if len(digits) > 18:
        return digits + times
    value = format(Decimal(digits) * prod(_TIMES[sign] for sign in times), "f")
    return value.rstrip("0").rstrip(".") if "." in value else value


def _int(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _version(match: re.Match) -> Iterator[Atom]:
    yield Atom(match[0], "id", *match.span())
    if "." in match[0]:
        yield Atom(match[0][1:], "id", match.start() + 1, match.end(), "index")


def _word(match: re.Match) -> Iterator[Atom]:
    raw, (start, end) = match[0].replace("’", "'"), match.span()
    parts = [(part[0], start + part.start(), start + part.end()) for part in _SEGMENT.finditer(raw)]
    if any("0" <= char <= "9" for char in raw):
        yield from _identifier(raw, start, end, parts)
    elif len(parts) == 1:
        yield Atom(stem(raw), "latin", start, end)
    elif "_" in raw:
        yield Atom(raw, "id", start, end)
        yield from _letters(parts, "index")
    elif "." in raw or "/" in raw or any(len(p) < 2 or p in STOPWORDS for p, _, _ in parts):
        yield Atom(raw, "latin", start, end)
        yield from _letters(parts, "index")
    else:
        # tab-map is asked for as tab and map, which tab map has as well.
        yield Atom(raw, "latin", start, end, "index")
        yield from _letters(parts, "main")


def _identifier(raw: str, start: int, end: int, parts: list) -> Iterator[Atom]:
    border = _ONE_BORDER.match(raw)
    text = f"{border[1]}-{border[2]}" if border else raw.replace("_", "-")
    yield Atom(text, "id", start, end)
    if border and len(border[1]) > 1:
        yield Atom(stem(border[1]), "latin", start, start + len(border[1]), "index")
    elif not border:
        yield from _letters([part for part in parts if len(part[0]) > 1], "index")


def _letters(parts: list[tuple[str, int, int]], role: str) -> Iterator[Atom]:
    for part, start, end in parts[:16]:
        if not any(char.isdigit() for char in part):
            yield Atom(stem(part), "latin", start, end, role)


def _dense(match: re.Match) -> Iterator[Atom]:
    offset = match.start()
    for word, start, end in segment.words(match[0]):
        yield Atom(word, "char" if len(word) == 1 else "word", offset + start, offset + end)


_MAKERS = {
    "url": _address, "email": _address, "mark": _address, "pair": _pair, "code": _whole("id"),
    "day": _day, "month": _month, "clock": _clock, "date": _date, "range": _range,
    "quantity": _quantity, "version": _version, "word": _word, "dense": _dense,
}  # fmt: skip
