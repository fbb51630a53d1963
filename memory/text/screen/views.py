"""A text as the detectors read it, each character with its place in the original.

`plain` is what a person sees: nothing invisible, width and compatibility forms resolved, case
kept (a key is told by its case). `folded` is for words: lower case, simplified, without accents,
look-alikes of Latin letters as those. `squeezed` is `folded` without tags, spaces and signs, and
with digits that stand for letters, so that "i g n o r e" and "1gn0re" read as one word.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory.text.normalise import simplified, visible

# Cyrillic, Greek and Armenian letters that pass for Latin ones (from UTS #39's confusables).
_PAIRS = (
    "аa еe оo рp сc уy хx іi јj ѕs ԁd һh ӏl ԛq ԝw вb кk мm нh тt αa οo εe ρp τt υu νv ιi κk χx ցg "
    "ոn սu"
)
_LOOK_ALIKE = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}
_LEET = str.maketrans("013457@$", "oieastas")
# Characters that a table keeps; text of the world's scripts has some thousands.
_MET = 65_536
_TAG = re.compile(r"<[^<>]{0,300}>")
_SIGN = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class View:
    """Character i came from `original[starts[i]:ends[i]]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` (not empty) stands in the original."""
        return self.starts[start], self.ends[end - 1]


class Views:
    """The views of one text, each made when it is first asked for."""

    def __init__(self, original: str):
        self.original = original

    @cached_property
    def plain(self) -> View:
        return _as_it_is(self.original) or _mapped(self.original, _PLAIN)

    @cached_property
    def folded(self) -> View:
        return _as_it_is(self.original, str.lower) or _mapped(self.original, _FOLDED)

    @cached_property
    def lowered(self) -> str:
        """`plain.text` in lower case, in the same places."""
        # Of all characters only this one gets longer.
        return self.plain.text.replace("İ", "I").lower()

    @cached_property
    def letters(self) -> str:
        """The text of `squeezed`, which costs far less than its places."""
        return _SIGN.sub(_kept, _TAG.sub("", self.folded.text)).translate(_LEET)

    @cached_property
    def squeezed(self) -> View:
        folded = self.folded
        text, starts, ends = _without(_TAG, folded.text, folded.starts, folded.ends)
        text, starts, ends = _without(_SIGN, text, starts, ends)
        return View(text.translate(_LEET), starts, ends)


def occurrences(text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    """(start, end) wherever one of `words` stands in a text, Latin ones not inside a word."""
    for word in [word for word in words if word in text]:
        place, end = text.find(word), 0
        while place >= 0:
            end = place + len(word)
            if not (_latin(word[0]) and place and _latin(text[place - 1])):
                yield place, end
            place = text.find(word, place + 1)


def _latin(char: str) -> bool:
    return "a" <= char <= "z"


def _as_it_is(original: str, form: Callable[[str], str] = str) -> View | None:
    """The view of a text that is seen as it stands, None of any other."""
    if not (original.isascii() and original.isprintable()):
        return None
    return View(form(original), range(len(original)), range(1, len(original) + 1))


def _mapped(original: str, table: "_Table") -> View:
    text = original.translate(table)
    if table.uneven.isdisjoint(original):
        return View(text, range(len(original)), range(1, len(original) + 1))
    places = [i for i, char in enumerate(original) for _ in table[ord(char)]]
    return View(text, places, [i + 1 for i in places])


class _Table(dict[int, str]):
    """What `str.translate` puts for each character, worked out when it is first met: nothing for
    what nobody sees. `uneven` holds those that do not become one character."""

    def __init__(self, form: Callable[[str], str]):
        self._form = form
        self.uneven: set[str] = set()

    def __missing__(self, code: int) -> str:
        if len(self) >= _MET:
            self.clear()
        char = chr(code)
        formed = self._form(char) if visible(char) else ""
        if len(formed) != 1:
            self.uneven.add(char)
        self[code] = formed
        return formed


def _without(pattern: re.Pattern, text: str, starts: list[int], ends: list[int]):
    kept, place = [], 0
    for match in pattern.finditer(text):
        if _kept(match):
            continue
        kept.append(slice(place, match.start()))
        place = match.end()
    kept.append(slice(place, len(text)))
    return (
        "".join(text[part] for part in kept),
        [i for part in kept for i in starts[part]],
        [i for part in kept for i in ends[part]],
    )


def _kept(match: re.Match) -> str:
    # Inside a word these two stand for a letter.
    return match[0] if match[0] in ("@", "$") else ""


def _plain(char: str) -> str:
    return unicodedata.normalize("NFKC", char)


def _folded(char: str) -> str:
    parts = unicodedata.normalize("NFKD", char)
    shown = "".join(part for part in parts if not unicodedata.combining(part))
    return simplified(unicodedata.normalize("NFKC", shown.casefold())).translate(_LOOK_ALIKE)


_PLAIN, _FOLDED = _Table(_plain), _Table(_folded)
