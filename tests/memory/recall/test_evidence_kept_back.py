"""Turns beside memories: kept back where memory has moved on."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Memory
from memory.recall.answer import as_dict
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.revise import find, plan_restore, plan_retract
from memory.write.sweep import expire_due
from tests import factories as make

from .evidence_kit import DAY, START, asked, gates, given, known, known_en, said

pytestmark = pytest.mark.django_db


def move(memory: Memory, status: str, at) -> None:
    planner = Planner(make.scope())
    with clock.at(at):
        planner.change(find(make.scope(), memory.public_id), "move", status=status)
        apply(planner.plan("move", ""))


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize(
    ("know", "old", "query"),
    [
        (known, "我的租金是800元一个月", "我的租金是多少"),
        (known_en, "The rent of the harbour flat is 800", "what is the rent of the flat?"),
    ],
)
def test_a_superseded_value_comes_back_through_no_turn(linked, know, old, query):
    turn = said(old)
    evidence = {"turn_id": turn.public_id} if linked else {}
    memory = know("800", START, **evidence)
    before = asked(query, at=START)
    assert (given(before), gates(before)) == ([], {old: "same"}) if linked else ([old], {})
    know("1200", START + DAY)
    answer = asked(query)
    assert [item.memory.value for item in answer.items] == ["1200"]
    assert (given(answer), gates(answer)) == ([], {old: "superseded"})
    assert answer.dropped_turns[0].reason.endswith(str(memory.public_id))
    assert "800" not in answer.context.text
    assert "800" not in str(as_dict(answer)["turns"])


SPELLINGS = [
    (known, "8,000", "租金8000"),
    (known, "8000", "租金 ８０００ 元"),
    (known, "8000元", "租金降到8,000了"),
    (known, "北岸", "租金按北岸的算"),
    (known_en, "eight hundred", "Rents: Eight  hundred!"),
    (known_en, "2026-05-02", "the rent is due on 2026/5/2"),
]


@pytest.mark.parametrize(("know", "value", "content"), SPELLINGS)
def test_an_old_value_is_known_in_other_spellings(know, value, content):
    said(content)
    know(value, START)
    know("another", START + DAY)
    assert gates(asked("租金 rent")) == {content: "superseded"}


@pytest.mark.parametrize(
    ("know", "content"),
    [
        (known, "租金1800元"),
        (known, "租金付到第8000天"),
        (known, "会费800元，租金没变"[:6]),
        (known_en, "the rent went to A-800"),
        (known_en, "the harbour has 800 berths"),
    ],
)
def test_another_value_or_another_thing_is_not_held_back(know, content):
    said(content)
    know("800", START)
    know("1200", START + DAY)
    assert given(asked("租金 会费 rent harbour")) == [content]


def test_the_attribute_may_stand_in_the_turn_before():
    for content in ("租金现在是多少？", "800", "好的"):
        said(content)
    known("800", START)
    known("1200", START + DAY)
    answer = asked("租金")
    assert gates(answer)["800"] == "superseded"
    assert "租金现在是多少？" in given(answer)


def test_a_turn_with_both_values_stays_back_unless_the_current_one_came_from_it():
    said("我的租金是800元")
    both = said("租金不是800，是1200", at=START + DAY)
    known("800", START)
    known("1200", START + DAY + timedelta(minutes=1))
    answer = asked("租金")
    assert given(answer) == []
    assert set(gates(answer).values()) == {"superseded"}
    known("900", START + 2 * DAY)
    known("1200", START + 3 * DAY, turn_id=both.public_id)
    answer = asked("租金")
    assert given(answer) == []
    assert gates(answer)["租金不是800，是1200"] == "same"


def test_evidence_of_another_fact_does_not_excuse_an_old_value():
    turn = said("我的租金是800元，住在北岸")
    known("800", START, turn_id=turn.public_id)
    known("北岸", START, attribute="住处", turn_id=turn.public_id)
    assert gates(asked("租金"))[turn.content] == "same"
    known("1200", START + DAY)
    assert gates(asked("住处 租金"))[turn.content] == "superseded"


def test_what_was_said_after_the_change_is_news():
    known("800", START)
    known("1200", START + DAY)
    said("租金又是800了", at=START + 2 * DAY)
    assert given(asked("租金")) == ["租金又是800了"]


def test_an_old_value_that_is_current_again_is_not_held_back():
    said("我的租金是800元")
    for day, value in enumerate(("800", "1200", "800")):
        known(value, START + day * DAY)
    assert given(asked("租金")) == ["我的租金是800元"]


def test_what_was_retracted_is_held_back_and_served_again_when_restored():
    turn = said("租金涨到800了", session_id="s9")
    memory = known("800", START, text="房东说租金是800")
    assert given(asked("租金")) == [turn.content]
    with clock.at(START + DAY):
        apply(plan_retract(make.scope(), [memory]).plan("retract", ""))
    answer = asked("租金")
    assert (given(answer), gates(answer)) == ([], {turn.content: "superseded"})
    with clock.at(START + 2 * DAY):
        apply(plan_restore(make.scope(), find(make.scope(), memory.public_id)).plan("restore", ""))
    assert given(asked("租金")) == [turn.content]


@pytest.mark.parametrize("text", ["客户喜欢蓝色的帆布", "The client likes blue canvas"])
def test_a_retracted_sentence_without_parts_is_held_back_by_its_words(text):
    said(f"{text}。")
    with clock.at(START):
        memory = make.remember(text=text)
    with clock.at(START + DAY):
        apply(plan_retract(make.scope(), [memory]).plan("retract", ""))
    assert gates(asked("帆布 canvas")) == {f"{text}。": "superseded"}


@pytest.mark.parametrize(
    ("status", "gate"), [("quarantined", "superseded"), ("active", ""), ("retracted", "superseded")]
)
def test_evidence_of_what_does_not_stand_is_held_back_whatever_it_says(status, gate):
    turn = said("改成这个数吧")
    with clock.at(START):
        memory = make.remember(text="夜班补贴是九十", turn_id=turn.public_id)
    if status != "active":
        move(memory, status, START + DAY)
    assert gates(asked("改成这个数")).get(turn.content, "") == gate


def test_a_rejected_memory_holds_back_its_own_evidence_only():
    own, other = said("夜班补贴是90"), said("夜班补贴是90吧", session_id="s2")
    with clock.at(START):
        memory = make.remember(
            entity="夜班", attribute="补贴", value="90", turn_id=own.public_id, kind="fact"
        )
    move(memory, "quarantined", START + DAY)
    move(memory, "rejected", START + 2 * DAY)
    answer = asked("夜班补贴")
    assert (given(answer), gates(answer)) == ([other.content], {own.content: "superseded"})


def test_what_has_expired_is_held_back_swept_or_not():
    said("冷库库存38箱")
    known("38", START, entity="冷库", attribute="库存", expires_at=START + DAY)
    assert given(asked("冷库库存", at=START + DAY - timedelta(seconds=1))) == ["冷库库存38箱"]
    said("冷库库存又是38箱", at=START + 3 * DAY, session_id="s2")
    for _ in range(2):
        answer = asked("冷库库存")
        assert given(answer) == ["冷库库存又是38箱"]
        assert gates(answer) == {"冷库库存38箱": "superseded"}
        with clock.at(START + 4 * DAY):
            expire_due()
