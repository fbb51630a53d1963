"""The three moves that may change a question before it is searched; otherwise it goes as given.

A question that points back ("is that batch still there?") finds nothing by its own words. Worse
than such a miss is a question that was turned into another one: each rule here asks that nothing
else can be meant, and every move is kept for the record.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from memory.text.atoms import atoms
from memory.text.language import language
from memory.text.normalise import Folded, fold, key, normalise
from memory.text.segment import in_dictionary
from memory.text.stopwords import STOPWORDS

from . import rewrite_words as w
from .mentions import KNOWN, Mention, compact, mentions, name_key, places

__all__ = ["Mention", "Move", "Rewrite", "looks_back", "mentions", "rewrite"]

# Questions that lean on what was said before are short.
_LONGEST = 80
_DOMAIN_CHARACTERS = 512
_FITS = {
    "goods": {"thing", ""},
    "thing": {"thing", "organisation", ""},
    "organisation": {"organisation", ""},
    "person": {"person", "name"},
    "any": {"thing", "organisation", "person", "name", ""},
}
# A pronoun that says what it stands for passes over names that may be anything.
_SURELY = {"goods": "thing", "organisation": "organisation", "person": "person"}


@dataclass(frozen=True)
class Move:
    """`kind`: pronoun, qualifier or domain. `before` became `after`; for what is put in front
    `before` is empty."""

    kind: str
    before: str
    after: str
    because: str


@dataclass(frozen=True)
class Rewrite:
    """`used` is what is searched."""

    used: str
    moves: tuple[Move, ...] = ()


def looks_back(query: str) -> bool:
    """Whether a question may need the turns before it; where not, nobody need fetch them."""
    folded = fold(query[: _LONGEST + 1])
    if len(query) > _LONGEST:
        return False
    return _pronoun(folded, query) is not None or _elliptical(folded.text) is not None


def rewrite(
    query: str,
    *,
    recent: Sequence[Mention] = (),
    known: Iterable[str] = (),
) -> Rewrite:
    """The question as it is searched, and the moves that made it.

    A pronoun gives way to the entity of `recent`, or a question that names an attribute and
    nothing that has it gets the entity in front, only if the newest turn that names a fitting
    one names no other and the question names none itself (`known` are names that would be one).
    Asked whether goods are still there, it asks for their stock. Without `recent` the text never
    changes.
    """
    used, moves = query, []
    if recent and len(query) <= _LONGEST:
        used, moves = _moved(query, recent, known)
    return Rewrite(used, tuple(moves))


def _moved(query: str, recent: Sequence[Mention], known: Iterable[str]) -> tuple[str, list[Move]]:
    folded = fold(query)
    pronoun = _pronoun(folded, query)
    sort = pronoun.lastgroup if pronoun else _elliptical(folded.text)
    if sort is None:
        return query, []
    start, end = _span(folded, pronoun) if pronoun else (0, 0)
    left, before, right = query[:start], query[start:end], query[end:]
    named = [*(mention.entity for mention in recent), *islice(known, KNOWN)]
    mention = _meant(recent, sort)
    if mention is None or _names_one(f"{left} {right}", named, pronoun is not None):
        return query, []
    possessive = pronoun and w.POSSESSIVE.match(folded.text, pronoun.start())
    entity = mention.entity + ("'s" if possessive else "")
    because = f"the last turn to name one that fits names only {mention.entity}"
    moves = [Move("pronoun" if pronoun else "qualifier", before, entity, because)]
    if sort == "goods" or _sort(mention) == "thing":
        right, added = _with_stock(left, right)
        moves += added
    return _joined(left, entity, right), moves


def _pronoun(folded: Folded, query: str) -> re.Match | None:
    """The one pronoun of a question, with nothing before it that it might stand for."""
    place, text = 0, folded.text
    if not w.ASKS.search(text):
        return None
    while (match := w.PRONOUN.match(text, place)) is None:
        word = w.WORD.match(text, place)
        if word is None:
            return None
        place = word.end()
    # IT is a department.
    if query[slice(*_span(folded, match))] == "IT":
        return None
    other = w.PRONOUN.search(text, match.end())
    if w.NOBODY.search(text) or (other and other[0] != match[0]):
        return None
    return match


def _elliptical(text: str) -> str | None:
    """What is asked of, "goods" or "any", where an attribute is asked for and nothing that has
    it is named. A budget may be the speaker's own: such a question must go on from another."""
    place, groups = 0, set()
    while place < len(text):
        word = w.WORD.match(text, place)
        if word is None or word.lastgroup == "own":
            return None
        groups.add(word.lastgroup)
        place = word.end()
    goes_on = w.GOES_ON.search(text)
    if not (goes_on or "ask" in groups or text.endswith(("?", "吗", "没有", "没", "没有货"))):
        return None
    if "goods" in groups:
        return "goods"
    return "any" if goes_on and "any" in groups else None


def _names_one(rest: str, names: Iterable[str], with_pronoun: bool) -> bool:
    """Whether the question, without its pronoun, names an entity itself."""
    shown, folded = compact(rest), fold(rest)
    for name in map(name_key, names):
        # 预算 may be the name of an entity and still be what is asked of it.
        if name and places(name, shown) and not (with_pronoun and w.ATTRIBUTE.search(name)):
            return True
    if w.NAMED.search(folded.text):
        return True
    if any(atom.kind == "id" and atom.role == "main" for atom in atoms(folded.text)):
        return True
    chinese = language(rest) == "zh"
    for match in w.LATIN.finditer(folded.text):
        written = rest[slice(*_span(folded, match))]
        plain = w.CALENDAR.fullmatch(match[0]) or match[0] in STOPWORDS
        if plain or w.WORD.fullmatch(match[0]):
            continue
        if chinese or (match.start() > 0 and written[0].isupper()):
            return True
    return False


def _meant(recent: Sequence[Mention], sort: str) -> Mention | None:
    fitting = [
        mention
        for mention in recent
        if _sort(mention) in _FITS[sort] and not w.ATTRIBUTE.search(normalise(mention.entity))
    ]
    fitting = [mention for mention in fitting if _sort(mention) == _SURELY.get(sort)] or fitting
    newest = min((mention.turn for mention in fitting), default=0)
    there = {name_key(mention.entity): mention for mention in fitting if mention.turn == newest}
    return there.popitem()[1] if len(there) == 1 else None


def _sort(mention: Mention) -> str:
    """thing, organisation, person, name (may be a person's or not) or "" (unknown)."""
    name = normalise(mention.entity)
    if w.PERSON.search(name):
        return "person"
    if w.THING.search(name):
        return "thing"
    if w.ORGANISATION.search(name):
        return "organisation"
    chinese = w.CHINESE_NAME.fullmatch(name)
    # 高铁 has the form of a name, and the dictionary has some people too.
    if chinese and not in_dictionary(name):
        return "person"
    if key(mention.domain) in w.OF_THINGS:
        return "thing"
    return "name" if chinese or w.LATIN_NAME.fullmatch(mention.entity) else ""


def _with_stock(left: str, right: str) -> tuple[str, list[Move]]:
    """ "Is there still some?" of goods asks for their stock: what follows the name, with that
    word, and the move."""
    folded = fold(right)
    if match := w.STOCK.match(folded.text):
        start, end = _span(folded, match, "ask")
        before = right[start:end]
        after = f"{before} in stock" if before.isascii() else f"库存 {before}"
        right = right[:start] + after + right[end:]
    elif w.STILL_HAVE.search(normalise(left)) and not any(map(str.isalnum, right)):
        before, after = "", "in stock"
        right = after + right
    else:
        return right, []
    return right, [Move("qualifier", before, after, "asked of goods, this asks for their stock")]


def _joined(left: str, entity: str, right: str) -> str:
    """A space on both sides keeps the words around the entity what they were."""
    before = " " if left[-1:].isalnum() else ""
    return left + before + entity + (" " if right[:1].isalnum() else "") + right


def domain_move(text: str, domains: Sequence[str]) -> Move | None:
    """The move that adds the one domain that a word of the text names, in either language; None
    where none or many are named. It is a hint for the ranking and not a filter."""
    domain, word = _domain_named(text, domains)
    if not domain:
        return None
    return Move("domain", word, domain, f"“{word}” names the domain {domain}")


def _domain_named(text: str, domains: Sequence[str]) -> tuple[str, str]:
    if not domains:
        return "", ""
    folded = normalise(text[:_DOMAIN_CHARACTERS])
    names = {domain: [word for word in _names_of(domain) if word in folded] for domain in domains}
    if not any(names.values()):
        return "", ""
    words = {folded[atom.start : atom.end] for atom in atoms(folded)} - STOPWORDS
    found = []
    for domain, same in names.items():
        found += [(domain, word) for word in same if word in words][:1]
    return found[0] if len(found) == 1 else ("", "")


@lru_cache(maxsize=1024)
def _names_of(domain: str) -> tuple[str, ...]:
    """A domain's name and the words that mean the same."""
    name = key(domain)
    return tuple(sorted({name}.union(*(group for group in w.DOMAINS if name in group))))


def _span(folded: Folded, match: re.Match, group: str | int = 0) -> tuple[int, int]:
    """Where in the original a match in its folded text stands."""
    start, end = match.span(group)
    return folded.starts[start], folded.ends[end - 1]
