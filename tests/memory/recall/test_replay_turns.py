"""Recorded recalls with turns, asked again."""

import random
from datetime import timedelta

import pytest

from memory import clock
from memory.models import Memory, Recall
from memory.recall.replay import replay, request_of
from memory.write.apply import apply
from memory.write.revise import find, plan_restore, plan_retract
from tests import factories as make

from .evidence_kit import DAY, START, known, said

pytestmark = pytest.mark.django_db


def deposit(value: str, at, **fields) -> Memory:
    return known(value, at, attribute="押金", **fields)


def recorded(query: str, at=START + DAY, **fields) -> Recall:
    with clock.at(at):
        return make.ask(query, **fields).record


def replayed(record: Recall, at=START + 30 * DAY):
    with clock.at(at):
        return replay(make.scope(), record)


def ids(ranking) -> list:
    return [placed.turn_id for placed in ranking]


def moves(answer) -> dict:
    return {one.turn_id: (one.was_rank, one.now_rank, one.cause.kind) for one in answer.turns.moves}


def test_the_record_keeps_turns_beside_memories():
    given, kept_back = said("押金的收据"), said("押金500", session_id="s2")
    deposit("500", START)
    memory = deposit("650", START + timedelta(hours=1))
    record = recorded("押金")
    assert (record.served, record.turns_seen) == (1, [kept_back.pk, given.pk])
    assert "turns" not in record.filters
    rows = record.candidates.order_by("id")
    assert [(c.memory_id, c.turn_id, c.rank, c.gate) for c in rows] == [
        (memory.public_id, None, 1, ""),
        (None, given.public_id, 1, ""),
        (None, kept_back.public_id, None, "superseded"),
    ]
    assert all(row.score == pytest.approx(sum(row.parts.values()), abs=2e-6) for row in rows)
    assert not any(row.stale for row in rows)


def test_turns_said_later_change_now_but_not_then():
    first = said("押金的收据")
    record = recorded("押金")
    later = said("押金 押金", at=START + 2 * DAY, session_id="s2")
    answer = replayed(record)
    assert answer.equal
    assert answer.turns.as_it_was == answer.turns.then
    assert ids(answer.turns.then) == [first.public_id]
    assert ids(answer.turns.now) == [later.public_id, first.public_id]
    assert moves(answer) == {
        first.public_id: (1, 2, "others"), later.public_id: (None, 1, "others"),
    }  # fmt: skip


def test_a_change_of_memory_that_holds_a_turn_back_is_named():
    turn = said("押金500元", session_id="s2")
    memory = deposit("500", START, text="房东收押金五百")
    record = recorded("押金")
    assert record.candidates.filter(turn_id=turn.public_id, rank=1).exists()
    deposit("650", START + 2 * DAY)
    answer = replayed(record)
    assert answer.equal
    assert (ids(answer.turns.then), ids(answer.turns.now)) == ([turn.public_id], [])
    assert moves(answer) == {turn.public_id: (1, None, "batch")}
    assert [batch.verb for batch in answer.turns.moves[0].cause.batches] == ["remember"]
    after = recorded("押金", at=START + 3 * DAY)
    assert replayed(after).equal
    assert replayed(after).turns.then == ()
    with clock.at(START + 4 * DAY):
        row = find(make.scope(), memory.public_id)
        apply(plan_retract(make.scope(), [row]).plan("retract", ""))
    assert replayed(after).equal
    assert replayed(record).equal


def test_retracted_and_restored():
    turn = said("押金500元", session_id="s2")
    memory = deposit("500", START, text="房东收押金五百")
    with clock.at(START + DAY):
        apply(plan_retract(make.scope(), [memory]).plan("retract", "记错"))
    record = recorded("押金", at=START + 2 * DAY)
    with clock.at(START + 3 * DAY):
        row = find(make.scope(), memory.public_id)
        apply(plan_restore(make.scope(), row).plan("restore", "没错"))
    answer = replayed(record)
    assert (answer.equal, answer.turns.then) == (True, ())
    assert moves(answer) == {turn.public_id: (None, 1, "batch")}
    assert [batch.reason for batch in answer.turns.moves[0].cause.batches] == ["没错"]


def test_time_alone_is_policy():
    text = "押金 " + " ".join(f"w{number}" for number in range(40))
    old = said(text, at=START - 6 * DAY)
    new = said(f"{text} more", session_id="s2")
    record = recorded("押金", at=START)
    answer = replayed(record, at=START + 26 * DAY)
    assert answer.equal
    assert ids(answer.turns.then) == [old.public_id, new.public_id]
    assert moves(answer) == {old.public_id: (1, 2, "policy"), new.public_id: (2, 1, "policy")}


def test_a_record_that_does_not_replay_says_so():
    said("押金的收据")
    record = recorded("押金")
    record.candidates.update(rank=None, gate="limit")
    assert not replayed(record).equal


def test_the_number_of_turns_is_the_records():
    for number in range(6):
        said(f"押金 {number}", session_id=f"s{number}")
    record = recorded("押金", turns=6)
    assert record.filters["turns"] == 6
    assert request_of(make.scope(user_id="ann"), record).turns == 6
    answer = replayed(record)
    assert answer.equal
    assert len(answer.turns.then) == len(answer.turns.now) == 6
    none = recorded("押金", turns=0)
    assert replayed(none).turns.now == ()


def test_a_recall_of_the_past_is_replayed_in_that_past():
    first = said("押金的收据")
    said("押金 押金", at=START + 2 * DAY, session_id="s2")
    record = recorded("押金", at=START + 3 * DAY, as_of=START + DAY)
    answer = replayed(record)
    assert answer.equal
    assert ids(answer.turns.now) == [first.public_id]
    assert answer.turns.moves == ()


WORDS = ["押金", "收据", "船坞", "缆绳", "rent", "pier", "500", "650", "700", "是", "，"]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_said_and_changed_a_record_replays(seed):
    chance, moment, records = random.Random(seed), START, []
    for step in range(48):
        moment += timedelta(minutes=chance.randint(1, 300))
        text = "".join(chance.choices(WORDS, k=chance.randint(2, 6)))
        with clock.at(moment):
            act = chance.random()
            if act < 0.55:
                make.turn(
                    content=text,
                    session_id=f"s{chance.randint(1, 3)}",
                    user_id=chance.choice(["ann", "ann", "ann", "ben"]),
                    role=chance.choice(["user", "assistant", "system"]),
                    agent_id=chance.choice(["", "", "guide"]),
                )
            elif act < 0.85:
                value = chance.choice(["500", "650", "700"])
                deposit(value, moment, expires_at=chance.choice([None, None, moment + DAY]))
            elif row := Memory.objects.within(make.scope()).filter(status="active").first():
                apply(plan_retract(make.scope(), [row]).plan("retract", ""))
        if step % 6 == 5:
            moment += timedelta(minutes=1)
            query = " ".join(chance.choices(WORDS[:6], k=2))
            fields = {
                "turns": chance.choice([1, 4, 20]),
                "session_id": chance.choice(["", "s1"]),
                "agent_id": chance.choice(["", "guide"]),
                "profile": chance.choice(["balanced", "confident"]),
                "budget_tokens": chance.choice([200, 1200]),
            }
            records.append(recorded(query, at=moment, **fields))
    assert sum(record.candidates.filter(turn_id__isnull=False).count() for record in records) > 9
    for record in records:
        answer = replayed(record, at=moment + DAY)
        assert answer.equal, record.query
        assert answer.turns.as_it_was == answer.turns.then
        assert answer.as_it_was == answer.then
