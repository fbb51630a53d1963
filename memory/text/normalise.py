"""Text in one comparable form, for storing keys, asking and comparing alike."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from opencc import OpenCC

# Blank or ignorable characters that are not in category Cf: fillers, joiners, variation
# selectors. All of them can hide inside a word.
_IGNORABLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0} | {
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
}
_HAN = (range(0x3400, 0xA000), range(0x20000, 0x32400))
# More marks than this on one letter are decoration, and sorting them is quadratic (UAX #15
# calls 30 enough for any language).
_CLUSTER = 32
# A write normalises each of its parts several times.
_REMEMBERED = 300
_TERMINAL = "。．.!！?？,，;；"
_LEADING = "。,;:、"
_TRAILING = _TERMINAL + ":：、…"
_PAIRS = dict(zip("\"'`“‘「『《〈([{【", "\"'`”’」』》〉)]}】", strict=True))


class UnstorableText(ValueError):
    """`code` says why, and so does the message in words."""

    MESSAGES = {
        "lone_surrogate": "holds half of a character (a lone surrogate)",
        "nul": "holds a NUL character",
        "too_long": "is too long",
    }

    def __init__(self, code: str) -> None:
        super().__init__(self.MESSAGES[code])
        self.code = code


@dataclass(frozen=True)
class Folded:
    """Normalised text; character i came from `original[starts[i]:ends[i]]`."""

    text: str
    starts: list[int]
    ends: list[int]


def normalise(text: str) -> str:
    """NFKC, case folded, traditional Chinese as simplified, nothing invisible, single spaces.

    Traditional to simplified goes by single characters (OpenCC's table), so lengths stay and
    發 and 髮 become the same 发. Idempotent; never raises, lone surrogates are left out.
    """
    if _is_plain(text):
        return text.lower()
    return _normalised(text) if len(text) <= _REMEMBERED else fold(text).text


def fold(text: str) -> Folded:
    """`normalise(text)` with the place of each of its characters in the original."""
    if _is_plain(text):
        return Folded(text.lower(), list(range(len(text))), list(range(1, len(text) + 1)))
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, folded in _clusters(text):
        for char in folded:
            if char.isspace():
                if not out:
                    continue
                if out[-1] == " ":
                    ends[-1] = end
                    continue
                char = " "
            out.append(char)
            starts.append(start)
            ends.append(end)
    kept = len(out) - (out[-1:] == [" "])
    return Folded("".join(out[:kept]), starts[:kept], ends[:kept])


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and text == text.strip() and "  " not in text


@lru_cache(maxsize=4096)
def _normalised(text: str) -> str:
    return fold(text).text


def same(a: str, b: str) -> bool:
    """Equal but for width, case, script, invisible characters and closing punctuation."""
    left, right = normalise(a), normalise(b)
    bare = left.rstrip(_TERMINAL + " ")
    return left == right or (bare != "" and bare == right.rstrip(_TERMINAL + " "))


def key(text: str) -> str:
    """The comparable form of an entity, attribute or value.

    Closing punctuation and quotes or brackets around the whole go; signs that belong to a name
    or a value stay (C++, C#, .NET, 50%, -5, @name). What is nothing but punctuation is kept.
    """
    result = normalise(text)
    while True:
        bare = result.rstrip(_TRAILING + " ").lstrip(_LEADING + " ")
        if len(bare) > 2 and _PAIRS.get(bare[0]) == bare[-1]:
            inside = bare[1:-1]
            if bare[0] not in inside and bare[-1] not in inside:
                bare = inside.strip()
        if not bare or bare == result:
            return result
        result = bare


def visible(text: str) -> str:
    """`text` without the characters that nobody sees: zero-width, bidi marks, controls."""
    if text.isascii() and text.isprintable():
        return text
    hidden = {char for char in set(text) if _role(char) == "hidden"}
    return "".join(char for char in text if char not in hidden) if hidden else text


def simplified(text: str) -> str:
    """Traditional Chinese characters as simplified ones, one for one."""
    return text.translate(_simplified())


_CONTROLS = re.compile(r"[\x01-\x08\x0b-\x1f]")


def clean(text: str, limit: int) -> str:
    """What may be stored: `text` without control characters (newline and tab stay).

    Raises `UnstorableText` on half a surrogate pair, a NUL, or more than `limit` characters.
    """
    if len(text) > limit:
        raise UnstorableText("too_long")
    if "\0" in text:
        raise UnstorableText("nul")
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        raise UnstorableText("lone_surrogate")
    return _CONTROLS.sub("", text)


def _clusters(text: str):
    """(start, end, folded) of a letter with its marks, or of a space.

    Composition never crosses the border of such a cluster, so each is folded alone.
    """
    start = end = visible = 0
    for i, char in enumerate(text):
        role = _role(char)
        if role == "hidden":
            continue
        joins = (role == "mark" and visible) or (role == "jamo" and 0 < visible < 3)
        if not joins:
            if visible:
                yield start, end, _folded(text[start:end])
            start, visible = i, 0
        if role == "space":
            yield i, i + 1, " "
        else:
            visible, end = visible + 1, i + 1
    if visible:
        yield start, end, _folded(text[start:end])


@lru_cache(maxsize=16384)
def _role(char: str) -> str:
    if char.isspace():
        return "space"
    if _hidden(char):
        return "hidden"
    first = unicodedata.normalize("NFKD", char)[0]
    if "\u1160" <= first <= "\u11ff":
        return "jamo"
    return "mark" if unicodedata.category(first)[0] == "M" else "letter"


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in {"Cf", "Cc", "Cs"} or ord(char) in _IGNORABLE


@lru_cache(maxsize=16384)
def _folded(cluster: str) -> str:
    table = _simplified()
    while True:
        seen = cluster
        shown = [char for char in cluster if char.isspace() or not _hidden(char)]
        cluster = unicodedata.normalize("NFKC", "".join(shown[:_CLUSTER]))
        # Case folding can undo NFKC and the other way round, so both until nothing moves.
        cluster = cluster.casefold().translate(table)
        if cluster == seen:
            return cluster


@cache
def _simplified() -> dict[int, str]:
    """OpenCC's t2s for each single character, as a table (4,700 entries, built in 45 ms)."""
    chars = [chr(code) for block in _HAN for code in block]
    convert = OpenCC("t2s").convert
    pairs = zip(chars, convert("\n".join(chars)).split("\n"), strict=True)
    changed = {a: b for a, b in pairs if a != b}
    return {ord(a): changed.get(b, b) for a, b in changed.items()}
