"""Sentences and clauses of a text, with their places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Neither 1,200 nor 3.5 nor 15:30 nor Dr. Li ends anything.
_SENTENCE = re.compile(
    r"[。！？!?…\n\r]+[”」』\"')）]*|[;；]+|(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!\bMrs)(?<!\bNo)"
    r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)\.{1,3}(?=[\s\"'”)]|$)|\.(?=[\u4e00-\u9fff])"
)
_CLAUSE = re.compile(
    r"，|,(?![0-9]{3}(?![0-9]))|(?<![0-9])：|：(?![0-9])|:(?![0-9/])| [-–—]{1,2} |——"
)


@dataclass(frozen=True)
class Piece:
    """`text` is `original[start:end]` without blanks around it; `asks` when a question mark
    ends its sentence."""

    text: str
    start: int
    end: int
    asks: bool = False


def sentences(text: str) -> Iterator[Piece]:
    """The sentences of a text in order. Never raises."""
    place = 0
    for match in _SENTENCE.finditer(text):
        yield from _piece(text, place, match.start(), "?" in match[0] or "？" in match[0])
        place = match.end()
    yield from _piece(text, place, len(text), False)


def clauses(text: str, sentence: Piece) -> Iterator[Piece]:
    """The clauses of a sentence: what commas, colons and dashes divide."""
    place = sentence.start
    for match in _CLAUSE.finditer(text, sentence.start, sentence.end):
        yield from _piece(text, place, match.start(), False)
        place = match.end()
    yield from _piece(text, place, sentence.end, sentence.asks)


def _piece(text: str, start: int, end: int, asks: bool) -> Iterator[Piece]:
    part = text[start:end]
    bare = part.strip(" \t\u3000\"'“”「」")
    if bare:
        start += part.index(bare)
        yield Piece(bare, start, start + len(bare), asks)
