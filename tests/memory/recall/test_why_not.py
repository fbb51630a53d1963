"""Why a memory was not recalled: its user, its state, its time, the filters."""

from datetime import datetime, timedelta

import pytest

from memory import clock
from memory.models import Memory, Recall, ScopeError
from memory.recall import InvalidRequest, RecallRequest, recall
from memory.recall.why_not import why_not
from memory.write.apply import apply
from memory.write.revise import NotFound, plan_expire, plan_retract
from tests import factories as make

from .why_not_kit import START, asked, move, recalled_as_advised, served

pytestmark = pytest.mark.django_db


def test_what_is_served_says_at_which_rank():
    make.remember(text="码头六点开", importance=5)
    row = make.remember(text="码头有狗", importance=1)
    answer = why_not(asked("码头"), row.public_id)
    assert (answer.found, answer.rank, answer.gate, answer.advice) == (True, 2, "", ())
    assert [match.term for match in answer.shared] == ["码头"]


def test_asking_leaves_no_record_and_changes_nothing():
    row = make.remember(text="码头有狗")
    apply(plan_retract(make.scope(), [row]).plan("retract", ""))
    why_not(asked("码头"), row.public_id)
    assert Recall.everywhere.count() == 0
    assert Memory.everywhere.get().status == "retracted"


def test_a_foreign_memory_is_as_missing_as_one_that_never_was():
    foreign = make.remember(make.scope(make.workspace("w2")), text="码头有狗")
    others = make.remember(text="码头有狗", user_id="ben")
    for row in (foreign, others):
        with pytest.raises(NotFound):
            why_not(asked("码头"), row.public_id)
    with pytest.raises(NotFound):
        why_not(asked("码头"), foreign.public_id, make.scope())


def test_a_question_that_recall_refuses_is_refused():
    row = make.remember(text="码头有狗")
    with pytest.raises(InvalidRequest):
        why_not(asked(" "), row.public_id)
    with pytest.raises(ScopeError):
        why_not(RecallRequest(make.scope(), "码头"), row.public_id)


def test_trigger_of_a_memory_that_is_not_active_either():
    old = make.budget("800")
    make.budget("1200")
    assert recalled_as_advised(asked("谢谢"), old, "ask_with_term", "restore")


@pytest.mark.parametrize("query", ["你好呀", "thanks a lot!", "？！…"])
def test_trigger(query):
    row = make.remember(text="码头有狗")
    answer = why_not(asked(query), row.public_id)
    assert (answer.gate, answer.query_terms) == ("trigger", ())
    assert recalled_as_advised(asked(query), row, "ask_with_term")


def test_a_question_is_read_as_recall_reads_it():
    make.remember(text="A型号的库存是52", entity="A型号", attribute="库存", value="52")
    make.turn(content="A型号很好卖")
    request = asked("那批货还有吗", session_id="s1")
    row = make.remember(text="码头有狗")
    answer = why_not(request, row.public_id)
    assert answer.query_used == recall(request).record.query_used
    assert "A型号" in answer.query_used


def test_user():
    row = make.remember(text="码头有狗", user_id="ben")
    answer = why_not(asked("码头"), row.public_id, make.scope())
    assert (answer.gate, answer.reason) == ("user", "belongs to another user")
    assert recalled_as_advised(asked("码头"), row, "ask_for_user")


@pytest.mark.parametrize(
    ("states", "kind"),
    [
        (["retracted"], "restore"),
        (["expired"], "restore"),
        (["quarantined"], "approve"),
        (["quarantined", "rejected"], "remember"),
    ],
)
def test_state(states, kind):
    row = make.remember(text="码头有狗")
    move(row, *states)
    answer = why_not(asked("码头"), row.public_id)
    assert answer.gate == "state"
    assert states[-1] in answer.reason
    assert recalled_as_advised(asked("码头"), row, kind)


def test_state_superseded_names_what_a_restoration_replaces():
    old = make.budget("800")
    new = make.budget("1200")
    answer = why_not(asked("预算"), old.public_id)
    assert answer.gate == "state"
    assert answer.advice[0].values == {"replaces": [str(new.public_id)]}
    assert str(new.public_id) in answer.advice[0].sentence
    assert recalled_as_advised(asked("预算"), old, "restore")
    assert not served(asked("预算"), new)


def test_expiry_before_and_after_the_sweep():
    with clock.at(START):
        row = make.remember(text="the gate code is 4471", expires_at=START + timedelta(hours=1))
    with clock.at(START + timedelta(hours=2)):
        assert why_not(asked("gate code"), row.public_id).gate == "expiry"
        assert recalled_as_advised(asked("gate code"), row, "extend_expiry")
        swept = make.remember(text="a gate guard", expires_at=START)
        apply(plan_expire(make.scope(), [swept]).plan("expire", ""))
        assert why_not(asked("gate guard"), swept.public_id).gate == "state"
        assert recalled_as_advised(asked("gate guard"), swept, "restore")


@pytest.mark.parametrize(
    ("gate", "filters", "kind"),
    [
        ("kind", {"kinds": ["rule"]}, "drop_filter:kinds"),
        ("domain", {"domains": ["port"]}, "drop_filter:domains"),
        ("agent", {"agent_id": "planner"}, "drop_filter:agent_id"),
        ("time", {"since": START + timedelta(days=1)}, "widen_time"),
        ("time", {"until": START}, "widen_time"),
    ],
)
def test_filters(gate, filters, kind):
    row = make.remember(text="码头有狗", kind="fact", domain="pets", agent_id="guard",
                        occurred_at=START)  # fmt: skip
    request = asked("码头", **filters)
    answer = why_not(request, row.public_id)
    dropped = recall(request).dropped
    assert answer.gate == gate == dropped[0].gate
    assert answer.reason == dropped[0].reason
    assert recalled_as_advised(request, row, kind)


def test_a_time_that_shuts_it_out_is_widened_no_further_than_needed():
    row = make.remember(text="码头有狗", occurred_at=START)
    request = asked("码头", since=START - timedelta(days=9), until=START)
    (advice,) = why_not(request, row.public_id).advice
    assert set(advice.values) == {"until"}
    assert datetime.fromisoformat(advice.values["until"]) <= START + timedelta(seconds=1)
