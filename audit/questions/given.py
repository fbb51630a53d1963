"""A context as the agent reads it: which lines are records, and what each says of itself."""

import re
from dataclasses import dataclass

from memory.recall.lines import BACKGROUND, FACTS, IMMEDIATE, words_for

_LINE = re.compile(r"- \[([^\]]+)\] ?(.*)")


@dataclass(frozen=True)
class Record:
    """One line: its labels (source, confidence, age), "" where it bears none, and what it says."""

    labels: str
    said: str


def records(context: str, query: str) -> list[Record]:
    """The records of a context made for `query`. Its frame is none: the number of a rule or the
    percentage of a label answers nothing."""
    words = words_for(query)
    frame = {"<memory>", "</memory>", *words["rules"].splitlines()}
    frame |= {words[name] for name in (FACTS, BACKGROUND, IMMEDIATE)}
    return [_record(line) for line in context.splitlines() if line and line not in frame]


def present_words_rule(query: str) -> str:
    """The rule that what the user says now wins over what is remembered, as a context for `query`
    states it."""
    return words_for(query)["rules"].splitlines()[0]


def _record(line: str) -> Record:
    found = _LINE.fullmatch(line)
    return Record(found[1], found[2]) if found else Record("", line)
