"""What changed between two texts, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from . import segment
from .patterns import DENSE

# Pairs of tokens that difflib may have to look at: 4 million take about a second.
_PAIRS = 4_000_000
_TOKEN = re.compile(
    rf"(?P<dense>[{DENSE}]+)|[0-9]+(?:[.,:][0-9]+)*|(?:(?![{DENSE}0-9_])\w)+|\s+|.", re.DOTALL
)


@dataclass(frozen=True)
class Piece:
    """`op` is "same", "del" (only in the old text) or "add" (only in the new one)."""

    op: str
    text: str


def word_diff(old: str, new: str) -> list[Piece]:
    """The way from `old` to `new`: "same" and "del" pieces join to `old`, "same" and "add" to
    `new`. A number or a word is replaced whole. Long texts that differ in thousands of words
    come as one "del" and one "add" between what they begin and end with alike.
    """
    a, b = _tokens(old), _tokens(new)
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    pieces = [Piece("same", "".join(a[:head]))]
    pieces += _middle(a[head : len(a) - tail], b[head : len(b) - tail])
    pieces.append(Piece("same", "".join(a[len(a) - tail :])))
    return _merged(pieces)


def _middle(a: list[str], b: list[str]) -> list[Piece]:
    if len(a) * len(b) > _PAIRS:
        return [Piece("del", "".join(a)), Piece("add", "".join(b))]
    pieces = []
    for op, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if op == "equal":
            pieces.append(Piece("same", "".join(a[i:j])))
        else:
            pieces += [Piece("del", "".join(a[i:j])), Piece("add", "".join(b[k:m]))]
    return pieces


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        tokens += segment.cut(match[0]) if match["dense"] else [match[0]]
    return tokens


def _common(a: list[str], b: list[str]) -> int:
    count = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        count += 1
    return count


def _merged(pieces: list[Piece]) -> list[Piece]:
    merged: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        if merged and merged[-1].op == piece.op:
            piece = Piece(piece.op, merged.pop().text + piece.text)
        merged.append(piece)
    return merged
