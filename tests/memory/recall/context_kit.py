"""Ranked memories and turns, and the context that is made of them."""

from datetime import timedelta
from uuid import UUID

from memory.index.turns import Held, TurnHit
from memory.models import Memory
from memory.recall.assemble import assemble
from memory.recall.evidence import Offered
from memory.recall.rank import Ranked
from memory.recall.relevance import Match
from memory.recall.turn_rank import RankedTurn
from tests import factories as make

START = make.instant("2026-03-01 09:00")
HERE = "s-here"
NOTHING = Held({}, set(), 0, ("", ""), "")


def ranked(text: str, matched=(), **columns) -> Ranked:
    memory = Memory(**{"text": text, "kind": "fact", "created_at": START} | columns)
    return Ranked(memory, 1.0, {}, tuple(Match(term, "word", 1.0) for term in matched))


def said(
    content: str, role: str = "user", minutes: int = 0, session=HERE, matched=(), twins=()
) -> Offered:
    at = START - timedelta(minutes=minutes)
    turn = TurnHit(
        1000 - minutes, NOTHING, NOTHING, "", turn_id(minutes), role, content, session, "", at, at
    )
    matches = tuple(Match(term, "word", 1.0) for term in matched)
    return Offered(RankedTurn(turn, 0.5, {}, matches), twins)


def turn_id(minutes: int) -> UUID:
    return UUID(int=minutes + 1)


def given_for(items, query="x", budget=9999, **options):
    usual = {"moment": START, "session_id": HERE, "most_turns": 50}
    return assemble(items, query, budget, **usual | options)


def shown(context) -> list[str]:
    """The lines of memories and turns, without their labels."""
    return [line.split("] ", 1)[1] for line in context.text.splitlines() if line.startswith("- [")]
