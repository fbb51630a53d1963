"""Which memories a reading means: by their own key, by their old value, by the session."""

import re
from collections.abc import Sequence
from types import ModuleType

from memory.models import Memory
from memory.text.stopwords import STOPWORDS

from .attributes import naming, variants
from .facts import Facts, best_named
from .reading import Claim, Reading
from .subjects import USER, VALUE, entity_keys, pairs, says_nothing
from .talk import Finding, talk
from .values import PLAIN, fits, inside, same_value, typed, values


def bind(reading: Reading, facts: Facts) -> list[Finding]:
    """A finding for each claim of the reading."""
    found: list[Finding] = []
    entity = ""
    for claims in reading.claims:
        finding = _named(claims, reading, facts, entity) or _by_session(claims, reading, facts)
        if finding is None:
            continue
        found.append(finding)
        if finding.rows and not finding.reason:
            entity = finding.rows[0].entity_key
    clear = [finding for finding in found if finding.reason != "no_such_fact"]
    if clear or not reading.cue:
        return found
    if any(_is_of_something(claims[0].subject, reading) for claims in reading.claims):
        return found
    return talk(reading, facts) or found


def _named(claims: Sequence[Claim], reading: Reading, facts: Facts, before: str) -> Finding | None:
    """Entity and attribute named: a fact of any session. `before` is the entity of the clause
    before, which goes on being meant where a clause names only an attribute."""
    wanted = [(claim, pairs(claim.subject, reading.zh)) for claim in claims]
    known = facts.known(
        key for _, found in wanted for e, a in found if e and a for key in entity_keys(e)
    )
    ranked: list[tuple[int, int, Claim, list[Memory]]] = []
    for claim, found in wanted:
        for entity, attribute in found:
            keys = known.intersection(entity_keys(entity)) if entity else {before} - {""}
            if not keys or not attribute or (entity and attribute == VALUE):
                continue
            rows = facts.of_keys(keys, variants(attribute)) or facts.of_entities(keys)
            rows = best_named(rows, attribute) or _in_their_words(rows, attribute)
            if rows:
                rank = naming(attribute, rows[0].attribute)
                ranked.append((rank, len(entity), claim, rows))
    if not ranked:
        return None
    _, _, claim, rows = max(ranked, key=lambda each: each[:2])
    return _chosen(rows, claim, reading, facts)


def _in_their_words(rows: list[Memory], attribute: str) -> list[Memory]:
    """出差目的地 names 目的地 where the memory's own text says it so."""
    kept = [row for row in rows if row.attribute_key and attribute.endswith(row.attribute_key)]
    return [row for row in kept if attribute in row.text.casefold()]


def _by_session(claims: Sequence[Claim], reading: Reading, facts: Facts) -> Finding | None:
    """Only the attribute named, or only the old value: a fact that the session is about."""
    for claim in claims:
        if not says_nothing(claim.subject, reading.words):
            found = [pair for pair in pairs(claim.subject, reading.zh) if VALUE in pair]
            names = list(dict.fromkeys(entity for entity, _ in found))
            if finding := _attribute_only(names, claim, reading, facts):
                return finding
    for claim in claims:
        is_value = not claim.split and typed(claim.subject).kind not in PLAIN
        old = claim.old or (claim.subject if is_value else "")
        if old and (says_nothing(claim.subject, reading.words) or old == claim.subject):
            rows = [row for row in facts.of_session() if same_value(row.value, old)]
            if rows:
                return _chosen(rows, claim, reading, facts)
    first = claims[0]
    if first.new is None:
        return _forgotten(first, reading, facts)
    return Finding((), first.new, "no_such_fact", first.subject)


def _attribute_only(
    names: Sequence[str], claim: Claim, reading: Reading, facts: Facts
) -> Finding | None:
    """What is called by one name: a fact of the session by its attribute, of an entity just
    talked of, or that itself is called so (预算 alone, or all that is known of an entity)."""
    for name in names:
        session = _fitting(facts.of_session(), claim, reading.words)
        slots = [row for row in session if (row.entity_key, row.attribute_key) == (name, VALUE)]
        if rows := slots + best_named(session, name):
            return _chosen(rows, claim, reading, facts)
    for name in names:
        around = facts.of_keys(facts.entities_of_turns(), variants(name))
        rows = around or facts.of_keys(entity_keys(name), [VALUE])
        if rows := rows or facts.of_entities(entity_keys(name)):
            return _chosen(rows, claim, reading, facts)
    for name in names:
        # Not said whose, and the session does not tell: the user's own is asked about.
        if rows := facts.of_keys([USER], variants(name)):
            return Finding(tuple(rows), claim.new, "whose", claim.subject)
    return None


def _forgotten(claim: Claim, reading: Reading, facts: Facts) -> Finding | None:
    """What is to be forgotten and has no key: a memory of exactly these words, or an entity."""
    w = reading.words
    everything = w.ABOUT.sub("", w.EVERYTHING.sub("", claim.subject))
    if everything != claim.subject:
        if rows := facts.of_entities(entity_keys(everything)):
            count = facts.count_of_entities(entity_keys(everything))
            return Finding(tuple(rows), None, "", everything, count)
        if len(everything) < 2 or everything.isdecimal() or everything in STOPWORDS:
            return Finding((), None, "too_short", everything)
        rows, count = facts.about(everything)
        return Finding(tuple(rows), None, "too_broad", everything, count)
    if claim.subject and says_nothing(claim.subject, w):
        return Finding(tuple(facts.served), None) if len(facts.served) == 1 else None
    if len(claim.subject) < 2 or claim.subject in STOPWORDS:
        return Finding((), None, "too_short", claim.subject)
    rows = facts.of_text(reading.spelt(claim.subject, claim.at))
    return Finding(tuple(rows), None, "" if rows else "no_such_fact", claim.subject)


def _chosen(rows: list[Memory], claim: Claim, reading: Reading, facts: Facts) -> Finding:
    """The one of several rows of a name that the values tell; otherwise a question."""
    subject, new, w = claim.subject, claim.new, reading.words
    if claim.old:
        said = [row for row in rows if same_value(row.value, claim.old)]
        if not said:
            return Finding(tuple(rows), new, "old_value_differs", subject)
        rows = said
    if new is not None:
        rows, asked = _fitting(rows, claim, w), rows
        if not rows:
            return Finding(tuple(asked), new, "value_does_not_fit", subject)
        moved = [row for row in rows if not same_value(row.value, _for(row, new, w))]
        if not moved:
            return Finding(tuple(rows), new, "already_so", subject)
        kind = typed(new).kind
        rows = [row for row in moved if typed(row.value).kind == kind] or moved
    if len(rows) > 1:
        rows = facts.talked_of(rows)
    if len(rows) > 1:
        return Finding(tuple(rows), new, "several_fit", subject)
    if new is not None:
        new = reading.spelt(_for(rows[0], new, w), claim.at)
    return Finding((rows[0],), new, "", subject)


def _fitting(rows: Sequence[Memory], claim: Claim, w: ModuleType) -> list[Memory]:
    if claim.new is None:
        return list(rows)
    return [
        row
        for row in rows
        if not row.value or fits(typed(_for(row, claim.new, w)), typed(row.value))
    ]


def _for(row: Memory, new: str, w: ModuleType) -> str:
    """The part of a new value that is of the row's type: 下午3点 of 改到下午3点开始."""
    if typed(new).kind not in PLAIN:
        return new
    old = typed(row.value)
    if old.kind in PLAIN:
        return new
    for value in inside(new, old):
        if w.FILLER.fullmatch(new[: value.start] + " " + new[value.end :]):
            return value.text
    return new


def _is_of_something(subject: str, reading: Reading) -> bool:
    """Whether the speaker named a thing: then no other is meant, though it is not known."""
    if says_nothing(subject, reading.words) or not subject:
        return False
    for value in reversed(values(subject)):
        subject = subject[: value.start] + subject[value.end :]
    return reading.zh or bool(_POSSESSED.search(subject))


_POSSESSED = re.compile(r"\w of \w|\w['’]s? ")
