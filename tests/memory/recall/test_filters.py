"""Hard filters, and what the answer says of the memories that they kept out."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import ScopeError
from memory.recall import InvalidRequest, RecallRequest, recall
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def served(answer) -> list[str]:
    return sorted(item.memory.text for item in answer.items)


def gates(answer) -> list[tuple[str, str]]:
    return [(drop.memory.summary, drop.gate) for drop in answer.dropped]


CASES = {
    "kind": ({"kinds": ["fact"]}, {"kind": "fact"}, {"kind": "event"}),
    "domain": ({"domains": ["work"]}, {"domain": "work"}, {"domain": ""}),
    "agent": ({"agent_id": "planner"}, {"agent_id": "planner"}, {"agent_id": "buyer"}),
}


@pytest.mark.parametrize("gate", CASES)
def test_a_filter_keeps_out_and_says_so(gate):
    asked, inside, outside = CASES[gate]
    make.remember(text="码头 inside", **inside)
    make.remember(text="码头 outside", **outside)
    answer = make.ask("码头", **asked)
    assert served(answer) == ["码头 inside"]
    assert gates(answer) == [("码头 outside", gate)]
    assert "outside" not in answer.context.text
    plain = make.ask("码头")
    assert served(plain) == ["码头 inside", "码头 outside"]
    assert plain.dropped == ()


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        ({"since": START}, [0, 1]),
        ({"until": START}, [-1]),
        ({"since": START, "until": START + timedelta(days=1)}, [0]),
    ],
)
def test_the_time_is_from_since_up_to_but_not_at_until(asked, days):
    for day in (-1, 0, 1):
        make.remember(text=f"码头 {day:+}", occurred_at=START + timedelta(days=day))
    answer = make.ask("码头", **asked)
    assert served(answer) == sorted(f"码头 {day:+}" for day in days)
    assert {gate for _, gate in gates(answer)} == {"time"}
    assert len(answer.items) + len(answer.dropped) == 3


def test_what_has_expired_is_dropped_before_any_sweep():
    with clock.at(START):
        make.remember(entity="货舱", attribute="库存", value="52", kind="inventory")
        make.remember(text="货舱 锁着")
    with clock.at(START + timedelta(hours=23)):
        assert len(make.ask("货舱").items) == 2
    with clock.at(START + timedelta(hours=24)):
        answer = make.ask("货舱")
    assert served(answer) == ["货舱 锁着"]
    assert gates(answer) == [("货舱的库存是52", "expiry")]
    assert "52" not in answer.context.text
    assert not answer.record.candidates.filter(stale=True).exists()


def test_the_first_gate_is_the_one_that_is_told():
    with clock.at(START):
        make.remember(text="码头", kind="event", expires_at=START)
        assert gates(make.ask("码头", kinds=["fact"])) == [("码头", "expiry")]


def test_the_limit_takes_the_best_and_names_the_rest():
    for number in range(5):
        make.remember(text=f"码头 {number}", importance=number + 1)
    answer = make.ask("码头", limit=2)
    assert [item.memory.importance for item in answer.items] == [5, 4]
    assert {gate for _, gate in gates(answer)} == {"limit"}
    assert len(answer.dropped) == 3


def test_the_budget_leaves_out_whole_memories_and_names_them():
    make.remember(text="码头长" + "而窄" * 60, importance=5)
    make.remember(text="码头短", importance=1)
    roomy = make.ask("码头", budget_tokens=400)
    assert len(roomy.items) == 2
    tight = make.ask("码头", budget_tokens=170)
    assert served(tight) == ["码头短"]
    assert [gate for _, gate in gates(tight)] == ["budget"]
    assert tight.context.tokens <= 170
    none = make.ask("码头", budget_tokens=1)
    assert (none.items, none.context.text, none.context.tokens) == ((), "", 0)
    assert [gate for _, gate in gates(none)] == ["budget", "budget"]


def test_filters_hold_for_the_past_as_well():
    with clock.at(START):
        make.remember(text="码头 a", kind="event", agent_id="buyer")
        make.remember(text="码头 b", kind="rule", expires_at=START + timedelta(hours=1))
    asked = START + timedelta(minutes=30)
    assert served(make.ask("码头", as_of=asked)) == ["码头 a", "码头 b"]
    assert served(make.ask("码头", as_of=asked, kinds=["rule"])) == ["码头 b"]
    assert served(make.ask("码头", as_of=asked, agent_id="planner")) == ["码头 b"]
    assert served(make.ask("码头", as_of=START + timedelta(hours=2))) == ["码头 a"]


def test_a_recall_without_a_user_is_refused():
    make.remember(text="码头")
    with pytest.raises(ScopeError):
        recall(RecallRequest(make.scope(), "码头"))


def test_nothing_of_others_is_served_or_named():
    make.remember(text="码头 ann")
    make.remember(text="码头 ben", user_id="ben")
    make.remember(make.scope(make.workspace("w2")), text="码头 elsewhere")
    answer = make.ask("码头", kinds=["rule"])
    assert gates(answer) == [("码头 ann", "kind")]
    assert served(make.ask("码头", make.scope(user_id="ben"))) == ["码头 ben"]
    assert served(make.ask("码头", make.scope(make.workspace("w2"), "ann"))) == ["码头 elsewhere"]
    assert make.ask("码头", make.scope(user_id="nobody")).items == ()


@pytest.mark.parametrize(
    ("field", "asked"),
    [
        ("query", {"query": ""}),
        ("query", {"query": " \u3000\n"}),
        ("query", {"query": "长" * 100_000}),
        ("query", {"query": "half \ud83d"}),
        ("query", {"query": "a\0b"}),
        ("limit", {"limit": 0}),
        ("limit", {"limit": 51}),
        ("budget_tokens", {"budget_tokens": 0}),
        ("budget_tokens", {"budget_tokens": 32_001}),
        ("kinds", {"kinds": ["fact", "gossip"]}),
        ("profile", {"profile": "loud"}),
        ("since", {"since": START.replace(tzinfo=None)}),
        ("until", {"until": START.replace(tzinfo=None)}),
        ("as_of", {"as_of": START.replace(tzinfo=None)}),
    ],
)
def test_what_cannot_be_asked_is_named(field, asked):
    with pytest.raises(InvalidRequest) as refused:
        make.ask(**{"query": "码头"} | asked)
    assert [name for name, _ in refused.value.errors] == [field]


@pytest.mark.parametrize("query", ["？？！", '"', "*", "( )", "\u200b", "🙂", "的", "is", "%_"])
def test_a_question_of_symbols_or_small_words_is_answered(query):
    make.remember(text="码头 the pier")
    answer = make.ask(query)
    assert answer.record.pk
    assert answer.record.query == query


def test_a_very_long_question_is_cut_and_says_so():
    make.remember(text="码头")
    answer = make.ask("码头 " + "长" * 19_000)
    assert answer.query.truncated
    assert served(answer) == ["码头"]
