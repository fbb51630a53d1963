"""The words of a memory that is erased: where a text holds them, and blotting them out.

They are what its versions say, quote and have for a value, and each sentence of a longer text. In
what belongs to the memory (its evidence, recalls that found it, corrections of it) every one of
them goes. Anywhere else only those that tell by themselves whose they are, for a "1200" or a
"Shanghai" in another sentence is another fact: six digits in a row; five Chinese characters;
digits beside letters, of eight characters with a Chinese one counted twice; or two words and
more, of ten.
"""

import re
from collections.abc import Iterable
from typing import Any

from memory.models import Memory
from memory.text.normalise import fold, key
from memory.text.sentences import sentences

BLOT = "█"
_HAN = re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]")
_DIGITS = re.compile(r"\d{6}")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_ASCII_WORD = re.compile(r"[a-z0-9]")


def blank(text: str) -> str:
    """All of a text blotted out; blanks and line ends stay."""
    return re.sub(r"\S", BLOT, text)


def tells_by_itself(phrase: str) -> bool:
    """Whether normalised words are so particular that they stand for one fact wherever a person
    says them; the rule is at the head of this module."""
    han = len(_HAN.findall(phrase))
    words = _WORD.findall(phrase)
    weight = sum(map(len, words)) + han
    digits = sum(word.isdigit() for word in words)
    return bool(
        _DIGITS.search(phrase)
        or han >= 5
        or (0 < digits < len(words) and weight >= 8)
        or (len(words) >= 2 and weight >= 10)
    )


class Words:
    """`all` and `telling` phrases, normalised, longest first."""

    def __init__(self, phrases: Iterable[str]):
        # One character is in half of all texts.
        found = {key(phrase) for phrase in phrases}
        self.all = tuple(sorted((p for p in found if len(p) > 1), key=lambda p: (-len(p), p)))
        self.telling = tuple(filter(tells_by_itself, self.all))

    @classmethod
    def of(cls, memories: Iterable[Memory]) -> "Words":
        phrases: list[str] = []
        for row in memories:
            phrases += [row.text, row.value, row.quote, row.summary]
            phrases += [piece.text for piece in sentences(row.text)]
        return cls(phrases)

    def holds(self, text: str, *, own: bool = False) -> bool:
        """Whether a text says any of them; `own`: it belongs to the memory."""
        return bool(text) and any(True for _ in _places(text, self.all if own else self.telling))

    def blotted(self, text: str, *, own: bool = False) -> str:
        """The text with them blotted out, character for character, so that places in it stay."""
        if not text:
            return text
        chars = None
        for start, end in _places(text, self.all if own else self.telling):
            chars = chars or list(text)
            chars[start:end] = blank(text[start:end])
        return "".join(chars) if chars else text

    def blotted_json(self, value: Any, *, own: bool = False) -> Any:
        """The same for every text in a JSON value, names among them."""
        if isinstance(value, str):
            return self.blotted(value, own=own)
        if isinstance(value, list):
            return [self.blotted_json(item, own=own) for item in value]
        if isinstance(value, dict):
            return {
                self.blotted(name, own=own): self.blotted_json(item, own=own)
                for name, item in value.items()
            }
        return value


def _places(text: str, phrases: tuple[str, ...]):
    """Where the phrases stand in a text, as spans of it. A phrase that begins or ends with a Latin
    letter or a digit is not found within a longer word: 800 is not in 8000."""
    if not phrases:
        return
    folded = fold(text)
    for phrase in phrases:
        at = folded.text.find(phrase)
        while at >= 0:
            end = at + len(phrase)
            if not (_joined(folded.text, at) or _joined(folded.text, end)):
                yield folded.starts[at], folded.ends[end - 1]
            at = folded.text.find(phrase, at + 1)


def _joined(text: str, at: int) -> bool:
    return 0 < at < len(text) and bool(
        _ASCII_WORD.match(text[at - 1]) and _ASCII_WORD.match(text[at])
    )
