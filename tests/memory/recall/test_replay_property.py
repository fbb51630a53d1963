"""Whatever happens to a store afterwards, its records replay as they were: ids, order, scores."""

import random
from datetime import datetime, timedelta

import pytest

from memory import clock
from memory.models import Batch, Memory
from memory.recall.replay import replay
from memory.write.apply import apply
from memory.write.plan import Conflict
from memory.write.revise import plan_amend, plan_confirm, plan_restore, plan_retract
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")
WORDS = [
    "码头", "仓库", "鹦鹉", "交付", "供应商", "北岸", "红色", "渡船", "灯塔", "pier", "dog",
    "price", "640", "QX-31",
]  # fmt: skip


def some(chance: random.Random, most: int) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, most)))


def write(chance: random.Random, moment: datetime) -> None:
    make.remember(
        text=some(chance, 7),
        user_id=chance.choice(["ann", "ann", "ann", "ben"]),
        kind=chance.choice(["fact", "event", "rule"]),
        importance=chance.randint(1, 5),
        expires_at=chance.choice([None, None, moment + timedelta(hours=chance.randint(1, 60))]),
        occurred_at=chance.choice([None, moment - timedelta(days=chance.randint(0, 90))]),
    )


def revise(chance: random.Random) -> None:
    scope, rows = make.scope(), list(Memory.objects.within(make.scope(user_id="ann")))
    if not rows:
        return
    row = chance.choice(rows)
    plans = {
        "retract": lambda: plan_retract(scope, [row]),
        "restore": lambda: plan_restore(scope, row),
        "confirm": lambda: plan_confirm(scope, row),
        "correct": lambda: plan_amend(scope, row, {"importance": row.importance % 5 + 1}),
        "undo": None,
    }
    verb = chance.choice(list(plans))
    try:
        if verb == "undo":
            undo(scope, chance.choice(list(Batch.objects.within(scope).order_by("-id")[:6])))
        else:
            apply(plans[verb]().plan(verb, ""))
    except Conflict:
        make.budget(str(chance.randint(1, 9) * 100))


@pytest.mark.parametrize(("seed", "steps"), [(1, 40), (2, 40), (3, 40), (4, 40), (5, 240)])
def test_a_record_replays_as_it_was(seed, steps):
    chance, moment, records = random.Random(seed), START, []
    for step in range(steps):
        moment += timedelta(minutes=chance.randint(1, 300))
        with clock.at(moment):
            write(chance, moment) if chance.random() < 0.6 else revise(chance)
        if step % 8 == 7:
            moment += timedelta(minutes=1)
            with clock.at(moment):
                asked = make.ask(
                    some(chance, 4),
                    limit=chance.choice([3, 8, 20]),
                    kinds=chance.choice([[], [], ["fact"]]),
                    profile=chance.choice(["balanced", "confident"]),
                )
            records.append(asked.record)
    with clock.at(moment + timedelta(days=3)):
        for _ in range(8):
            revise(chance)
        for record in records:
            answer = replay(make.scope(), record)
            assert answer.equal, record.query
            assert answer.as_it_was == answer.then
