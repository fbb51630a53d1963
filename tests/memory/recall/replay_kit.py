"""Recalls recorded and replayed, and memories written, at given times."""

from datetime import timedelta

from memory import clock
from memory.models import Memory, Recall
from memory.recall.replay import replay
from memory.write.apply import apply
from tests import factories as make

START = make.instant("2026-03-01 09:00")
LATER = START + timedelta(days=1)


def recorded(query: str, at=START, **fields) -> Recall:
    with clock.at(at):
        return make.ask(query, **fields).record


def replayed(record: Recall, at=LATER, scope=None):
    with clock.at(at):
        return replay(scope or make.scope(), record)


def ids(ranking) -> list:
    return [placed.memory_id for placed in ranking]


def moves(answer) -> dict:
    return {
        move.memory_id: (move.was_rank, move.now_rank, move.cause.kind) for move in answer.moves
    }


def remember_at(moment, *texts: str, **fields) -> list[Memory]:
    with clock.at(moment):
        return [make.remember(text=text, **fields) for text in texts]


def change_at(moment, plan, verb: str, reason: str = ""):
    with clock.at(moment):
        return apply(plan().plan(verb, reason)).batch
