"""A recorded recall asked again under another half-life: what moves, and what is named."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Memory
from memory.recall.replay import as_dict
from tests import factories as make

from .replay_kit import LATER, START, ids, moves, recorded, remember_at, replayed

pytestmark = pytest.mark.django_db


def two_of_a_kind() -> tuple[Memory, Memory]:
    """The surer one is the older one; a short half-life gives the newer one the first rank."""
    before = START - timedelta(days=2)
    (old,) = remember_at(before, "码头有一只狗", kind="event", confidence=0.66)
    (new,) = remember_at(START, "码头有两只狗", kind="event", confidence=0.6)
    return old, new


def test_another_half_life_moves_now_but_not_the_replay_and_is_named():
    old, new = two_of_a_kind()
    record = recorded("码头的狗", profile="confident")
    before = replayed(record, at=START + timedelta(hours=1))
    assert (before.equal, before.moves) == (True, ())
    assert ids(before.then) == [old.public_id, new.public_id]
    with clock.at(START + timedelta(hours=2)):
        make.policy("rule", half_life_hours=5)
        make.policy("event", ttl_hours=9000)
        make.policy("event", half_life_hours=2)
    answer = replayed(record, at=START + timedelta(hours=2, minutes=1))
    assert answer.equal
    assert answer.as_it_was == answer.then
    assert ids(answer.now) == [new.public_id, old.public_id]
    assert [move.cause.kind for move in answer.moves] == ["batch", "batch"]
    for move in as_dict(answer)["moves"]:
        (named,) = move["policies"]
        assert (named["kind"], named["domain"], named["version"]) == ("event", "", 2)
        assert (named["actor"], named["removed"]) == ("person:ann", False)
        assert named["changes"] == {"half_life_hours": [720, 2]}


def test_a_half_life_alone_is_policy_and_a_domains_own_is_named_by_its_domain():
    old, new = two_of_a_kind()
    record = recorded("码头的狗", profile="confident")
    with clock.at(START + timedelta(hours=2)):
        make.policy("event", "别处", half_life_hours=9)
        make.policy("event", half_life_hours=2)
    answer = replayed(record, at=START + timedelta(hours=2, minutes=1))
    assert moves(answer) == {
        old.public_id: (1, 2, "policy"),
        new.public_id: (2, 1, "policy"),
    }
    assert [c.policy.domain for m in answer.moves for c in m.cause.policies] == ["", ""]


def test_a_half_life_of_another_domain_moves_nothing():
    two_of_a_kind()
    record = recorded("码头的狗", profile="confident")
    with clock.at(START + timedelta(hours=2)):
        make.policy("event", "别处", half_life_hours=2)
        make.policy("event", of=make.workspace("w2"), half_life_hours=2)
    answer = replayed(record, at=START + timedelta(hours=2, minutes=1))
    assert (answer.equal, answer.moves) == (True, ())


def test_time_alone_names_no_policy_although_one_was_changed():
    (worn,) = remember_at(START - timedelta(days=6), "码头有狗")
    (young,) = remember_at(START, "码头有狗有鸟")
    record = recorded("码头有狗")
    with clock.at(START + timedelta(hours=2)):
        make.policy("other", half_life_hours=2)
    answer = replayed(record, at=START + timedelta(days=26))
    assert set(moves(answer)) == {worn.public_id, young.public_id}
    assert [move.cause.policies for move in answer.moves] == [(), ()]


def test_a_recall_of_the_past_is_ranked_by_the_policies_of_that_past():
    old, new = two_of_a_kind()
    with clock.at(START + timedelta(hours=2)):
        make.policy("event", half_life_hours=2)
    after = START + timedelta(hours=3)
    record = recorded("码头的狗", at=after, profile="confident", as_of=START)
    assert [c.memory_id for c in record.candidates.all()] == [old.public_id, new.public_id]
    present = recorded("码头的狗", at=after, profile="confident")
    assert [c.memory_id for c in present.candidates.all()] == [new.public_id, old.public_id]
    answer = replayed(record, at=LATER)
    assert (answer.equal, answer.moves) == (True, ())
