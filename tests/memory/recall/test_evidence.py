"""Turns beside memories: found where memory holds nothing, ranked, bounded and told."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.recall import InvalidRequest
from memory.write.turns import Utterance, add_turns
from tests import factories as make

from .evidence_kit import DAY, START, asked, gates, given, known, said

pytestmark = pytest.mark.django_db


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
