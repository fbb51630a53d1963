"""Many memories decided at once: confirmed, filled in, merged."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Change, Memory, Status
from memory.write.apply import apply
from memory.write.bulk import plan_confirm_all, plan_fill, plan_merge_same
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput
from memory.write.revise import plan_retract
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db


def done(planner, verb="fill"):
    return apply(planner.plan(verb, "tidying up"))


def now(memory: Memory) -> Memory:
    return Memory.everywhere.get(pk=memory.pk)


def gone(memory: Memory) -> Memory:
    scope = make.scope()
    return apply(plan_retract(scope, [memory]).plan("retract", "wrong")).memories[memory.public_id]


def test_confirming_many_is_one_batch():
    rows = [make.remember(text="茶室在三楼"), make.remember(text="The kettle is blue")]
    applied = done(plan_confirm_all(make.scope(), rows), "confirm")
    assert applied.batch.changes.count() == 2
    for row in rows:
        assert now(row).confirmations == row.confirmations + 1
        assert now(row).confirmed_at > row.confirmed_at


def test_only_active_memories_are_confirmed_filled_or_merged():
    wrong = gone(make.remember(text="茶室在四楼"))
    for plan in (
        lambda: plan_confirm_all(make.scope(), [wrong]),
        lambda: plan_fill(make.scope(), [wrong], {"agent_id": "helper"}),
        lambda: plan_merge_same(make.scope(), [wrong, wrong]),
    ):
        with pytest.raises(Conflict):
            plan()


def test_filling_in_writes_only_what_is_empty_and_makes_no_version():
    bare = make.remember(text="茶室在三楼")
    told = make.remember(text="The kettle is blue", agent_id="planner")
    applied = done(plan_fill(make.scope(), [bare, told], {"agent_id": "  helper "}))
    assert (now(bare).agent_id, now(told).agent_id) == ("helper", "planner")
    assert (now(bare).version, now(bare).fact, now(bare).text) == (1, bare.fact, bare.text)
    assert applied.batch.changes.count() == 1
    assert make.ask("茶室在几楼").record.served == 1
    undo(make.scope(), applied.batch)
    assert now(bare).agent_id == ""


def test_a_domain_brings_its_policys_end_along():
    make.policy("inventory", "冷库", ttl_hours=6)
    stock = make.remember(text="还有四十箱梨", kind="inventory")
    assert stock.ttl_hours == 24
    done(plan_fill(make.scope(), [stock], {"domain": "冷库"}))
    assert now(stock).ttl_hours == 6
    assert now(stock).expires_at == stock.confirmed_at + timedelta(hours=6)


def test_an_end_that_the_writer_gave_stays():
    make.policy("inventory", "冷库", ttl_hours=6)
    end = clock.now() + timedelta(days=3)
    stock = make.remember(text="还有四十箱梨", kind="inventory", expires_at=end)
    done(plan_fill(make.scope(), [stock], {"domain": "冷库"}))
    assert now(stock).expires_at == end


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, ""),
        ({"text": "x"}, "text"),
        ({"user_id": "bo"}, "user_id"),
        ({"agent_id": " "}, "agent_id"),
        ({"session_id": "s" * 201}, "session_id"),
        ({"domain": "d" * 101}, "domain"),
        ({"source": "rumour"}, "source"),
        ({"agent_id": "a\ud800"}, "agent_id"),
    ],
)
def test_what_cannot_be_filled_in_is_named(given, field):
    row = make.remember(text="茶室在三楼")
    with pytest.raises(InvalidInput) as refused:
        plan_fill(make.scope(), [row], given)
    assert [name for name, _ in refused.value.errors] == [field]


def test_a_fill_that_would_give_a_key_two_current_values_changes_nothing():
    first = make.budget("800", agent_id="")
    make.budget("1200", agent_id="helper")
    entries = Change.objects.count()
    with pytest.raises(Conflict):
        done(plan_fill(make.scope(), [now(first)], {"agent_id": "helper"}))
    assert (now(first).agent_id, Change.objects.count()) == ("", entries)


def test_of_the_same_statement_the_best_sourced_stays():
    inferred = make.remember(text="茶室在三楼", agent_id="a", source="inferred", confidence=0.9)
    turn = make.turn(content="茶室在三楼")
    best = make.remember(text="茶室在三楼", agent_id="b", source="inferred", turn_id=turn.public_id)
    said = make.remember(text="茶室在三楼", agent_id="c", source="user_said")
    other = make.remember(text="The kettle is blue", agent_id="a")
    applied = done(plan_merge_same(make.scope(), [inferred, best, said, other]), "merge")
    assert now(best).status == Status.ACTIVE
    for row in (inferred, said):
        assert (now(row).status, now(row).superseded_by_id) == (
            Status.SUPERSEDED, best.public_id,
        )  # fmt: skip
    assert now(other).revision == other.revision
    undo(make.scope(), applied.batch)
    assert {now(row).status for row in (inferred, best, said)} == {Status.ACTIVE}


def test_two_users_are_never_merged():
    rows = [make.remember(text="茶室在三楼", user_id=user) for user in ("ann", "bo")]
    assert done(plan_merge_same(make.scope(), rows), "merge").batch is None
