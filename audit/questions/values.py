"""Whether a value stands in a sentence: the same amount, date or id in whatever spelling, or the
same words as whole words."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from memory.recall.mentions import compact, places
from memory.text import similar_words as w
from memory.text.atoms import Atom, atoms
from memory.text.normalise import key
from memory.text.numerals import han_number, in_figures, spelt_out
from memory.text.patterns import DENSE_RUN
from memory.text.tagging import UNKNOWN, tagged

_THOUSANDS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
_PERCENT = re.compile(r"百分之(?:([0-9]+(?:\.[0-9]+)?)|([零一二两三四五六七八九十百]+))")
_AMOUNT = re.compile(r"([$€£]?)(-?[0-9]+(?:\.[0-9]+)?)(.*)", re.DOTALL)
# As the atoms spell a currency that is named after its number.
_CURRENCIES = {"美元": "$", "美金": "$", "欧元": "€", "英镑": "£"}
_CLAUSE = re.compile(
    r"[。！？!?；;，…\n]|,(?![0-9]{3})|\.(?=\s|$)|但是?|\bbut\b|\bhowever\b|\bwhile\b"
)
_WORDS = re.compile(r"[a-z]+(?:['’][a-z]+)?")
_DENYING = frozenset("不没未勿")
_HOUR = re.compile(r"([0-9]+):00\Z")


@dataclass(frozen=True)
class _Reading:
    """`plain`: the words, `figured`: the same with numbers in figures. `amounts`: numbers with
    their units, "" for none; `dates`: parts of dates and times with their places; `ids`."""

    plain: str
    figured: str
    amounts: frozenset[tuple[Decimal, str]]
    dates: tuple[tuple[str, int, int], ...]
    ids: frozenset[str]
    parts: tuple[Atom, ...]
    length: int


def holds(text: str, value: str) -> bool:
    """Whether `value` stands in `text`.

    A number is compared as a number and by its unit where both name one: 1,200, 1200元 and 一千二
    are equal, 11200 and 1200% are not. Ids and dates are whole: ABC-1234 is not in ABC-12345.
    All else are the same characters after the one normaliser; letters and digits of any script
    but the Chinese end where a word ends.
    """
    wanted, said = _read(key(value)), _read(text)
    main = [atom for atom in wanted.parts if atom.role == "main"]
    if len(main) == 1 and main[0].kind in ("number", "quantity") and _is_whole(main[0], wanted):
        return any(_equal(amount, other) for amount in wanted.amounts for other in said.amounts)
    if len(main) == 1 and main[0].kind == "id" and _is_whole(main[0], wanted):
        return main[0].text in said.ids
    if main and all(atom.kind == "date" for atom in main) and _are_whole(main, wanted):
        return _has_date(said, [_hour(atom.text) for atom in main])
    if any(atom.role == "also" and _is_whole(atom, wanted) for atom in wanted.parts):
        spelt = {atom.text for atom in wanted.parts if atom.role == "also"}
        if spelt & said.ids:
            return True
    if not any(map(str.isalnum, wanted.plain)):
        return False
    return bool(places(wanted.plain, said.plain) or places(wanted.figured, said.figured))


def clauses(text: str) -> list[str]:
    """A sentence in parts that each say one thing, as far as signs and "but" tell."""
    return [part for part in _CLAUSE.split(text) if part.strip()]


def denials(text: str) -> int:
    """How many words of a text deny: 不, 没有, not, never, doesn't."""
    plain = compact(text)
    chinese = sum(_denies(*word) for run in DENSE_RUN.findall(plain) for word in tagged(run))
    english = (word.replace("’", "'") for word in _WORDS.findall(plain))
    return chinese + sum(word in w.NEGATING_EN or word.endswith("n't") for word in english)


def _denies(word: str, tag: str) -> bool:
    if word in w.NOT_NEGATING_ZH:
        return False
    # 从不, 也没; and what was cut wrongly beside a name: 赵总不喝.
    wrongly_cut = tag == UNKNOWN and any(char in _DENYING for char in word)
    return bool(w.NEGATING_ZH.match(word)) or word.endswith(("不", "没")) or wrongly_cut


@lru_cache(maxsize=4096)
def _read(text: str) -> _Reading:
    plain = _THOUSANDS.sub(lambda m: m[0].replace(",", ""), compact(text))
    figured = in_figures(_PERCENT.sub(_percent, plain))
    # Days are not looked at here: only the numbers and hours are wanted in figures.
    counted = w.UNIT.sub(_with_unit, spelt_out(figured)[0]).strip()
    parts = tuple(atoms(counted))
    return _Reading(
        plain,
        figured,
        frozenset(_amounts(parts)),
        tuple(_dates(parts)),
        frozenset(a.text for a in parts if a.kind == "id"),
        parts,
        len(counted),
    )


def _percent(match: re.Match) -> str:
    return f"{match[1] or han_number(match[2])}%"


def _with_unit(match: re.Match) -> str:
    unit = w.UNITS[match[2]]
    return f"{unit}{match[1]}" if unit in "$€" else f"{match[1]}{unit}"


def _amounts(parts: tuple[Atom, ...]) -> Iterator[tuple[Decimal, str]]:
    for atom in parts:
        found = _AMOUNT.fullmatch(atom.text)
        if found and (atom.kind == "quantity" or (atom.kind == "number" and atom.role == "main")):
            unit = found[1] or found[3]
            yield Decimal(found[2]), _CURRENCIES.get(unit, unit)


def _dates(parts: tuple[Atom, ...]) -> Iterator[tuple[str, int, int]]:
    """An hour with minutes is not also that hour: 3:30 is not 3点."""
    for atom in parts:
        is_part_of_hour = atom.role == "more" and atom.text.endswith("点")
        if atom.kind == "date" and not is_part_of_hour:
            yield _hour(atom.text), atom.start, atom.end


def _hour(text: str) -> str:
    found = _HOUR.match(text)
    return f"{found[1]}点" if found else text


def _has_date(said: _Reading, wanted: list[str]) -> bool:
    """The parts in a row, nothing between them but one sign."""
    found = said.dates
    for first in range(len(found) - len(wanted) + 1):
        row = found[first : first + len(wanted)]
        beside = all(b[1] - a[2] <= 1 for a, b in itertools.pairwise(row))
        if beside and [part[0] for part in row] == wanted:
            return True
    return False


def _equal(one: tuple[Decimal, str], other: tuple[Decimal, str]) -> bool:
    return one[0] == other[0] and (one[1] == other[1] or not one[1] or not other[1])


def _is_whole(atom: Atom, reading: _Reading) -> bool:
    return atom.start == 0 and atom.end == reading.length


def _are_whole(found: list[Atom], reading: _Reading) -> bool:
    gaps = (b.start - a.end for a, b in itertools.pairwise(found))
    return found[0].start == 0 and found[-1].end == reading.length and all(g <= 1 for g in gaps)
