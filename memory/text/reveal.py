"""What a reader would not see in a text, or would take for something else: characters without a
shape, orders to the writing direction, private use, letters of another script that look Latin."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

# Categories Cc, Cf and Co, line separators, noncharacters, and letters or selectors drawn as
# nothing. Newline, tab and return stay, and so do the number signs of Arabic, which are visible.
_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
)
_CYRILLIC_OR_GREEK = "\u0370-\u03ff\u0400-\u052f"
# England, Scotland and Wales: the flags that are spelled in tag characters.
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in code) + "\U000e007f"
    for code in ("gbeng", "gbsct", "gbwls")
)
_FOUND = re.compile(f"{'|'.join(_FLAGS)}|[{_HIDDEN}]")
_MAY_BE_ODD = re.compile(f"[{_HIDDEN}{_CYRILLIC_OR_GREEK}]")
_WORD = re.compile(rf"[A-Za-z{_CYRILLIC_OR_GREEK}]{{3,}}")
# Letters that no eye tells apart in most faces, after Unicode's confusables (UTS #39).
_LATIN_LOOKS = frozenset("аеорсухіјѕԁԛԝһӏѵАВЕЅІЈКМНОРСТУХԌԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναιρυ")
_LOOKED_LIKE = frozenset("aeopcyxijsdqwhlvABESIJKMHOPCTYXGWZNouv")
# Scripts that join their letters, in which ZWJ and ZWNJ spell words: Arabic and its neighbours,
# the scripts of India, Tibetan, Myanmar, Khmer, Mongolian.
_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1cff\ua800-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc]"
)
_JAMO = re.compile("[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]")
_PICTURE_BASES = frozenset("‼⁉〰")
_SKIN = range(0x1F3FB, 0x1F400)
_ZWNJ, _ZWJ, _TEXT_STYLE, _PICTURE_STYLE, _KEYCAP = "\u200c", "\u200d", "\ufe0e", "\ufe0f", "\u20e3"
_RUN_SHOWN = 3


@dataclass(frozen=True)
class Oddity:
    """A place in a text: "hidden" for what has no shape, "lookalike" for a letter that does.
    `label` is its number ("U+202E"), `name` what Unicode calls it."""

    start: int
    end: int
    kind: str
    label: str
    name: str


def oddities(text: str) -> list[Oddity]:
    """Every such place, in order. Joiners where they spell a word or an emoji are none."""
    if text.isascii() and text.isprintable():
        return []
    return sorted([*_hidden(text), *_lookalikes(text)], key=lambda odd: odd.start)


def may_be_odd(text: str) -> bool:
    """A quick look, for long texts: False is certain, True is not."""
    return bool(_MAY_BE_ODD.search(text))


def _hidden(text: str) -> Iterator[Oddity]:
    places = [
        match.start()
        for match in _FOUND.finditer(text)
        if match.end() == match.start() + 1 and not _is_meant(text, match.start())
    ]
    for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0]):
        yield from _told([place for _, place in run], text)


def _told(places: list[int], text: str) -> Iterator[Oddity]:
    """A run of hidden characters: each by itself, a long one as one."""
    first, end, run = places[0], places[-1] + 1, text[places[0] : places[-1] + 1]
    if all(0xE0020 <= ord(char) <= 0xE007E for char in run):
        said = "".join(chr(ord(char) - 0xE0000) for char in run)
        yield Oddity(first, end, "hidden", f"{_number(run[0])}… “{said}”", "TAG CHARACTERS")
    elif len(run) <= _RUN_SHOWN:
        for place in places:
            char = text[place]
            yield Oddity(place, place + 1, "hidden", _number(char), _name(char))
    else:
        more = "" if len(set(run)) == 1 else "…"
        yield Oddity(first, end, "hidden", f"{_number(run[0])}{more} ×{len(run)}", _name(run[0]))


def _lookalikes(text: str) -> Iterator[Oddity]:
    for match in _WORD.finditer(text):
        latin = sum(char.isascii() for char in match[0])
        if not 0 < latin < len(match[0]):
            continue
        # The few among the many are the odd ones.
        odd = _LATIN_LOOKS if latin * 2 >= len(match[0]) else _LOOKED_LIKE
        for place, char in enumerate(match[0], match.start()):
            if char in odd:
                yield Oddity(place, place + 1, "lookalike", _number(char), _name(char))


def _is_meant(text: str, at: int) -> bool:
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char in (_ZWJ, _ZWNJ):
        return _joins(char, before, after)
    if char in (_PICTURE_STYLE, _TEXT_STYLE):
        return _is_picture(before) or (after == _KEYCAP and before in frozenset("0123456789#*"))
    if "\ufe00" <= char <= "\ufe0d" or "\U000e0100" <= char <= "\U000e01ef":
        return bool(_HAN.match(before)) or (before != "" and unicodedata.category(before) == "Sm")
    if "\u180b" <= char <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    if char in "\u115f\u1160":
        return bool(_JAMO.match(before) or _JAMO.match(after))
    return False


def _joins(char: str, before: str, after: str) -> bool:
    if char == _ZWJ and _is_picture(after):
        return _is_picture(before) or before == _PICTURE_STYLE
    if not _JOINING.match(before):
        return False
    return bool(_JOINING.match(after)) or unicodedata.combining(before) == 9


def _is_picture(char: str) -> bool:
    return char != "" and (
        unicodedata.category(char) in ("So", "Sm") or char in _PICTURE_BASES or ord(char) in _SKIN
    )


def _number(char: str) -> str:
    return f"U+{ord(char):04X}"


def _name(char: str) -> str:
    kind = {"Cc": "CONTROL CHARACTER", "Co": "PRIVATE USE"}.get(unicodedata.category(char), "")
    return unicodedata.name(char, kind or "NOT A CHARACTER")
