"""Turns beside memories: found where memory holds nothing, kept back where it has moved on."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.models import Memory
from memory.recall import InvalidRequest
from memory.recall.answer import as_dict
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.revise import find, plan_restore, plan_retract
from memory.write.sweep import expire_due
from memory.write.turns import Utterance, add_turns
from tests import factories as make

pytestmark = pytest.mark.django_db
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


def move(memory: Memory, status: str, at) -> None:
    planner = Planner(make.scope())
    with clock.at(at):
        planner.change(find(make.scope(), memory.public_id), "move", status=status)
        apply(planner.plan("move", ""))


@pytest.mark.parametrize(
    ("content", "query", "shown"),
    [
        ("渡船周三停航", "渡船哪天停", "- [用户，9 天前] 渡船周三停航"),
        (
            "No ferry on Wednesday",
            "when is no ferry?",
            "- [user, 9 days ago] No ferry on Wednesday",
        ),
    ],
)
def test_what_was_never_remembered_is_found_in_what_was_said(content, query, shown):
    turn = said(content)
    answer = asked(query)
    assert (answer.items, given(answer)) == ((), [content])
    assert shown in answer.context.text
    assert answer.context.blocks["background"] == [str(turn.public_id)]
    assert given(asked("鹦鹉 parrot")) == []


def test_parts_add_up_and_hold_neither_importance_nor_confidence():
    said("渡船周三停航")
    for profile in ("balanced", "confident"):
        (item,) = asked("渡船停航", profile=profile).turns
        assert set(item.parts) == {"relevance", "freshness"}
        assert item.score == pytest.approx(sum(item.parts.values()), abs=2e-6)
        assert 0 < item.score < 1
    (old,) = asked("渡船停航", at=START + 99 * DAY).turns
    (new,) = asked("渡船停航", at=START).turns
    assert old.parts["relevance"] == new.parts["relevance"]
    assert old.parts["freshness"] < new.parts["freshness"]


def test_what_was_said_counts_more_than_what_was_said_before():
    said("渡船")
    said("好的", at=START + DAY)
    assert given(asked("渡船")) == ["渡船", "好的"]


def test_of_equals_the_newest_is_first():
    for number in range(3):
        said("渡船 七点", session_id=f"s{number}", at=START + timedelta(minutes=number))
    times = [item.turn.occurred_at for item in asked("渡船").turns]
    assert times == sorted(times, reverse=True)


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


def test_a_memory_that_is_given_is_not_said_twice():
    turn = said("码头的灯塔是红的！", session_id="s2")
    with clock.at(START):
        make.remember(text="码头的灯塔是红的")
    answer = asked("灯塔", session_id="s2")
    assert (given(answer), gates(answer)) == ([], {turn.content: "same"})
    assert given(asked("灯塔", kinds=[], budget_tokens=1200, limit=8, turns=4)) == []


def test_turns_of_another_user_or_agent_are_never_given():
    said("渡船停航", user_id="ben")
    said("渡船停航了", agent_id="clerk")
    mine = said("渡船七点开", agent_id="guide", session_id="s2")
    answer = asked("渡船", agent_id="guide")
    assert (given(answer), gates(answer)) == ([mine.content], {"渡船停航了": "agent"})
    assert len(asked("渡船").turns) == 2


def test_a_question_for_kinds_or_domains_or_without_turns_gives_none():
    said("渡船停航")
    for fields in ({"kinds": ["fact"]}, {"domains": ["harbour"]}, {"turns": 0}):
        answer = asked("渡船", **fields)
        assert (answer.turns, answer.dropped_turns) == ((), ())
    assert given(asked("渡船", until=START)) == []
    assert given(asked("渡船", since=START)) == ["渡船停航"]


def test_the_number_of_turns_is_bounded_and_the_others_are_told():
    for number in range(30):
        said(f"渡船 {number}", session_id=f"s{number}")
    answer = asked("渡船")
    assert len(answer.turns) == 4
    assert set(gates(answer).values()) == {"limit"}
    assert len(answer.dropped_turns) == 20
    assert len(asked("渡船", turns=20).turns) == 20
    for wrong in (-1, 21):
        with pytest.raises(InvalidRequest, match="turns"):
            asked("渡船", turns=wrong)


def test_small_talk_reads_no_turns():
    said("你好")
    assert asked("你好").turns == ()


def test_the_past_has_its_own_turns_and_its_own_truth():
    said("我的租金是800元")
    known("800", START)
    known("1200", START + DAY)
    said("租金的事定了", at=START + 2 * DAY, session_id="s2")
    then = asked("租金", as_of=START + timedelta(hours=1))
    assert given(then) == ["我的租金是800元"]
    later = asked("租金", as_of=START + 3 * DAY)
    assert (given(later), gates(later)) == (["租金的事定了"], {"我的租金是800元": "superseded"})


def test_queries_do_not_grow_with_turns():
    counts = []

    def count(**fields) -> int:
        with CaptureQueriesContext(connection) as queries:
            counts.append(len(asked("渡船", **fields).turns))
        return len(queries)

    none = count()
    known("800", START)
    known("1200", START)
    said("渡船 租金 800")
    said("渡船", session_id="s0")
    few, then = count(), count(as_of=START)
    add_turns(
        make.scope(user_id="ann"),
        [Utterance("user", f"渡船 {number}", session_id=f"s{number}") for number in range(60)],
    )
    for day in range(20):
        known(str(day), START + day * DAY)
    assert (count(), count(as_of=START)) == (few, then)
    assert none < few <= none + 6
    assert counts[0] == 0
    assert counts[-2] == 4
