"""The one analyser: what the index holds, what a question asks, what is highlighted.

On short Chinese facts words alone miss what the dictionary cuts elsewhere, and bigrams alone
match by accident: words decide, and each Chinese word of a question may also be found as the
same characters in a row. No term holds a space, a double quote, a NUL or "~".
"""

import importlib.util
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from .atoms import Atom, atoms
from .language import language
from .normalise import fold
from .patterns import DENSE_RUN
from .stopwords import STOPWORDS

CHARACTERS, TERMS = 512, 24
# Also names when they are not at their usual place: A 型号, IT 部门, US.
_NAMES_TOO = {"a", "it", "us", "i"}
_NUMERIC = {"number", "quantity", "date"}
_QUOTED = re.compile(r'"([^"]+)"|“([^“”]+)”|「([^「」]+)」|『([^『』]+)』')


def _version() -> str:
    found = importlib.util.find_spec("jieba")
    dictionary = Path(found.origin).with_name("dict.txt").stat().st_size
    parts = [f"{name}{version(name)}" for name in ("jieba", "opencc", "snowballstemmer")]
    return "-".join(["1", *parts, f"dict{dictionary}", f"unicode{unicodedata.unidata_version}"])


# Names the analyser's rules, its libraries and their tables: an index made under another
# version is stale. Raise the leading number when a rule changes a term.
VERSION = _version()


@dataclass(frozen=True)
class Term:
    """`kind`: word, latin, id, number, quantity, date or char. `start:end` is the place in the
    original string."""

    text: str
    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class IndexTerms:
    """`words`: all terms in order, repeats included. `bigrams`: of each run of Chinese
    characters its pairs in order, then its last character, so that a row of pairs never
    reaches over two runs and one character is a prefix of some bigram."""

    words: list[str]
    bigrams: list[str]


@dataclass(frozen=True)
class QueryTerm:
    """A term of a question. It is found as `text`, or as one of `also` (other spellings), or as
    `bigrams` in a row, or as a bigram that starts with `prefix`."""

    text: str
    kind: str
    required: bool
    start: int
    end: int
    bigrams: tuple[str, ...] = ()
    prefix: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Query:
    """`dropped`: pairs of text and reason ("stop-word", "symbol"). `truncated`: the question
    was longer than 512 characters or had more than 24 terms."""

    terms: tuple[QueryTerm, ...]
    dropped: tuple[tuple[str, str], ...]
    truncated: bool


def analyse(text: str) -> list[Term]:
    """All terms of a text, as the index holds them, with their places in it."""
    folded = fold(text)
    return [
        Term(atom.text, atom.kind, folded.starts[atom.start], folded.ends[atom.end - 1])
        for atom in atoms(folded.text)
    ]


def index_terms(text: str) -> IndexTerms:
    """What the index holds for a text. Texts up to 8,000 characters are remembered a while, so
    a writer can analyse before it takes a lock."""
    words, pairs = _remembered(text) if len(text) <= 8000 else _terms(text)
    return IndexTerms(list(words), list(pairs))


def query_terms(text: str) -> Query:
    """What a question asks for.

    Required: ids, addresses, versions, names with @, words in double quotes; in a question of
    numbers only, each number as it is written. All else may be there. Stop-words go unless
    nothing else is left.
    """
    folded = fold(text[:CHARACTERS])
    asked = [atom for atom in atoms(folded.text) if atom.role != "index"]
    if not asked:
        symbols = text[:CHARACTERS].strip()
        dropped = ((symbols, "symbol"),) if folded.text else ()
        return Query((), dropped, len(text) > CHARACTERS)
    chinese = language(text[:CHARACTERS]) == "zh"

    def place(atom: Atom) -> tuple[int, int]:
        return folded.starts[atom.start], folded.ends[atom.end - 1]

    stops = [a for a in asked if _is_stop(a, folded.text, text[slice(*place(a))], chinese)]
    kept = [atom for atom in asked if atom not in stops] or asked
    dropped = tuple((text[slice(*place(a))], "stop-word") for a in stops) if kept != asked else ()
    quotes = [match.span() for match in _QUOTED.finditer(folded.text)]
    main = [atom for atom in kept if atom.role == "main"]
    numbers_only = all(atom.kind in _NUMERIC for atom in main)
    terms: dict[str, QueryTerm] = {}
    for atom in _joined_singles(kept):
        if atom.role == "also":
            continue
        required = atom.role == "main" and (
            numbers_only
            or atom.kind == "id"
            or any(a <= atom.start and atom.end <= b for a, b in quotes)
        )
        term = _query_term(atom, required, *place(atom), _also(atom, kept, numbers_only))
        known = terms.setdefault(term.text, term)
        if required and not known.required:
            terms[term.text] = replace(known, required=True)
    chosen = _first(list(terms.values()))
    return Query(chosen, dropped, len(text) > CHARACTERS or len(chosen) < len(terms))


@lru_cache(maxsize=128)
def _remembered(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _terms(text)


def _terms(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    folded = fold(text).text
    words = tuple(atom.text for atom in atoms(folded))
    runs = (match[0] for match in DENSE_RUN.finditer(folded))
    return words, tuple(pair for run in runs for pair in [*_pairs(run), run[-1]])


def _pairs(run: str) -> Iterator[str]:
    return (run[i : i + 2] for i in range(len(run) - 1))


def _is_stop(atom: Atom, folded: str, original: str, chinese: bool) -> bool:
    raw = folded[atom.start : atom.end]
    if atom.kind == "latin":
        raw = raw.replace("’", "'").split("'")[0]
        if raw in _NAMES_TOO:
            usual = not original.isupper() or raw == "i" or (raw == "a" and atom.start == 0)
            return usual and not chinese
    return atom.kind in {"latin", "word", "char"} and raw in STOPWORDS


def _joined_singles(kept: list[Atom]) -> list[Atom]:
    """Single characters in a row are a word that the dictionary does not know (曼|婷)."""
    result: list[Atom] = []
    for atom in kept:
        last = result[-1] if result else None
        if atom.kind == "char" and last and last.end == atom.start and last.kind in _OPEN:
            result[-1] = Atom(last.text + atom.text, "unknown", last.start, atom.end)
        else:
            result.append(atom)
    return result


_OPEN = {"char", "unknown"}


def _also(atom: Atom, kept: list[Atom], numbers_only: bool) -> tuple[str, ...]:
    if atom.kind == "number" and atom.role == "main":
        return tuple(other.text for other in kept if other.role == "also" and other.end == atom.end)
    if atom.kind == "quantity" and not numbers_only:
        inside = (a for a in kept if atom.start <= a.start and a.end <= atom.end)
        return tuple(a.text for a in inside if a.kind == "number")
    return ()


def _query_term(
    atom: Atom, required: bool, start: int, end: int, also: tuple[str, ...]
) -> QueryTerm:
    kind = "word" if atom.kind == "unknown" else atom.kind
    bigrams = tuple(_pairs(atom.text)) if kind == "word" else ()
    prefix = atom.text if kind == "char" else None
    return QueryTerm(atom.text, kind, required, start, end, bigrams, prefix, also)


def _first(terms: list[QueryTerm]) -> tuple[QueryTerm, ...]:
    """The first 24, but required ones before others."""
    by_need = sorted(terms, key=lambda term: not term.required)
    chosen = set(by_need[:TERMS])
    return tuple(term for term in terms if term in chosen)
