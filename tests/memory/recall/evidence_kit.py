"""Turns and memories of given times, and what a question is given of them."""

from datetime import timedelta

from memory import clock
from memory.models import Memory
from tests import factories as make

START = make.instant("2026-03-01 09:00")
DAY = timedelta(days=1)


def said(content: str, at=START, **fields):
    with clock.at(at):
        return make.turn(content=content, **fields)


def known(value: str, at, **fields) -> Memory:
    with clock.at(at):
        return make.remember(
            **{"entity": "user", "attribute": "租金", "value": value, "kind": "fact"} | fields
        )


def known_en(value: str, at, **fields) -> Memory:
    return known(value, at, **{"entity": "harbour flat", "attribute": "rent"} | fields)


def asked(query: str, at=START + 9 * DAY, **fields):
    with clock.at(at):
        return make.ask(query, **fields)


def given(answer) -> list[str]:
    return [item.turn.content for item in answer.turns]


def gates(answer) -> dict[str, str]:
    return {drop.turn.content: drop.gate for drop in answer.dropped_turns}
