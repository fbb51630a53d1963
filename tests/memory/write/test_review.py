"""What a person decides about memories that wait."""

from datetime import timedelta

import pytest

from memory import clock
from memory.index.upkeep import drift
from memory.models import Memory, Status
from memory.write.apply import apply
from memory.write.held import SecretRefused
from memory.write.ledger import first_break
from memory.write.plan import Conflict, StalePlan
from memory.write.proposal import InvalidInput
from memory.write.review import plan_approve, plan_edit, plan_hold, plan_reject
from memory.write.revise import plan_restore, plan_retract
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db
SCOPE = make.scope


def candidate(value: str = "780", **fields) -> Memory:
    return make.budget(value, **{"confidence": 0.2} | fields)


def row(memory: Memory) -> Memory:
    return Memory.objects.within(make.scope()).get(pk=memory.pk)


def active() -> list[str]:
    found = Memory.objects.within(make.scope()).filter(status=Status.ACTIVE).order_by("id")
    return [memory.value or memory.text for memory in found]


def approve(*memories: Memory, against=None):
    return apply(plan_approve(make.scope(), memories, against).plan("approve", "checked"))


def test_approving_fills_an_empty_place_and_clears_why_it_waited():
    waiting = candidate()
    approve(waiting)
    now = row(waiting)
    assert (now.status, now.held_for, now.conflicts_with) == ("active", [], None)
    assert now.confidence == 0.5
    assert now.confirmed_at > waiting.confirmed_at


def test_approving_what_a_less_trusted_source_said_supersedes_the_current_value():
    current = make.budget("640")
    waiting = make.budget("780", source="inferred")
    assert (waiting.status, waiting.conflicts_with) == ("candidate", current.public_id)
    approve(waiting)
    assert active() == ["780"]
    old, new = row(current), row(waiting)
    assert (old.superseded_by_id, new.supersedes_id) == (new.public_id, old.public_id)
    assert (new.fact, new.version > old.version) == (old.fact, True)
    assert old.valid_to == new.valid_from


def test_what_was_said_before_the_current_value_began_holds_from_the_approval_on():
    with clock.at(clock.now() - timedelta(days=3)):
        waiting = candidate()
    with clock.at(clock.now() - timedelta(days=1)):
        current = make.budget("640")
    approve(waiting)
    assert row(waiting).valid_from == row(current).valid_to > row(current).valid_from


def test_many_in_one_batch_leave_one_current_value_and_one_undo_brings_all_back():
    make.budget("640")
    waiting = [candidate("780"), candidate("910"), make.remember(text="她怕高", confidence=0.1)]
    applied = approve(*waiting)
    assert active() == ["910", "她怕高"]
    assert list(drift()) == []
    undo(make.scope(), applied.batch)
    assert active() == ["640"]
    assert [row(memory).status for memory in waiting] == ["candidate"] * 3
    assert first_break() is None


def test_approval_is_bound_to_the_value_that_was_seen_beside_it():
    current = make.budget("640")
    first, second = candidate("780"), candidate("910")
    seen = {memory.public_id: current.public_id for memory in (first, second)}
    approve(first, against=seen)
    with pytest.raises(StalePlan):
        plan_approve(make.scope(), [second], seen)
    with pytest.raises(StalePlan):
        plan_approve(make.scope(), [second], {second.public_id: None})
    approve(second, against={second.public_id: first.public_id})
    assert active() == ["910"]


def test_two_that_were_seen_against_one_value_may_be_approved_together():
    current = make.budget("640")
    first, second = candidate("780"), candidate("910")
    seen = {memory.public_id: current.public_id for memory in (first, second)}
    approve(first, second, against=seen)
    assert active() == ["910"]


def test_an_exact_repeat_of_a_text_without_a_key_only_confirms_it():
    first = make.remember(text="他爱下棋")
    gone = apply(plan_retract(make.scope(), [first]).plan("retract", "")).memories[first.public_id]
    waiting = make.remember(text="他爱下棋", confidence=0.1)
    apply(plan_restore(make.scope(), gone).plan("restore", ""))
    approve(waiting, against={waiting.public_id: None})
    assert active() == ["他爱下棋"]
    assert (row(first).confirmations, row(waiting).status) == (1, "rejected")


def test_a_plan_is_stale_when_the_row_moved_meanwhile():
    waiting = candidate()
    plan = plan_approve(make.scope(), [waiting]).plan("approve", "checked")
    apply(plan_reject(make.scope(), [waiting]).plan("reject", "no"))
    with pytest.raises(StalePlan):
        apply(plan)
    assert active() == []


def test_its_time_begins_with_the_approval_and_one_that_is_over_is_refused():
    stock = make.remember(
        entity="shelf", attribute="bolts", value="40", kind="inventory", confidence=0.1
    )
    with clock.at(clock.now() + timedelta(hours=30)):
        approve(stock)
        assert row(stock).expires_at == clock.now() + timedelta(hours=24)
    said = make.remember(
        text="门票到周五", confidence=0.1, expires_at=clock.now() + timedelta(hours=1)
    )
    with clock.at(clock.now() + timedelta(hours=2)), pytest.raises(Conflict):
        plan_approve(make.scope(), [said])


@pytest.mark.parametrize("plan", [plan_approve, plan_reject])
def test_only_what_waits_can_be_decided(plan):
    gone = make.remember(text="他爱下棋")
    gone = apply(plan_retract(make.scope(), [gone]).plan("retract", "")).memories[gone.public_id]
    for memory in (make.budget("640"), gone):
        with pytest.raises(Conflict):
            plan(make.scope(), [memory])


def test_rejecting_touches_nothing_else():
    current, waiting, other = make.budget("640"), candidate("780"), candidate("910")
    apply(plan_reject(make.scope(), [waiting]).plan("reject", "hearsay"))
    assert active() == ["640"]
    assert (row(waiting).status, row(waiting).held_for) == ("rejected", [])
    assert row(other).status == "candidate"
    assert row(current).revision == current.revision


def test_an_edited_memory_is_approved_and_what_was_said_stays_as_it_was():
    current, waiting = make.budget("640"), candidate("780")
    applied = apply(plan_edit(make.scope(), waiting, {"value": "790"}).plan("approve", "a typo"))
    assert active() == ["790"]
    said = row(waiting)
    new = Memory.objects.within(make.scope()).get(public_id=said.superseded_by_id)
    assert (said.status, said.value, said.text) == ("rejected", "780", "我的预算是780元")
    assert (new.value, new.text, new.turn_id) == ("790", "我的预算是790元", None)
    assert new.supersedes_id == current.public_id
    undo(make.scope(), applied.batch)
    assert active() == ["640"]
    assert row(waiting).status == "candidate"


def test_an_edit_is_checked_like_any_write():
    waiting = candidate("780")
    with pytest.raises(InvalidInput):
        plan_edit(make.scope(), waiting, {"text": "今天下雨"})
    with pytest.raises(SecretRefused):
        plan_edit(make.scope(), waiting, {"value": "sk-proj-" + "Ab3dE6gH9kLmN2pQ" * 3})
    with pytest.raises(Conflict):
        plan_edit(make.scope(), make.remember(text="他爱下棋"), {"text": "他爱下象棋"})


def test_a_held_memory_is_out_of_recall_until_it_is_approved_again():
    memory = make.budget("640")
    applied = apply(plan_hold(make.scope(), [memory]).plan("hold", "looks wrong"))
    held = applied.memories[memory.public_id]
    assert (held.status, held.held_for) == ("quarantined", [{"code": "person"}])
    assert list(make.ask("预算").items) == []
    with pytest.raises(Conflict):
        plan_hold(make.scope(), [held])
    approve(held)
    assert [item.memory.value for item in make.ask("预算").items] == ["640"]
