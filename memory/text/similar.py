"""Whether two texts say the same in other words.

No plain measure is safe: on pairs that differ in one value, entity or negation, word Jaccard
reaches a precision of 0.52 to 0.62 and embeddings 0.52. So vetoes decide first: numbers, dates,
ids, names, negation, mood, opposites, and words that each side keeps and the other lacks. What
is left is a possible duplicate for a person from a word Jaccard of 0.15 on; the threshold barely
matters then.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

from rapidfuzz.distance import Indel

from . import similar_words as w
from .atoms import Atom, atoms, stem
from .language import language
from .normalise import normalise, visible
from .numerals import spelt_out
from .patterns import ATOM
from .stopwords import STOPWORDS
from .tagging import tagged

POSSIBLE = 0.15
SAME = 0.9
# One side may add so many words of weight; beyond it tells of more than the other.
ADDED = 1
# Longer texts are compared by their beginning: what comes later is another statement.
COMPARED = 500
# A Chinese word; without a bound, parting a longer run takes exponential time.
_LONGEST = 8
_COMMON = STOPWORDS | w.SOFT_ZH
_NAMES = {"nr", "nrt", "nrfg", "ns", "nt", "nz"}
_YEAR = re.compile(r"[0-9]{4}年\Z")
_CAPITAL = re.compile(r"(?<![\w'’.])[A-Z][\w-]*(?:['’][a-z]+)?")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|\n\s*)[\"'“(]*\Z")


@dataclass(frozen=True)
class Likeness:
    """`score` (0 to 1) is the share of words that both have in the same order, less where the
    texts are longer than what was compared; `overlap` the Jaccard of their words. `veto` names
    what keeps them apart: number, date, id, name, negation, mood, opposite, word; "" for
    nothing. `added`: the words of weight that one side alone has."""

    score: float
    overlap: float
    veto: str = ""
    added: frozenset[str] = frozenset()

    @property
    def is_same(self) -> bool:
        """Near enough to count as one statement where a policy allows it: the same words of
        weight, at least `SAME` of all words in order."""
        return not self.veto and not self.added and self.score >= SAME

    @property
    def is_possible(self) -> bool:
        """Near enough to ask a person."""
        return not self.veto and self.overlap >= POSSIBLE and len(self.added) <= ADDED

    @property
    def is_conflict(self) -> bool:
        """The same words with another number or date: no duplicate, perhaps a contradiction."""
        return self.veto in ("number", "date") and not self.added and self.overlap >= SAME


@dataclass(frozen=True)
class _Reading:
    numbers: dict[str, str] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    ids: frozenset[str] = frozenset()
    also_ids: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    negations: int = 0
    moods: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    weighty: frozenset[str] = frozenset()
    # Words of direction that elsewhere mean little: on, up, over.
    switches: frozenset[str] = frozenset()
    plain: str = ""


def likeness(a: str, b: str) -> Likeness:
    """How alike two texts are, and what keeps them apart. Symmetric."""
    left, right = _read(a[:COMPARED]), _read(b[:COMPARED])
    # What was not read cannot be called the same.
    compared = min(1.0, COMPARED / max(len(a), len(b), 1))
    mine, theirs = set(left.words), set(right.words)
    both = mine | theirs
    only_left = left.weighty - theirs
    only_right = right.weighty - mine
    if only_left and only_right and _covered(only_left, right) and _covered(only_right, left):
        only_left = only_right = frozenset()
    veto = _veto(left, right) or ("word" if only_left and only_right else "")
    return Likeness(
        Indel.normalized_similarity(left.words, right.words) * compared,
        len(mine & theirs) / len(both) if both else 0.0,
        veto,
        only_left | only_right,
    )


def _veto(a: _Reading, b: _Reading) -> str:
    if a.negations != b.negations:
        return "negation"
    if _spelt_otherwise(a, b) or _spelt_otherwise(b, a):
        return "id"
    if _names_differ(a, b):
        return "name"
    if a.moods != b.moods:
        return "mood"
    mine, theirs = {*a.words, *a.switches}, {*b.words, *b.switches}
    for one, other in w.OPPOSITES:
        has, lacks = {one, other} & mine, {one, other} & theirs
        if has and lacks and has != lacks:
            return "opposite"
    if _numbers_differ(a, b) or _numbers_differ(b, a):
        return "number"
    years = {one for one in a.dates ^ b.dates if _YEAR.match(one)}
    if (a.dates ^ b.dates) - years or (years & a.dates and years & b.dates):
        return "date"
    return ""


def _covered(words: frozenset[str], other: _Reading) -> bool:
    """Whether the dictionary only cut these words otherwise there: 公司的地址 and 公司地址."""
    return all(word in other.plain or _made_of(word, other.words) for word in words)


def _made_of(word: str, words: Collection[str]) -> bool:
    def known(part: str) -> bool:
        return part in _COMMON or part in words

    return len(word) <= _LONGEST and any(
        known(word[:i]) and (known(word[i:]) or _made_of(word[i:], words))
        for i in range(1, len(word))
    )


def _spelt_otherwise(a: _Reading, b: _Reading) -> bool:
    """Whether `a` has an id that `b` does not even spell apart (apollo 3 for Apollo-3)."""
    return not a.ids <= b.ids | b.also_ids


def _names_differ(a: _Reading, b: _Reading) -> bool:
    mine, theirs = set(a.names) - _heads(b), set(b.names) - _heads(a)
    if mine - set(b.names) or theirs - set(a.names):
        return True
    shared = set(a.names) & set(b.names)
    # Who owes whom is told by the order.
    return len(shared) > 1 and [n for n in a.names if n in shared] != [
        n for n in b.names if n in shared
    ]


def _heads(reading: _Reading) -> set[str]:
    """Its words, and the names that its ids begin with."""
    return {*reading.words, *(one.partition("-")[0] for one in reading.ids)}


def _numbers_differ(a: _Reading, b: _Reading) -> bool:
    spelt = {one.rpartition("-")[2] for one in b.ids & a.also_ids}
    for number, unit in a.numbers.items():
        if number not in b.numbers:
            if number not in spelt:
                return True
        elif unit and b.numbers[number] and unit != b.numbers[number]:
            return True
    return False


@lru_cache(maxsize=4096)
def _read(text: str) -> _Reading:
    shown = visible(text)
    plain = normalise(shown)
    for pattern, stands_for in w.PHRASES:
        plain = pattern.sub(stands_for, plain)
    plain, dates = spelt_out(plain)
    names = [match[match.lastgroup] for match in w.LABEL.finditer(plain)]
    names += [f"@{match[0]}" for match in w.OTHERS.finditer(plain)]
    moods = frozenset(mood for mood, pattern in w.MOODS.items() if pattern.search(plain))
    chinese = language(plain) == "zh"
    parts = atoms(plain)
    found = _words(plain, parts, chinese)
    names += found.names if chinese else _capitals(shown) + found.names
    numbers, ids, also, more_dates = _figures(plain, parts)
    return _Reading(
        numbers,
        frozenset(dates | more_dates),
        ids,
        also,
        tuple(dict.fromkeys(names)),
        found.negations,
        moods,
        tuple(found.words),
        frozenset(found.weighty),
        frozenset(w.SWITCH.findall(plain)),
        plain,
    )


def _figures(
    plain: str, parts: list[Atom]
) -> tuple[dict[str, str], frozenset[str], frozenset[str], set[str]]:
    """Numbers with their units, ids, what may be an id spelt apart, parts of dates."""
    numbers, quantities, ids, also, dates = {}, [], set(), set(), set()
    for atom in parts:
        if atom.kind == "number":
            numbers.setdefault(atom.text, "")
        elif atom.kind == "quantity":
            quantities.append(atom.text)
        elif atom.kind == "id" and atom.role == "main":
            ids.add(atom.text)
        elif atom.kind == "id" and atom.role == "also":
            also.add(atom.text)
        elif atom.kind == "date" and not re.match(r"[0-9]{4}-", atom.text):
            dates.add(atom.text)
    for text in quantities:
        number = re.search(r"-?[0-9]+(?:\.[0-9]+)?", text)
        if number:
            numbers[number[0]] = text.replace(number[0], "")
    for number, unit in w.UNIT.findall(plain):
        numbers[number.replace(",", "")] = w.UNITS[unit]
    # 8:30 says more than 8点, 8:00 says the same.
    for clock in [one for one in dates if ":" in one]:
        hour, minute = clock.split(":")
        dates.discard(clock if minute == "00" else f"{hour}点")
    return numbers, frozenset(ids), frozenset(also), dates


@dataclass
class _Found:
    words: list[str] = field(default_factory=list)
    weighty: set[str] = field(default_factory=set)
    names: list[str] = field(default_factory=list)
    negations: int = 0

    def add(self, word: str, is_soft: bool) -> None:
        self.words.append(word)
        if not is_soft:
            self.weighty.add(word)


def _words(plain: str, parts: list[Atom], chinese: bool) -> _Found:
    found = _Found()
    for atom in parts:
        if atom.kind == "latin" and atom.role != "index":
            _latin(found, plain[atom.start : atom.end], chinese)
    # A number's unit is not among these runs: it went with its number.
    for match in ATOM.finditer(plain):
        for word, tag in tagged(match["dense"] or ""):
            _dense(found, word, tag)
    return found


def _latin(found: _Found, raw: str, chinese: bool) -> None:
    if raw in w.NEGATING_EN:
        found.negations += 1
        return
    raw = raw.removesuffix("'s").removesuffix("’s")
    if raw in STOPWORDS or not raw:
        return
    word = w.SYNONYMS_EN.get(raw) or w.SYNONYMS_EN.get(stem(raw)) or stem(raw)
    if chinese or (len(raw) == 1 and raw.isalpha()):
        # A name of something: written in letters among characters.
        found.names.append(word)
    if raw in w.PEOPLE or word in w.PEOPLE:
        found.names.append(w.PEOPLE.get(raw) or w.PEOPLE[word])
    found.add(word, raw in w.SOFT_EN or word in w.SOFT_EN)


def _dense(found: _Found, word: str, tag: str) -> None:
    if w.NEGATING_ZH.match(word) and word not in w.NOT_NEGATING_ZH:
        found.negations += 1
        word = word[1:] if len(word) > 1 else ""
    if not word or word in STOPWORDS:
        return
    is_name = tag in _NAMES or (tag == "x" and word[0] in w.SURNAMES)
    if word in w.PEOPLE:
        found.names.append(w.PEOPLE[word])
    elif is_name and len(word) > 1 and not (word in w.SYNONYMS_ZH or word in w.NO_NAMES):
        found.names.append(word)
    word = w.SYNONYMS_ZH.get(word, word)
    found.add(word, word in w.SOFT_ZH or tag in ("u", "uj", "ul", "y", "p", "c", "e", "o"))


def _capitals(shown: str) -> list[str]:
    """Words that are names by their capital, those that only open a sentence apart."""
    names = []
    for match in _CAPITAL.finditer(shown):
        word = re.sub("(?:n['’]t|['’][a-z]+)\\Z", "", match[0]).lower()
        opens = _SENTENCE_START.search(shown[: match.start()])
        if word in STOPWORDS or re.search(r"[0-9]", word):
            continue
        if re.fullmatch(w.WEEKDAYS_EN, word) or (word[:3] in w.MONTHS_EN and len(word) < 10):
            continue
        known = word in w.SOFT_EN or stem(word) in w.SOFT_EN or word in w.SYNONYMS_EN
        if not (opens and known):
            names.append(w.SYNONYMS_EN.get(word) or stem(word))
    return names
