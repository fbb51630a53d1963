"""Plain statements: one short sentence that gives one thing one value."""

import re
from dataclasses import astuple, dataclass

from . import segment
from . import statement_words as w
from .normalise import simplified, visible

_LIMIT, _PART = 120, 60
# A comma inside 1,200 begins no clause, nor does a colon inside 15:30.
_CLAUSE = re.compile(r"[\n\r;；，、。!！…?？—~]|,(?![0-9]{3})|\.\s|--|[:：](?![0-9])")
_NOW_FIRST = re.compile(rf"^{w.ZH_TIME_NOW}的?")
_NOW_LAST = re.compile(rf"{w.ZH_TIME_NOW}$")
_I_NOW = re.compile(rf"^我(?:{w.ZH_TIME_NOW}的?)?(?!的)(?=..)")
_HAS = re.compile(r"(.+?)['’]s\s+(.+)")
_OF = re.compile(r"[Tt]he\s+(.+?)\s+of\s+(?:the\s+)?(.+)")


@dataclass(frozen=True)
class Statement:
    entity: str
    attribute: str
    value: str


def parse_statement(text: str) -> Statement | None:
    """The statement that a text makes, or None where it does not plainly make one.

    Read are 我的X是Y and "my X is Y" (entity "user"), X的Y是Z, "X's Y is Z" and "the Y of X is
    Z", X是Y and "X is Y". The last two name no attribute: X is the entity and the attribute is
    "value" (预算是800 is 预算, value, 800). They are read only where X is a slot and not a thing
    of many qualities, for 张三是工程师 must not replace 张三是北京人: X ends in a word that
    names a slot (负责人, deadline), or English says "the X" or "our X", or a Chinese Y has a
    digit and is no age.

    None for questions, negations, conditions, hedges, hearsay, plans, past values, unresolved
    pronouns, days that move (今天的X), more than one clause, more than 120 characters: such a
    text is remembered whole and replaces nothing.
    """
    text = text.strip()
    if len(text) > _LIMIT:
        return None
    text = re.sub(r"是\s*[:：]", "是", visible(text).rstrip("。．.!！ "))
    if _CLAUSE.search(text):
        return None
    found = _as_written(text, _chinese(simplified(text))) if "是" in text else _english(text)
    if found is None or not all(0 < len(part) <= _PART for part in astuple(found)):
        return None
    return found


def _as_written(text: str, found: Statement | None) -> Statement | None:
    """The parts in the script of `text`: they were read from its simplified form."""
    if found is None:
        return None
    parts, simple, start = [], simplified(text), 0
    for part in astuple(found):
        at = simple.find(part, start)
        parts.append(text[at : at + len(part)] if at >= 0 else part)
        start = max(start, at)
    return Statement(*parts)


def _chinese(text: str) -> Statement | None:
    subject, _, value = text.partition("是")
    subject = _NOW_LAST.sub("", _NOW_FIRST.sub("", subject.strip())).strip()
    value = value.strip().rstrip("了啦哦啊呀哈")
    if not subject or "是" in value or w.ZH_NOT_PLAIN.search(text) or w.ZH_NOT_VALUE.search(value):
        return None
    if w.ZH_NOT_SUBJECT.search(subject) and not w.ZH_SLOTS.search(subject):
        return None
    if segment.cut(subject)[-1] in w.ZH_BEFORE_IS:
        return None
    if w.ZH_SLOTS.search(subject) and not subject.startswith("我们"):
        # 我现在预算是1200, 我现在的预算是1200, 我预算是1200
        subject = _I_NOW.sub("我的", subject)
    if subject.startswith("我的"):
        attribute = subject[2:].strip()
        return None if "我" in attribute else Statement("user", attribute, value)
    entity, _, attribute = (part.strip() for part in subject.rpartition("的"))
    if entity:
        if entity != "我们" and w.ZH_NOT_ENTITY.search(entity):
            return None
        return Statement(entity, attribute, value)
    if "我" in subject or w.ZH_NOT_SLOT_VALUE.search(value):
        return None
    slot = w.ZH_SLOTS.search(subject) or w.EN_SLOTS.search(subject.lower())
    if slot or any(char.isdigit() for char in value):
        return Statement(subject, "value", value)
    return None


def _english(text: str) -> Statement | None:
    subject, verb, value = (part.strip() for part in text.partition(" is "))
    value = re.sub(r"^(?:now|currently|still)\s+", "", value)
    # Only the first letter loses its case: IT and US are names, it and us are not.
    lowered = text[:1].lower() + text[1:]
    if not verb or w.EN_NOT_PLAIN.search(lowered) or w.EN_NOT_VALUE.search(value):
        return None
    subject = re.sub(r"(?i)^(my|our|the)\s+(?:current|present)\s+", r"\1 ", subject)
    mine = re.match(r"[Mm]y\s+", subject)
    named = subject[mine.end() :] if mine else subject[:1].lower() + subject[1:]
    if len(named.split()) > 6 or w.EN_NOT_SUBJECT.search(named):
        return None
    if mine:
        return Statement("user", subject[mine.end() :], value)
    if has := _HAS.fullmatch(subject):
        return Statement(re.sub(r"^[Tt]he\s+", "", has[1]), has[2], value)
    if of := _OF.fullmatch(subject):
        return Statement(of[2], of[1], value)
    if w.EN_NOT_SLOT_VALUE.search(value):
        return None
    the = re.match(r"[Tt]he\s+", subject)
    if the or re.match(r"[Oo]ur\s", subject) or w.EN_SLOTS.search(named):
        return Statement(subject[the.end() :] if the else subject, "value", value)
    return None
