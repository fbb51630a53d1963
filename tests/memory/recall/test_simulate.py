"""What a policy would have changed in the answers of the last days."""

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.models import Batch, Memory, Policy, Recall
from memory.recall.simulate import simulate
from memory.write.policies import save_policy
from memory.write.sweep import expire_due
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


def remember_at(moment, text: str, **fields) -> Memory:
    with clock.at(moment):
        return make.remember(text=text, **fields)


def asked(moment, query: str, **fields) -> Recall:
    with clock.at(moment):
        return make.ask(query, **fields).record


def simulated(moment, kind: str, domain: str = "", of=None, bounds=None, **values):
    with clock.at(moment):
        draft = make.draft(kind, domain, of, **values)
        return simulate(make.scope(of), draft, **bounds or {})


def told(changed) -> dict:
    return {
        name: {(one.memory_id, one.was_rank, one.rank) for one in getattr(changed, name)}
        for name in ("leave", "come", "move")
        if getattr(changed, name)
    }


def two_of_a_kind(**fields) -> tuple[Memory, Memory]:
    """The surer one is the older one; a short half-life gives the newer one the first rank."""
    old = remember_at(START - hours(48), "码头有一只狗", kind="event", confidence=0.66, **fields)
    new = remember_at(START, "码头有两只狗", kind="event", confidence=0.6, **fields)
    return old, new


def test_a_half_life_moves_answers_of_profiles_that_use_it():
    old, new = two_of_a_kind()
    record = asked(START + hours(2), "码头的狗", profile="confident")
    asked(START + hours(2), "码头的狗")
    asked(START + hours(2), "谢谢", profile="confident")
    found = simulated(START + hours(3), "event", half_life_hours=2)
    assert (found.recalls, found.read, found.checked, found.cut) == (3, 3, 1, False)
    (changed,) = found.changed
    assert changed.record == record
    assert told(changed) == {"move": {(old.public_id, 1, 2), (new.public_id, 2, 1)}}
    assert not Policy.objects.exists()
    assert not Batch.everywhere.filter(verb="policy").exists()
    assert Recall.everywhere.count() == 3


def test_what_was_simulated_is_what_comes():
    two_of_a_kind()
    asked(START + hours(2), "码头的狗", profile="confident", limit=1)
    with clock.at(START + hours(2)):
        draft = make.draft("event", half_life_hours=2)
        (changed,) = simulate(make.scope(), draft).changed
        save_policy(make.scope(), draft, reason="")
        (item,) = make.ask("码头的狗", profile="confident", limit=1).items
    assert [one.memory_id for one in changed.come] == [item.memory.public_id]
    assert len(changed.leave) == 1


def test_only_the_rows_that_the_draft_rules_are_touched():
    two_of_a_kind(domain="北岸")
    asked(START + hours(2), "码头的狗", profile="confident")

    def checked(*where, **values) -> tuple[int, int]:
        found = simulated(START + hours(3), *where, **values)
        return found.checked, len(found.changed)

    assert checked("event", "北岸", half_life_hours=2) == (1, 1)
    assert checked("event", half_life_hours=2) == (1, 1)
    assert checked("event", "南岸", half_life_hours=2) == (0, 0)
    assert checked("fact", half_life_hours=2) == (0, 0)
    assert checked("event", of=make.workspace("w2"), half_life_hours=2) == (0, 0)
    assert simulated(START, "event", of=make.workspace("w2"), half_life_hours=2).recalls == 0
    with clock.at(START):
        make.policy("event", "北岸", half_life_hours=700)
    assert checked("event", half_life_hours=2) == (0, 0)


@pytest.mark.parametrize(
    "values", [{"importance": 1}, {"single_valued": True}, {"review_required": True}, {}]
)
def test_what_is_for_later_writes_changes_no_answer(values):
    two_of_a_kind()
    asked(START + hours(2), "码头的狗", profile="confident")
    found = simulated(START + hours(3), "event", **values)
    assert (found.recalls, found.checked, found.changed, found.cut) == (1, 0, (), False)


def test_a_shorter_limit_lets_memories_leave_and_others_move_up():
    stale = remember_at(START, "库里还有四十箱梨", kind="inventory", importance=5)
    other = remember_at(START, "库里的梨归老周管", kind="fact", importance=1)
    asked(START + hours(1), "库里的梨")
    late = asked(START + hours(9), "库里的梨")
    found = simulated(START + hours(10), "inventory", ttl_hours=6)
    assert (found.recalls, found.checked) == (2, 2)
    (changed,) = found.changed
    assert changed.record == late
    assert told(changed) == {
        "leave": {(stale.public_id, 1, None)},
        "move": {(other.public_id, 2, 1)},
    }


@pytest.mark.parametrize("swept", [False, True])
@pytest.mark.parametrize("longer", [48, None])
def test_a_longer_limit_lets_memories_come_that_had_expired(swept, longer):
    row = remember_at(START, "forty crates of pears are in the shed", kind="inventory")
    remember_at(START, "ten crates of figs are in the shed", kind="inventory",
                expires_at=START + hours(20))  # fmt: skip
    asked(START + hours(1), "crates in the shed")
    if swept:
        with clock.at(START + hours(25)):
            assert expire_due() == 2
    record = asked(START + hours(30), "crates in the shed")
    asked(START + hours(31), "crates in the shed", kinds=["fact"])
    gone = asked(START + hours(60), "crates in the shed")
    found = simulated(START + hours(61), "inventory", ttl_hours=longer)
    changed = {one.record: told(one) for one in found.changed}
    assert changed.pop(record) == {"come": {(row.public_id, None, 1)}}
    assert list(changed) == ([] if longer else [gone])


def test_what_took_the_place_of_an_expired_value_keeps_it():
    said = {"entity": "shed", "attribute": "crates", "kind": "inventory"}
    with clock.at(START):
        make.remember(value="40", **said)
    with clock.at(START + hours(25)):
        expire_due()
    with clock.at(START + hours(26)):
        make.remember(value="12", **said)
    asked(START + hours(27), "crates in the shed")
    assert simulated(START + hours(28), "inventory", ttl_hours=99).changed == ()


def test_an_end_that_the_writer_gave_stays():
    remember_at(START, "库里还有四十箱梨", kind="inventory", expires_at=START + hours(50))
    asked(START + hours(9), "库里的梨")
    found = simulated(START + hours(10), "inventory", ttl_hours=6)
    assert (found.checked, found.changed) == (1, ())


def test_a_removed_domain_goes_by_its_kind():
    with clock.at(START):
        make.policy("inventory", "冷库", ttl_hours=100)
    row = remember_at(START, "冷库还有四十箱梨", kind="inventory", domain="冷库")
    asked(START + hours(30), "冷库的梨")
    found = simulated(START + hours(31), "inventory", "冷库", ttl_hours=24, removed=True)
    assert told(found.changed[0]) == {"leave": {(row.public_id, 1, None)}}


def test_today_is_what_the_draft_is_held_against():
    """The record is older than today's policy: the draft only takes that back."""
    old, new = two_of_a_kind()
    asked(START + hours(2), "码头的狗", profile="confident")
    with clock.at(START + hours(3)):
        make.policy("event", half_life_hours=2)
    (changed,) = simulated(START + hours(4), "event", half_life_hours=720).changed
    assert told(changed) == {"move": {(old.public_id, 2, 1), (new.public_id, 1, 2)}}
    assert simulated(START + hours(4), "event", half_life_hours=3).changed == ()


def test_the_newest_are_checked_and_the_cut_is_told():
    asked(START - timedelta(days=29), "码头的狗", profile="confident")
    two_of_a_kind()
    records = [asked(START + hours(2 + n / 10), "码头的狗", profile="confident") for n in range(5)]
    now, values = START + hours(4), {"half_life_hours": 2}
    found = simulated(now, "event", **values, bounds={"most": 2})
    assert (found.recalls, found.read, found.checked, found.cut) == (6, 2, 2, True)
    assert [one.record for one in found.changed] == records[:-3:-1]
    assert simulated(now, "event", **values, bounds={"seconds": 0}).cut
    everything = simulated(now, "event", **values)
    assert (everything.read, everything.checked, everything.cut) == (6, 5, False)
    assert simulated(now, "event", **values, bounds={"days": 1}).recalls == 5
    assert simulated(START + timedelta(days=40), "event", **values).recalls == 0


def test_an_answer_that_stays_is_looked_at_once():
    two_of_a_kind()

    def queries(half_life: int) -> int:
        with CaptureQueriesContext(connection) as captured:
            found = simulated(START + hours(3), "event", half_life_hours=half_life)
        assert found.checked == 1
        return len(captured)

    asked(START + hours(2), "码头的狗", profile="confident")
    assert queries(700) < queries(2)


def test_a_profile_of_old_is_passed_over():
    two_of_a_kind()
    asked(START + hours(2), "码头的狗")
    Recall.everywhere.update(profile="of old")
    assert simulated(START + hours(3), "event", ttl_hours=1).checked == 0


WORDS = ["码头", "仓库", "鹦鹉", "供应商", "北岸", "渡船", "灯塔", "pier", "dog", "price"]


@pytest.mark.parametrize("seed", [1, 2, 4])
@pytest.mark.parametrize(
    ("kind", "values", "upkeep"),
    [
        ("event", {"half_life_hours": 3}, True),
        ("inventory", {"ttl_hours": 6}, False),
        ("inventory", {"ttl_hours": 60}, True),
        ("inventory", {"ttl_hours": None, "half_life_hours": 400}, True),
        ("fact", {"ttl_hours": 9}, False),
    ],
)
def test_a_store_where_the_draft_ruled_all_along_answers_as_simulated(seed, kind, values, upkeep):
    """The same life twice: in w1 the draft is simulated afterwards, in w2 it ruled all along."""
    chance = random.Random(seed)
    here, there = make.workspace(), make.workspace("w2")
    with clock.at(START):
        make.policy(kind, of=there, **values)
    moment, records, truth = START, [], {}
    for step in range(40):
        moment += timedelta(minutes=chance.randint(20, 240))
        text = f"{' '.join(chance.choices(WORDS, k=4))} {step}"
        fields = {
            "kind": chance.choice(["event", "inventory", "fact"]),
            "importance": chance.randint(1, 5),
            "confidence": chance.choice([0.5, 0.6, 0.7]),
            "expires_at": chance.choice([None, None, None, moment + hours(5)]),
        }
        with clock.at(moment):
            for of in (here, there):
                make.remember(make.scope(of), text=text, **fields)
            if upkeep and step % 7 == 6:
                expire_due()
        if step % 3 == 2:
            question, moment = " ".join(chance.choices(WORDS, k=3)), moment + timedelta(minutes=1)
            options = {"profile": chance.choice(["balanced", "confident"]), "limit": 4}
            with clock.at(moment):
                was, would = (
                    make.ask(question, make.scope(of, user_id="ann"), **options)
                    for of in (here, there)
                )
            records.append(was.record)
            truth[was.record.pk] = [item.memory.text for item in would.items]
    texts = dict(Memory.everywhere.filter(workspace=here).values_list("public_id", "text"))
    found = simulated(moment + hours(1), kind, **values)
    assert not found.cut
    changed = {one.record.pk: one for one in found.changed}
    for record in records:
        served = record.candidates.filter(rank__isnull=False).order_by("rank")
        ranks = {row.memory_id: row.rank for row in served}
        if one := changed.get(record.pk):
            for moved in (*one.leave, *one.come, *one.move):
                assert ranks.pop(moved.memory_id, None) == moved.was_rank
                if moved.rank:
                    ranks[moved.memory_id] = moved.rank
        given = [texts[memory_id] for memory_id in sorted(ranks, key=ranks.get)]
        assert given == truth[record.pk]
    assert changed
