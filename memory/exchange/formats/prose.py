"""What is remembered as prose or as a list, taken apart into single statements."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.exchange.fields import digest_id, read_moment
from memory.exchange.record import Record
from memory.text.sentences import sentences
from memory.write.held import NO_EVIDENCE

from . import Options

# "[2026-01-15] - text", "1. [2026-01-15]. text", "[unknown] - text"
DATED = re.compile(
    r"^\s*(?:\d{1,4}[.)、]\s*)?\[(\d{4}-\d{2}-\d{2}|unknown|未知)\]\s*[.:\-–—。：]*\s*(\S.*)$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*+•·]|\d{1,4}[.)、])\s+(\S.*)$")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s*(.+?)\s*#*|\*\*([^*]+?)[:：]?\*\*[:：]?)\s*$")
_RULE = re.compile(r"^\s*(?:```.*|---+|\*\*\*+|___+|\|[-:| ]+\||<[^>]*>)\s*$")


@dataclass(frozen=True)
class Statement:
    """`line` where it stands, from 1; `heading` that it stands under."""

    line: int
    text: str
    heading: str = ""
    at: datetime | None = None


def statements(text: str) -> Iterator[Statement]:
    """Each dated line and each bullet is a statement, and each sentence of what is neither."""
    heading = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or _RULE.match(line):
            continue
        if found := _HEADING.match(line):
            heading = (found[1] or found[2]).strip()
        elif found := DATED.match(line):
            at = read_moment(found[1])
            yield Statement(number, _plain(found[2]), heading, at and at[0])
        elif found := _BULLET.match(line):
            yield Statement(number, _plain(found[1]), heading)
        else:
            for piece in sentences(line):
                if said := _plain(piece.text + "?" * piece.asks):
                    yield Statement(number, said, heading)


def records(
    found: Iterable[Statement],
    options: Options,
    origin: str,
    *,
    first: int = 0,
    at: datetime | None = None,
    is_sure: bool = False,
    **told: Any,
) -> Iterator[Record]:
    """They have no ids: what says the same has the same. Unless `is_sure` they wait as candidates,
    for nobody said them in these words."""
    for one in found:
        yield Record(
            first + one.line,
            text=one.text,
            user_id=options.user_id,
            agent_id=options.agent_id,
            created_at=one.at or at,
            external_id=digest_id(origin, one.text),
            metadata={"under": one.heading, **told} if one.heading else told,
            doubts=() if is_sure else (NO_EVIDENCE,),
            raw={"line": one.text},
        )


def _plain(text: str) -> str:
    """A statement without the marks of Markdown."""
    return re.sub(r"\*\*|__|`", "", text).strip()
