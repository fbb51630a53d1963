"""A recorded recall asked again: of the store as it was, and of the store as it is."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Recall, ScopeError
from memory.recall.replay import as_dict
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.revise import find, plan_amend, plan_restore, plan_retract
from memory.write.sweep import expire_due
from tests import factories as make

from .replay_kit import LATER, START, change_at, ids, moves, recorded, remember_at, replayed

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("texts", "query"),
    [
        (["码头六点开", "码头有狗", "仓库也有狗"], "码头的狗"),
        (["the pier opens at six", "a dog guards the pier", "no cats"], "pier dog"),
    ],
)
def test_an_unchanged_store_answers_the_same(texts, query):
    rows = remember_at(START, *texts)
    record = recorded(query)
    answer = replayed(record, at=START + timedelta(hours=1))
    assert answer.equal
    assert ids(answer.then) == ids(answer.as_it_was) == ids(answer.now)
    assert len(answer.then) >= 2
    assert set(ids(answer.then)) <= {row.public_id for row in rows}
    assert [placed.rank for placed in answer.then] == list(range(1, len(answer.then) + 1))
    assert answer.moves == ()


def test_a_replay_is_no_recall():
    remember_at(START, "码头有狗")
    record = recorded("码头")
    replayed(record)
    assert Recall.everywhere.count() == 1


def test_a_correction_is_named_on_both_of_its_rows():
    with clock.at(START):
        old = make.budget("800")
    record = recorded("预算")
    with clock.at(LATER):
        new = make.budget("1200", reason="涨了")
    answer = replayed(record)
    assert answer.equal
    assert (ids(answer.as_it_was), ids(answer.now)) == ([old.public_id], [new.public_id])
    assert moves(answer) == {
        old.public_id: (1, None, "batch"),
        new.public_id: (None, 1, "batch"),
    }
    (batch,) = as_dict(answer)["moves"][0]["batches"]
    assert (batch["verb"], batch["actor"], batch["reason"]) == ("remember", "person:ann", "涨了")


def test_there_and_back_names_every_batch_only_where_it_moved():
    (row,) = remember_at(START, "码头有狗")
    record = recorded("码头")
    change_at(LATER, lambda: plan_retract(make.scope(), [row]), "retract", "看错了")
    gone = replayed(record)
    assert gone.equal
    assert moves(gone) == {row.public_id: (1, None, "batch")}
    assert [batch.reason for batch in gone.moves[0].cause.batches] == ["看错了"]
    row = find(make.scope(), row.public_id)
    change_at(LATER, lambda: plan_restore(make.scope(), row), "restore")
    back = replayed(record)
    assert back.equal
    assert back.moves == ()


def test_a_newcomer_moves_those_below_it():
    low, high = remember_at(START, "码头上养着一只狗", "码头")
    record = recorded("码头")
    assert [c.memory_id for c in record.candidates.all()] == [high.public_id, low.public_id]
    (new,) = remember_at(LATER, "码头 码头", importance=5)
    answer = replayed(record)
    assert answer.equal
    assert moves(answer) == {
        new.public_id: (None, 1, "batch"),
        high.public_id: (1, 2, "others"),
        low.public_id: (2, 3, "others"),
    }
    named = {move.memory_id: move.cause.batches for move in answer.moves}
    assert named[high.public_id] == named[new.public_id]


def test_what_leaves_the_limit_lets_another_in():
    first, second = remember_at(START, "码头", "码头上养着一只狗")
    record = recorded("码头", limit=1)
    change_at(LATER, lambda: plan_retract(make.scope(), [first]), "retract", "拆了")
    answer = replayed(record)
    assert answer.equal
    assert moves(answer) == {
        first.public_id: (1, None, "batch"),
        second.public_id: (None, 1, "others"),
    }
    assert [batch.reason for batch in answer.moves[1].cause.batches] == ["拆了"]


def test_time_alone_is_policy():
    (row,) = remember_at(START, "码头今天有雾", expires_at=LATER)
    kept, *_ = remember_at(START, "码头有狗")
    record = recorded("码头")
    before = replayed(record, at=LATER - timedelta(hours=1))
    assert (before.equal, before.moves) == (True, ())
    after = replayed(record, at=LATER)
    assert after.equal
    assert moves(after)[row.public_id][1:] == (None, "policy")
    assert ids(after.now) == [kept.public_id]


def test_a_sweep_is_the_batch_that_it_was():
    (row,) = remember_at(START, "码头今天有雾", expires_at=LATER)
    record = recorded("码头")
    with clock.at(LATER):
        expire_due()
    answer = replayed(record)
    assert moves(answer) == {row.public_id: (1, None, "batch")}
    assert [(b.verb, b.actor) for b in answer.moves[0].cause.batches] == [("expire", "maintenance")]


def test_freshness_alone_is_policy():
    (worn,) = remember_at(START - timedelta(days=6), "码头有狗")
    (young,) = remember_at(START, "码头有狗有鸟")
    record = recorded("码头有狗")
    answer = replayed(record, at=START + timedelta(days=26))
    assert answer.equal
    assert moves(answer) == {
        worn.public_id: (1, 2, "policy"),
        young.public_id: (2, 1, "policy"),
    }


def test_an_index_of_another_analyser_is_named():
    (row,) = remember_at(START, "码头有狗")
    record = recorded("码头")
    record.analyser = "0-older"
    record.save(update_fields=["analyser"])
    record.candidates.update(rank=None, gate="limit")
    answer = replayed(Recall.everywhere.get())
    assert not answer.equal
    assert moves(answer) == {row.public_id: (None, 1, "index")}


def test_the_same_difference_under_the_same_analyser_is_policy():
    (row,) = remember_at(START, "码头有狗")
    record = recorded("码头")
    record.candidates.update(rank=None, gate="limit")
    answer = replayed(record)
    assert not answer.equal
    assert moves(answer) == {row.public_id: (None, 1, "policy")}


def test_filters_profile_limit_and_budget_are_the_records():
    rows = remember_at(START, "码头长" + "而窄" * 60, "码头有狗", "码头有猫", kind="event")
    remember_at(START, "码头六点开", kind="rule")
    remember_at(START, "码头有鸟", kind="event", agent_id="other")
    record = recorded(
        "码头",
        kinds=["event"],
        agent_id="guard",
        limit=2,
        budget_tokens=160,
        since=START,
        until=START + timedelta(hours=1),
    )
    assert 0 < record.served <= 2
    answer = replayed(record)
    assert answer.equal
    assert answer.moves == ()
    assert set(ids(answer.now)) <= {row.public_id for row in rows}


def test_a_recall_of_the_past_is_replayed_in_that_past():
    with clock.at(START):
        old = make.budget("800")
    with clock.at(LATER):
        make.budget("1200")
    record = recorded("预算", at=LATER, as_of=START)
    answer = replayed(record, at=LATER + timedelta(days=9))
    assert answer.equal
    assert ids(answer.now) == [old.public_id]
    assert answer.moves == ()


def test_what_was_not_triggered_has_nothing_to_replay():
    remember_at(START, "你好")
    record = recorded("你好")
    assert not record.triggered
    answer = replayed(record)
    assert answer.equal
    assert (answer.then, answer.as_it_was, answer.now, answer.moves) == ((), (), (), ())


def test_a_scope_of_another_user_replays_nothing():
    remember_at(START, "码头有狗")
    record = recorded("码头")
    with pytest.raises(ScopeError):
        replayed(record, scope=make.scope(user_id="ben"))


def test_rows_of_others_neither_show_nor_count():
    remember_at(START, "码头有狗", "仓库有狗")
    record = recorded("码头 狗")
    with clock.at(LATER):
        for number in range(5):
            make.remember(text=f"狗 {number}", user_id="ben")
    answer = replayed(record)
    assert answer.equal
    assert answer.moves == ()


def test_an_amendment_of_importance_moves_and_is_named():
    first, second = remember_at(START, "码头有狗", "码头有猫", importance=3)
    record = recorded("码头")
    was = [c.memory_id for c in record.candidates.all()]
    loser = find(make.scope(), was[-1])
    change_at(LATER, lambda: plan_amend(make.scope(), loser, {"importance": 5}), "correct", "要紧")
    answer = replayed(record)
    assert answer.equal
    assert set(ids(answer.as_it_was)) == {first.public_id, second.public_id}
    found = moves(answer)
    assert found[loser.public_id] == (2, None, "batch")
    assert found[was[0]] == (1, 2, "others")


def test_a_state_set_back_by_hand_is_seen_as_it_was():
    (row,) = remember_at(START, "码头有狗")
    planner = Planner(make.scope())
    with clock.at(START + timedelta(minutes=1)):
        planner.change(row, "move", status="quarantined")
        apply(planner.plan("move", ""))
    record = recorded("码头", at=START + timedelta(minutes=2))
    assert record.served == 0
    again = Planner(make.scope())
    with clock.at(LATER):
        again.change(find(make.scope(), row.public_id), "move", status="active")
        apply(again.plan("move", "好了"))
    answer = replayed(record)
    assert (answer.equal, ids(answer.as_it_was)) == (True, [])
    assert moves(answer) == {row.public_id: (None, 1, "batch")}
