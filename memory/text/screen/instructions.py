"""Planted instructions: texts that speak to the model instead of telling it something.

Each rule is (name, words, rest): it is tried only where one of its words stands, and `rest` is
what goes on from there, one pattern or several steps with a little between them. All repeats
are bounded, so the time goes by the length of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import add
from types import ModuleType

from . import chinese, english
from .finding import INSTRUCTION, Finding
from .hidden import readings
from .views import View, Views, occurrences

# Read where nothing but letters is left; a sentence's end between the words is not seen there.
_SQUEEZED = (
    re.compile(
        r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|of|the|my|your|and|"
        r"these){0,4}(?:previous|prior|above|earlier|preceding|your|system|all|original|"
        r"initial)(?:and|or|the|your|system|safety|of|previous|prior|above){0,3}(?:instruction|"
        r"prompt|rules|guideline|directive|guardrail)"
    ),
    re.compile(
        r"(?:you are now|you are|act as|enter|enable)(?:dan|jailbroken)mode".replace(" ", "")
    ),
    re.compile(
        r"(?:reveal|print|output|leak)(?:me|the|all|of){0,3}your(?:full|hidden|"
        r"entire){0,2}systemprompt"
    ),
    re.compile(
        r"(?<!不要)(?<!别)(?<!不能)(?<!不得)(?<!勿)(?:忽略|无视|忘记|忘掉|抛开|绕过|不要遵守|"
        r"不再遵守)(?:掉|你|请|所有|一切|全部){0,3}(?:之前|以前|以上|上述|上面|前面|先前|此前|"
        r"所有|一切|全部|你的|系统)(?:的|所有|全部|系统|一切|给你){0,3}(?:指令|指示|提示词|规则|"
        r"规定|要求|约束|限制|设定)"
    ),
)
# Six characters are the least that one of them matches (忽略以上指令).
_SHORTEST = 6
_ORDINARY = re.compile(r"[A-Za-z]{2,}(?:[ \n]+[A-Za-z]{2,})+|[\u4e00-\u9fff]+")
_BREAK = re.compile(r"[.!?;][\s\"'”]|[。！？；]")


@dataclass(frozen=True)
class Rule:
    name: str
    words: tuple[str, ...]
    rest: tuple[re.Pattern, ...]
    not_before: re.Pattern | None
    order_before: re.Pattern | None
    for_me: re.Pattern | None


def find(views: Views) -> Iterator[Finding]:
    """Orders to the model: to drop its orders, change its role, serve somebody, leak, conceal."""
    for reading in readings(views):
        found = list(_in_words(reading.view.folded))
        if reading.how == "as written":
            found += _in_letters(views, found)
        for rule, start, end in found:
            place = reading.place(start, end)
            name = rule if reading.how == "as written" else f"{rule}, {reading.how}"
            yield Finding("planted_instruction", INSTRUCTION, *place, name, "[instruction]")


def _in_words(view: View) -> Iterator[tuple[str, int, int]]:
    """(rule, start, end) in the original of the view."""
    text = view.text
    # Most of the 900 words do not even begin in a text: looking for each took 50 ms in a long
    # one, and going through them 1 ms in the shortest.
    begins = _begins()
    shared = begins.keys() & {*map(add, text, text[1:]), *text}
    places = sorted(
        (number, at) for two in shared for number, at, word in begins[two] if word in text
    )
    for number, group in groupby(places, key=lambda place: place[0]):
        rule = _rules()[number]
        there = [rule.words[at] for _, at in group]
        reached = 0
        for start, after in occurrences(text, there):
            if start < reached and after <= reached:
                continue
            if end := _matches(rule, text, start, after):
                yield rule.name, *view.place(start, end)
                reached = end


def _matches(rule: Rule, text: str, start: int, after: int) -> int | None:
    end = _follow(rule.rest, text, after)
    if end is None:
        return None
    before = text[max(start - 24, 0) : start]
    if rule.not_before and rule.not_before.search(before):
        return None
    if rule.order_before and not rule.order_before.search(before):
        return None
    if rule.for_me and rule.for_me.match(text, after):
        return None
    return end


def _follow(steps: tuple[re.Pattern, ...], text: str, place: int) -> int | None:
    """Where the last of the steps ends. Taken one by one they never go back: time stays linear."""
    match = steps[0].match(text, place)
    for step in steps[1:]:
        if match is None:
            return None
        match = step.match(text, match.end())
    return match and match.end()


def _in_letters(views: Views, found: list) -> Iterator[tuple[str, int, int]]:
    if len(views.folded.text) < _SHORTEST:
        return
    hits = [pattern for pattern in _SQUEEZED if pattern.search(views.letters)]
    view = views.squeezed if hits else views.folded
    for pattern in hits:
        for match in pattern.finditer(view.text):
            start, end = view.place(*match.span())
            known = any(a <= start < b or start <= a < end for _, a, b in found[:50])
            shown = views.original[start:end]
            if not (known or _BREAK.search(shown) or _ORDINARY.fullmatch(shown)):
                yield "spelt_apart", start, end


@cache
def _begins() -> dict[str, list[tuple[int, int, str]]]:
    """The words and where they stand in the rules, by their first two letters."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for number, rule in enumerate(_rules()):
        for at, word in enumerate(rule.words):
            found.setdefault(word[:2], []).append((number, at, word))
    return found


@cache
def _rules() -> tuple[Rule, ...]:
    return (*_of(english, english.ENGLISH), *_of(chinese, chinese.CHINESE))


def _of(language: ModuleType, rules: tuple) -> Iterator[Rule]:
    not_before, order_before, for_me = (
        re.compile(part) for part in (language.NOT_BEFORE, language.ORDER_BEFORE, language.FOR_ME)
    )
    for name, words, rest in rules:
        told, ordered = name.startswith(("override", "unguard")), name.startswith("always")
        yield Rule(
            name,
            words if isinstance(words, tuple) else tuple(words.split("|")),
            tuple(map(re.compile, [rest] if isinstance(rest, str) else rest)),
            not_before if told else None,
            order_before if ordered else None,
            for_me if ordered or name.startswith("whenever") else None,
        )
