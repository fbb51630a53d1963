"""Memories of one statement each out of a passage. Rules, no model.

A clause is read alone. Only its subject may come from the clause before it, in the same
sentence: 我叫李雪，住在杭州，对花生过敏 is three statements about the speaker.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.models import Kind, TurnRole
from memory.text.normalise import simplified, visible
from memory.text.patterns import DENSE_RUN
from memory.text.sentences import Piece, clauses, sentences
from memory.text.statement import parse_statement
from memory.text.tagging import tagged

from . import extract_chinese, extract_english
from .extract_form import NO_VALUE, SAME, Form

SPEAKER = "user"
_WORKS_AT, _WORKS_IN = "公司", "工作地"
_FORMS = (*extract_chinese.FORMS, *extract_english.FORMS)
_IDENTITY = {form.attribute for form in _FORMS if form.kind == Kind.IDENTITY}
_MOST = 64


@dataclass(frozen=True)
class Extracted:
    """One statement. `text[start:end]` of the passage is its evidence and equals `text`; `value`
    stands in it."""

    entity: str
    attribute: str
    value: str
    text: str
    kind: str
    start: int
    end: int


def extract(text: str, role: str = TurnRole.USER) -> list[Extracted]:
    """The plain statements in a passage, in order, at most 64. Never raises.

    What the user says of themself gets entity "user". Not read as facts: questions, conditions,
    hedges, hearsay, past states, corrections ("改成", "changed to"), and statements in the first
    person that somebody else than the user made.
    """
    found: list[Extracted] = []
    for sentence in sentences(text):
        if sentence.asks and _asks_whole(text, sentence):
            continue
        found += _of_sentence(text, sentence, role)
        if len(found) >= _MOST:
            return found[:_MOST]
    return found


_TAG = re.compile(
    r"(?:对|是|行|好|没错)(?:吗|吧|不对|不是|么)|是不是|right|correct|is it|isn't it|yes|no",
    re.IGNORECASE,
)


def _asks_whole(text: str, sentence: Piece) -> bool:
    """Whether a question asks all that it says: it is one clause, or ends in "right?"."""
    parts = list(clauses(text, sentence))
    return len(parts) < 2 or bool(_TAG.fullmatch(parts[-1].text))


def _of_sentence(text: str, sentence: Piece, role: str) -> Iterator[Extracted]:
    about_me = False
    if _CONDITION.match(sentence.text):
        return
    for clause in _parts(text, sentence):
        if clause.asks or not clause.text:
            about_me = False
            continue
        read = list(_self(clause, about_me)) if role == TurnRole.USER else []
        if not read:
            other = parse_statement(clause.text)
            if other and (role == TurnRole.USER or other.entity != SPEAKER):
                kind = _kind_of(other.entity, other.attribute)
                read = [_made(clause, other.entity, other.attribute, other.value, kind)]
        yield from read
        about_me = _speaks_of_me(clause.text) or (
            about_me and bool(read) and read[-1].entity == SPEAKER
        )


# A condition governs all clauses of its sentence.
_CONDITION = re.compile(
    r"(?:如果|要是|假如|假设|若|万一|倘若|除非|if\b|unless\b|suppose\b|imagine\b|when\b)",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s{1,3}(?:and|but)\s{1,3}(?=(?:i|i'm|i've|my|live|work|am|love|like|enjoy|hate|prefer|speak|"
    r"moved|don't|have (?:an?|two|three))\b)",
    re.IGNORECASE,
)
_ITEM = (
    r"(?!(?:i|i'm|my|he|she|we|they|you|but|so|work|live|am)\b)[\w'-]{1,20}(?: [\w'-]{1,20}){0,2}"
)
# I love hiking, sailing and jazz: its commas divide a list and no clauses.
_LIST = re.compile(
    r"(?:\w{1,9} )?i(?:'m)?\b[\w' ]{0,30}?\b(?:love|like|enjoy|hate|dislike|prefer|adore|eat|"
    r"drink|speak|"
    rf"allergic to|interested in|fond of|passionate about) {_ITEM}(?:, {_ITEM}){{1,8}},? (?:and|"
    rf"or) {_ITEM}$",
    re.IGNORECASE,
)


def _parts(text: str, sentence: Piece) -> Iterator[Piece]:
    """The clauses, English ones also divided at "and I ..." and "and live ..."."""
    if len(sentence.text) <= 240 and _LIST.match(sentence.text.replace("’", "'")):
        yield sentence
        return
    for clause in clauses(text, sentence):
        place = clause.start
        for cut in _AND.finditer(clause.text):
            yield _stripped(text, place, clause.start + cut.start(), False)
            place = clause.start + cut.end()
        yield _stripped(text, place, clause.end, clause.asks)


def _stripped(text: str, start: int, end: int, asks: bool) -> Piece:
    part = text[start:end]
    bare = part.strip()
    start += part.index(bare) if bare else 0
    return Piece(bare, start, start + len(bare), asks)


_LEAD = re.compile(
    r"(?:你好|您好|大家好|嗨|那个|嗯|哦|对了|另外|还有|而且|同时|并且|因为|所以|不过|但是?|虽然|"
    r"其实|顺便说一下|目前|现在|最近|and|but|so|also|well|hi|hello|oh|yes|yeah|actually|plus|by "
    r"the way)[\s,，]*",
    re.IGNORECASE,
)


def _self(clause: Piece, about_me: bool) -> Iterator[Extracted]:
    """What a clause says of the speaker. `about_me`: without a subject it is about them still."""
    said = simplified(clause.text)
    if len(said) != len(clause.text) or visible(said) != said or len(said) > 120:
        return
    dense = bool(DENSE_RUN.search(said))
    lead = 0
    while match := _LEAD.match(said, lead):
        lead = match.end()
    body = said[lead:].rstrip(" .。!！~～").replace("’", "'")
    yield from (
        _chinese(clause, body, lead, about_me) if dense else _english(clause, body, lead, about_me)
    )


def _chinese(clause: Piece, body: str, lead: int, about_me: bool) -> Iterator[Extracted]:
    named = re.match(r"我|本人|(?:请|可以|大家都|朋友们?都|同事们?都|以后)?(?:叫|称呼)我", body)
    if (
        not (named or about_me)
        or extract_chinese.NOT.search(body)
        or re.search(r"[你您他她它]", body)
    ):
        return
    for form in extract_chinese.FORMS:
        if match := form.pattern.match(body):
            yield from _values(clause, form, match, lead, extract_chinese.ENUMERATION)
            return


def _english(clause: Piece, body: str, lead: int, about_me: bool) -> Iterator[Extracted]:
    mine = re.match(
        r"(?:i|i'm|i've|i'd|my|we|(?:please |you can |just |people |my friends )?calls? me)\b",
        body,
        re.IGNORECASE,
    )
    added = 0
    if not mine:
        if not about_me:
            return
        body, added = f"I {body}", 2
    for form in extract_english.FORMS:
        if match := form.pattern.match(body):
            rest = body[: match.start("v")]
            negative = form.attribute in extract_english.NEGATIVE
            if (not negative and extract_english.NOT.search(rest)) or extract_english.NOT.search(
                match["v"]
            ):
                return
            yield from _values(clause, form, match, lead - added, extract_english.ENUMERATION)
            return


def _values(
    clause: Piece, form: Form, match: re.Match, shift: int, divider: re.Pattern
) -> Iterator[Extracted]:
    start, end = match.start("v") + shift, match.end("v") + shift
    topic = match.groupdict().get("a")
    attribute = _topic(form.attribute, topic) if topic else form.attribute
    if NO_VALUE.match(clause.text, start):
        return
    if attribute == _WORKS_AT and tagged(clause.text[start:end])[-1][1] == "ns":
        attribute = _WORKS_IN
    if not form.many:
        yield _made(clause, SPEAKER, attribute, clause.text[start:end].strip(), form.kind)
        return
    place = 0
    whole = clause.text[start:end]
    cuts = [cut.span() for cut in divider.finditer(whole)] + [(len(whole), len(whole))]
    for cut_start, cut_end in cuts:
        value = whole[place:cut_start].strip()
        place = cut_end
        if value:
            joint = ":" if form.attribute.isascii() else "："
            yield _made(clause, SPEAKER, f"{attribute}{joint}{value}", value, form.kind)


def _topic(attribute: str, topic: str) -> str:
    return f"{attribute} {topic.lower()}" if attribute.isascii() else f"{attribute}的{topic}"


def _made(piece: Piece, entity: str, attribute: str, value: str, kind: str) -> Extracted:
    if entity == SPEAKER:
        attribute = SAME.get(attribute.lower(), attribute)
    return Extracted(entity, attribute, value, piece.text, str(kind), piece.start, piece.end)


def _kind_of(entity: str, attribute: str) -> str:
    known = SAME.get(attribute.lower(), attribute) in _IDENTITY
    return Kind.IDENTITY if entity == SPEAKER and known else Kind.FACT


def _speaks_of_me(text: str) -> bool:
    """Whether the clause has the speaker as its subject, for the next that has none."""
    return bool(
        re.match(
            r"(?:你好|您好|大家好|嗨|hi|hello)?[\s,，!！]*(?:我(?!们?的)|本人|i\b|i'm\b|i've\b)",
            text,
            re.IGNORECASE,
        )
    )
