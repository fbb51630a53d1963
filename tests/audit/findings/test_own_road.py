"""Whatever happens to a store, our own road hands out nothing that is no longer valid."""

import random
from datetime import datetime, timedelta

import pytest

from audit.findings.scan import scan
from memory import clock
from memory.models import Batch, Memory, RecallCandidate
from memory.recall.record import add_outcome
from memory.write.apply import apply
from memory.write.plan import Conflict
from memory.write.revise import plan_restore, plan_retract
from memory.write.sweep import expire_due
from memory.write.undo import undo
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db
START = make.instant("2026-05-04 08:00")
USERS = ("ann", "bo", "陈晨")
TOPICS = ("预算", "运费", "dock hours", "库存")


def write(chance: random.Random, moment: datetime) -> None:
    topic = chance.choice(TOPICS)
    value = str(chance.randint(1, 99))
    make.remember(
        user_id=chance.choice(USERS),
        text=f"{topic} {value}",
        entity="user",
        attribute=topic,
        value=value,
        kind=chance.choice(["fact", "inventory", "preference"]),
        occurred_at=moment,
        expires_at=chance.choice([None, None, moment + timedelta(minutes=chance.randint(1, 300))]),
    )


def revise(chance: random.Random) -> None:
    scope = make.scope()
    row = chance.choice(list(Memory.objects.within(scope)))
    batches = list(Batch.objects.within(scope).order_by("-id")[:5])
    acts = {
        "retract": lambda: apply(plan_retract(scope, [row]).plan("retract", "wrong")),
        "restore": lambda: apply(plan_restore(scope, row).plan("restore", "")),
        "undo": lambda: undo(scope, chance.choice(batches)),
        "expire": expire_due,
    }
    try:
        acts[chance.choice(list(acts))]()
    except Conflict:
        expire_due()


def ask(chance: random.Random, moment: datetime) -> None:
    user = make.scope(user_id=chance.choice(USERS), surface="api")
    past = chance.choice([None, None, None, moment - timedelta(hours=5)])
    record = make.ask(" ".join(chance.sample(TOPICS, 2)), user, as_of=past).record
    if chance.random() < 0.5:
        add_outcome(record, prompt="…", answer="好")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_busy_run_gives_no_finding(seed):
    chance, moment = random.Random(seed), START
    for _ in range(120):
        moment += timedelta(minutes=chance.choice([0, 1, 20, 90]))
        with clock.at(moment):
            step = chance.random()
            if step < 0.4 or not Memory.objects.within(make.scope()).exists():
                write(chance, moment)
            elif step < 0.6:
                revise(chance)
            else:
                ask(chance, moment)
            if chance.random() < 0.1:
                scan(make.scope())
    with clock.at(moment):
        assert not scan(make.scope()).is_behind
    assert RecallCandidate.objects.filter(rank__isnull=False).count() > 30
    assert makers.findings() == []


def test_the_same_run_shows_one_bad_record():
    with clock.at(START):
        old = make.budget("640")
        make.ask("预算")
    with clock.at(START + timedelta(hours=1)):
        make.budget("910")
        make.ask("预算")
        makers.recorded(old)
        scan(make.scope())
    assert [one.memory_id for one in makers.findings()] == [old.public_id]
