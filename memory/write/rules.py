"""What rules alone read out of a turn: the value gate, then the statements that it makes."""

from collections.abc import Iterator
from dataclasses import dataclass

from memory.models import TurnRole
from memory.text.sentences import Piece, clauses, sentences

from .extract import Extracted, extract
from .gate import Worth, worth
from .proposal import TEXT_LIMIT
from .reading import MOST_ITEMS, Item

# What is longer is a document; its beginning is read, in about a third of a second.
_READ = 20_000
# A clause without its sentence has to say more for itself.
_SURE = 0.6


@dataclass(frozen=True)
class Sifted:
    """`items`, in order, each a piece of the turn word for word; without any, `reason` is the
    gate's rule for leaving it."""

    items: tuple[Item, ...]
    reason: str = ""


def sift(content: str, role: str = TurnRole.USER) -> Sifted:
    """The memories in a turn's first 20,000 characters, at most `MOST_ITEMS`. Never raises.

    A sentence that is worth remembering gives the statements that it makes, or is kept whole
    where it makes none. What an assistant or a tool said gives nothing.
    """
    if role != TurnRole.USER:
        return Sifted((), worth(content, role).rule)
    content = content[:_READ]
    found = extract(content)
    items: list[Item] = []
    for sentence in sentences(content):
        items += _of_sentence(content, sentence, found)
        if len(items) >= MOST_ITEMS:
            break
    if items:
        return Sifted(tuple(items[:MOST_ITEMS]))
    verdict = worth(content)
    return Sifted((), "nothing" if verdict.keep else verdict.rule)


def whole(content: str) -> Item:
    """A turn kept as it stands."""
    return Item("", content, 0.0, quote=content)


def _of_sentence(content: str, sentence: Piece, found: list[Extracted]) -> Iterator[Item]:
    made = [one for one in found if sentence.start <= one.start < sentence.end]
    verdict = _verdict(sentence)
    # The statement itself says what the gate did not see: that there is something to it.
    if made and (verdict.keep or verdict.rule == "nothing"):
        told = [(one.start, _item(one)) for one in made]
        told += [(clause.start, item) for clause, item in _besides(content, sentence, made)]
        yield from (item for _, item in sorted(told, key=lambda pair: pair[0]))
    elif verdict.keep:
        yield _plain(sentence, verdict)


def _besides(content: str, sentence: Piece, made: list[Extracted]) -> Iterator[tuple[Piece, Item]]:
    """The clauses beside those that made a statement, where they are surely worth it."""
    for clause in clauses(content, sentence):
        if all(one.end <= clause.start or clause.end <= one.start for one in made):
            verdict = _verdict(clause)
            if verdict.keep and verdict.confidence >= _SURE:
                yield clause, _plain(clause, verdict)


def _verdict(piece: Piece) -> Worth:
    return worth(piece.text + "?" * piece.asks)


def _plain(piece: Piece, verdict: Worth) -> Item:
    text = piece.text[:TEXT_LIMIT]
    return Item(verdict.kind, text, verdict.confidence, quote=text)


def _item(one: Extracted) -> Item:
    return Item(one.kind, one.text, 0.0, one.entity, one.attribute, one.value, quote=one.text)
