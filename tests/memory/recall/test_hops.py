"""Two hops: what a name that two memories share leads to, and where it leads nowhere."""

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.models import EntityLink, Memory
from memory.recall.replay import replay
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-02-01 00:00")


def said(entity: str, attribute: str, value: str, text: str, **fields):
    fields = {"kind": "fact", "links": ()} | fields
    return make.remember(entity=entity, attribute=attribute, value=value, text=text, **fields)


def supplied():
    """A cloth, its supplier, and what only the supplier's own memory tells."""
    said("Apollo cloth", "supplier", "Northwind", "Apollo cloth comes from its supplier Northwind")
    return said("Northwind", "location", "Bergen", "Northwind has its mill in Bergen")


QUESTION = "In which city is the supplier of Apollo cloth?"


def texts(answer) -> list[str]:
    return [item.memory.text for item in answer.items]


def test_a_value_leads_to_the_memory_of_that_entity():
    supplied()
    make.remember(text="The canteen closes at six")
    answer = make.ask(QUESTION)
    assert texts(answer) == [
        "Apollo cloth comes from its supplier Northwind",
        "Northwind has its mill in Bergen",
    ]
    first, second = answer.items
    assert first.hop is None
    assert (second.hop.key, second.hop.via) == ("northwind", first.memory.public_id)
    assert second.parts == {"hop": second.score}
    assert second.score == pytest.approx(0.6 * first.score, abs=1e-6)
    assert [(match.term, match.how) for match in second.matches] == [("northwind", "link")]
    assert "Bergen" in answer.context.text


def test_the_road_back_and_chinese():
    said("云母板", "供应商", "海川公司", "云母板的供应商是海川公司")
    said("灰鲸改造", "用料", "云母板", "灰鲸改造用的是云母板")
    for name in ("松木板", "铝型材"):
        said(f"{name}展台", "用料", name, f"{name}展台用的是{name}")
    answer = make.ask("海川公司供应的东西，哪个改造在用？")
    assert texts(answer)[:2] == ["云母板的供应商是海川公司", "灰鲸改造用的是云母板"]
    assert answer.items[1].hop.key == "云母板"


def test_links_lead_on_as_values_do():
    make.remember(text="Project Otter is built of larch", links=("Project Otter", "larch"))
    make.remember(text="Larch boards arrive on Mondays", links=("larch", "sawmill Rokko"))
    make.remember(text="Prices at the sawmill rise in May", links=("sawmill Rokko",))
    answer = make.ask("When does the wood of Project Otter arrive?")
    assert "Larch boards arrive on Mondays" in texts(answer)


def test_what_shares_words_of_the_rest_is_lifted_above_others_that_do():
    said("灰鲸改造", "用料", "云母板", "灰鲸改造用的是云母板")
    wanted = said("云母板", "供应商", "海川公司", "云母板的供应商是海川公司")
    for number in range(12):
        said(f"杂项{number}", "供应商", f"某{number}厂", f"杂项{number}的供应商是某{number}厂")
    answer = make.ask("灰鲸改造用料的供应商是谁？")
    places = [item.memory.public_id for item in answer.items]
    assert places.index(wanted.public_id) == 1
    item = answer.items[1]
    assert item.parts["hop"] > 0
    assert item.score == pytest.approx(sum(item.parts.values()), abs=1e-6)
    assert item.score < answer.items[0].score


def test_a_superseded_link_leads_nowhere():
    supplied()
    said("Apollo cloth", "supplier", "Tarn", "Apollo cloth comes from its supplier Tarn")
    answer = make.ask(QUESTION)
    assert not any("Bergen" in text for text in texts(answer))


def test_a_retracted_memory_is_not_reached():
    apply(plan_retract(make.scope(), [supplied()]).plan("retract", ""))
    assert not any("Bergen" in text for text in texts(make.ask(QUESTION)))


def test_another_user_is_not_reached():
    said("Apollo cloth", "supplier", "Northwind", "Apollo cloth comes from its supplier Northwind")
    said("Northwind", "location", "Bergen", "Northwind has its mill in Bergen", user_id="ben")
    elsewhere = make.scope(make.workspace("w2"))
    make.remember(
        elsewhere, entity="Northwind", attribute="location", value="Oslo", text="It is in Oslo"
    )
    assert len(make.ask(QUESTION).items) == 1


@pytest.mark.parametrize(
    ("filters", "fields"),
    [
        ({"kinds": ["fact"]}, {"kind": "event"}),
        ({"domains": ["stock"]}, {"domain": "sales"}),
        ({"agent_id": "bot"}, {"agent_id": "other"}),
        ({"since": START}, {"occurred_at": START - timedelta(days=9)}),
        ({}, {"expires_at": make.instant("2026-02-20 00:00")}),
    ],
)  # fmt: skip
def test_what_a_filter_keeps_out_is_not_reached(filters, fields):
    with clock.at(make.instant("2026-02-10 09:00")):
        said(
            "Apollo cloth", "supplier", "Northwind",
            "Apollo cloth comes from its supplier Northwind", domain="stock",
        )  # fmt: skip
        said(
            "Northwind", "location", "Bergen", "Northwind has its mill in Bergen",
            **{"domain": "stock"} | fields,
        )  # fmt: skip
    with clock.at(make.instant("2026-03-01 09:00")):
        assert len(make.ask(QUESTION, **filters).items) == 1


@pytest.mark.parametrize(
    "value", ["120", "120 kg", "2026-03-01", "三百元", "周三", "the", "deadline"]
)
def test_a_number_a_day_or_a_common_word_is_no_bridge(value):
    said("Apollo cloth", "supplier", value, f"Apollo cloth has as its supplier {value}")
    make.remember(text="A heap of stones", links=(value,))
    answer = make.ask("In which city is the supplier of Apollo cloth?")
    assert "A heap of stones" not in texts(answer)


def test_values_alone_are_no_bridge():
    said("Apollo cloth", "colour", "grey", "Apollo cloth is of a grey colour")
    said("Zeus tape", "shade", "grey", "Zeus tape looks the same")
    assert texts(make.ask("Which colour has Apollo cloth beside the door?")) == [
        "Apollo cloth is of a grey colour"
    ]


def test_a_crowd_is_reached_only_by_words_of_the_rest():
    supplied()
    for number in range(12):
        said("Northwind", f"note {number}", f"n{number}", f"Northwind keeps note {number}")
    answer = make.ask(QUESTION)
    assert len(answer.items) == 1


def test_what_the_question_names_is_no_bridge():
    supplied()
    answer = make.ask("Does Northwind supply the Apollo cloth of the city?")
    assert all(item.hop is None for item in answer.items)


@pytest.mark.parametrize("greeting", ["你好", "hello", "谢谢"])
def test_a_greeting_reaches_nothing(greeting):
    make.remember(text=greeting, links=("larch",))
    make.remember(text="Larch boards arrive on Mondays", links=("larch",))
    assert make.ask(greeting).items == ()


def queries(question: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        make.ask(question)
    return len(seen)


def test_one_hop_costs_no_query_and_two_cost_two_however_many_rows_there_are():
    supplied()
    make.remember(text="Zeus tape is red")
    queries("Zeus tape red")
    enough, two = queries("Zeus tape red"), queries(QUESTION)
    assert enough < two
    for number in range(8):
        said(
            f"Cloth {number}",
            "maker",
            f"Mill {number}",
            f"Cloth {number} is woven by Mill {number}",
        )
    assert queries("Zeus tape red") == enough
    assert queries(QUESTION) == two


def test_a_record_tells_the_hop_and_replays_as_it_was():
    with clock.at(make.instant("2026-03-01 09:00")):
        supplied()
    with clock.at(make.instant("2026-03-01 10:00")):
        answer = make.ask(QUESTION)
    first, second = answer.record.candidates.filter(rank__isnull=False).order_by("rank")
    assert second.reason == f"through northwind, which {first.memory_id} names"
    assert second.matched == [["northwind", "link"]]
    with clock.at(make.instant("2026-03-02 10:00")):
        said("Apollo cloth", "supplier", "Tarn", "Apollo cloth comes from its supplier Tarn")
        EntityLink.objects.all().delete()
        seen = replay(make.scope(), answer.record)
    assert seen.equal
    assert seen.as_it_was == seen.then
    assert [placed.memory_id for placed in seen.now] != [placed.memory_id for placed in seen.then]


def test_the_past_is_followed_by_the_links_of_then():
    with clock.at(make.instant("2026-03-01 09:00")):
        supplied()
    with clock.at(make.instant("2026-03-05 09:00")):
        said("Apollo cloth", "supplier", "Tarn", "Apollo cloth comes from its supplier Tarn")
        said("Tarn", "location", "Graz", "Tarn has its mill in Graz")
        now, then = make.ask(QUESTION), make.ask(QUESTION, as_of=clock.now() - timedelta(days=2))
        assert "Tarn has its mill in Graz" in texts(now)
        assert "Northwind has its mill in Bergen" not in texts(now)
        assert "Northwind has its mill in Bergen" in texts(then)
        assert "Tarn has its mill in Graz" not in texts(then)
        assert replay(make.scope(), then.record).equal


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_records_with_hops_replay_whatever_happens_later(seed):
    chance, moment, records = random.Random(seed), make.instant("2026-03-01 09:00"), []
    names = ["Otter", "larch", "Rokko", "云母板", "灰鲸", "海川", "oak"]

    def write():
        entity, value = chance.sample(names, 2)
        side = chance.choice(["供应商", "material", "site"])
        said(
            entity, side, value, f"{entity} {side} {value}",
            links=tuple(chance.sample(names, chance.randint(0, 2))),
            user_id=chance.choice(["ann", "ann", "ben"]),
            expires_at=chance.choice([None, None, moment + timedelta(hours=9)]),
        )  # fmt: skip

    for step in range(30):
        moment += timedelta(hours=1)
        with clock.at(moment):
            write()
            rows = Memory.objects.within(make.scope(user_id="ann")).filter(status="active")
            if step % 5 == 4 and rows:
                row = chance.choice(list(rows))
                apply(plan_retract(make.scope(), [row]).plan("retract", ""))
        with clock.at(moment + timedelta(minutes=1)):
            question = f"{chance.choice(names)} {chance.choice(['material', '供应商'])} price city"
            limit = chance.choice([2, 8])
            records.append(make.ask(question, limit=limit).record)
    assert any(record.terms.get("hops") for record in records)
    with clock.at(moment + timedelta(days=1)):
        for _ in range(10):
            write()
        for record in records:
            answer = replay(make.scope(), record)
            assert answer.equal, record.query
            assert answer.as_it_was == answer.then
