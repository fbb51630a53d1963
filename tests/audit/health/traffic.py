"""Recalls, turns and held memories, as time leaves them behind."""

from datetime import timedelta

from memory import clock
from memory.models import Extraction, Memory, Recall
from memory.write.apply import apply
from memory.write.review import plan_hold
from tests import factories as make

from . import makers


def asked(scope, *, served=1, took_ms=2.0, days_ago=1.0, triggered=True, tokens=None) -> Recall:
    return Recall.everywhere.create(
        workspace_id=scope.workspace_id,
        user_id="ann",
        at=clock.now() - timedelta(days=days_ago),
        actor="key:bot",
        surface="api",
        query="库存多少",
        query_used="库存多少",
        triggered=triggered,
        profile="balanced",
        analyser="test",
        served=served,
        tokens=served * 10 if tokens is None else tokens,
        took_ms=took_ms,
    )


def talk(scope, n: int, *, kept: int = 0, role: str = "user", read: bool = False) -> None:
    for number in range(n):
        turn = make.turn(scope, f"第{number}句：今天要不要开会", role=role)
        if number < kept:
            makers.complete(scope, text=f"会议{turn.pk}改期", turn_id=turn.public_id)
        if read:
            Extraction.objects.create(
                turn=turn,
                workspace_id=scope.workspace_id,
                actor="key:bot",
                surface="api",
                asked_at=clock.now(),
                due_at=clock.now(),
                done_at=clock.now(),
            )


def held(scope, text: str, days_ago: float) -> Memory:
    with clock.at(clock.now() - timedelta(days=days_ago)):
        memory = makers.complete(scope, text=text)
        done = apply(plan_hold(scope, [memory]).plan("hold", "look at it"))
    return done.memories[memory.public_id]
