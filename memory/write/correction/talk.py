"""What is talked of without a name: a value that one fact of the session fits."""

from dataclasses import dataclass

from memory.models import Memory
from memory.text.atoms import stem
from memory.text.patterns import ATOM
from memory.text.stopwords import STOPWORDS

from .attributes import talk_of, words
from .facts import Facts
from .reading import Reading
from .values import PLAIN, Value, fits, same_value, typed


@dataclass(frozen=True)
class Finding:
    """What one claim came to. With `reason` "" the `rows` are meant (each to become `new`, or
    to be retracted where that is None); otherwise they are what is in question. `count`: how
    many there are where `rows` are only the newest of them."""

    rows: tuple[Memory, ...] = ()
    new: str | None = None
    reason: str = ""
    subject: str = ""
    count: int = 0


def talk(reading: Reading, facts: Facts) -> list[Finding]:
    """Values without a subject: each goes to the one fact of the session that it fits, or that
    the words of the talk point at."""
    said = frozenset(stem(match[0]) for match in ATOM.finditer(reading.ground.replace("\0", " ")))
    rows = [row for row in facts.of_session() if row.attribute_key and row.value]
    if named := facts.named_in(reading.ground):
        rows = [row for row in rows if row.entity_key in named]
    found = [
        finding
        for value in reading.loose
        for finding in [_talked(value, rows, said, reading, facts)]
        if finding
    ]
    found += _wanted(rows, said, reading)
    if reading.cue == 2:
        found += _placed(rows, said, reading)
    meant = {id(row) for finding in found if not finding.reason for row in finding.rows}
    return [f for f in found if not f.reason or not any(id(row) in meant for row in f.rows)]


def said_beside(reading: Reading) -> bool:
    """Whether more is said than a value, a cue and small words: 我3点下班, "I finish at 3 pm"."""
    rest = reading.ground
    for value in reversed(reading.loose):
        rest = rest[: value.start] + " " + rest[value.end :]
    rest = reading.words.SMALL.sub(" ", reading.words.CUE.sub(" ", rest))
    if reading.zh:
        return any(map(str.isalpha, rest))
    return any(match[0] not in STOPWORDS for match in ATOM.finditer(rest.replace("\0", " ")))


def _talked(
    value: Value, rows: list[Memory], said: frozenset[str], reading: Reading, facts: Facts
) -> Finding | None:
    before = reading.ground[: value.start]
    if value.text == "one" or before.endswith(("not ", "不是")):
        return None
    fitting = [row for row in rows if fits(value, typed(row.value))]
    noun = "" if value.unit else _noun(reading, value)
    if noun:
        fitting = [row for row in fitting if talk_of(row.attribute, row.entity, frozenset([noun]))]
    if not fitting and value.parts:
        parts = [_talked(part, rows, said, reading, facts) for part in value.parts]
        return next((part for part in parts if part), None)
    moved = [row for row in fitting if not same_value(row.value, value.text)]
    if not moved:
        return None
    scores = {row.pk: talk_of(row.attribute, row.entity, said) for row in moved}
    best = max(scores.values())
    if best <= 0 and (reading.cue < 2 or said_beside(reading)):
        return None
    if best > 0:
        moved = [row for row in moved if scores[row.pk] == best]
    if len(moved) > 1:
        moved = facts.talked_of(moved)
    new = reading.spelt(value.text, value.start)
    return Finding(tuple(moved), new, "several_fit" if len(moved) > 1 else "")


def _noun(reading: Reading, value: Value) -> str:
    if value.kind != "number" or reading.zh:
        return ""
    match = ATOM.match(reading.ground, value.end + 1)
    word = match[0] if match else ""
    return stem(word) if word.isalpha() and word not in STOPWORDS | {"please", "instead"} else ""


def _wanted(rows: list[Memory], said: frozenset[str], reading: Reading) -> list[Finding]:
    """A yes or no that is turned: "I would like insurance" where it was without."""
    w, found = reading.words, []
    for row in rows:
        old = typed(row.value)
        if old.kind != "bool" or talk_of(row.attribute, "", said) < 2:
            continue
        no, yes = w.UNWANTED.search(reading.ground), w.WANTED.search(reading.ground)
        turned = _turned(row.value, bool(yes) and not (no and reading.zh))
        if yes and turned:
            found.append(Finding((row,), turned))
    if len(found) > 1:
        return [Finding(tuple(f.rows[0] for f in found), found[0].new, "several_fit")]
    return found


_OPPOSITE = {"true": "False", "false": "True", "yes": "no", "no": "yes", "是": "否", "否": "是"}


def _turned(value: str, wanted: bool) -> str:
    """The opposite of a yes or no where it is not already what is wanted."""
    now = value.casefold() in {"true", "yes", "是", "有"}
    return "" if now == wanted else _OPPOSITE.get(value.casefold(), "")


def _placed(rows: list[Memory], said: frozenset[str], reading: Reading) -> list[Finding]:
    """Where one goes to or comes from, if one fact of the session is such a place."""
    found = []
    for pattern, role in reading.words.ROLES:
        for match in pattern.finditer(reading.ground):
            places = [
                row
                for row in rows
                if words(row.attribute) & role
                and typed(row.value).kind in PLAIN
                and not same_value(row.value, match["v"])
            ]
            near = [row for row in places if words(row.entity) & said] or places
            if near:
                reason = "several_fit" if len(near) > 1 else ""
                new = reading.spelt(match["v"].strip(" ,"), match.start())
                found.append(Finding(tuple(near), new, reason))
    return found
