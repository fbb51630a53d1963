"""Amend, confirm, retract: plans drawn up, then applied."""

import uuid
from datetime import timedelta

import pytest

from memory import clock
from memory.index.upkeep import drift
from memory.models import Change, ForbiddenMove, Memory, ScopeError, Status
from memory.write.apply import apply
from memory.write.ledger import first_break
from memory.write.plan import Conflict, StalePlan
from memory.write.proposal import InvalidInput
from memory.write.revise import (
    NotFound,
    check_revision,
    find,
    plan_amend,
    plan_confirm,
    plan_retract,
)
from memory.write.snapshot import snapshot
from tests import factories as make
from tests.memory.write.verbs import amend, fresh, restore, retract

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def everything() -> list[dict]:
    return [snapshot(row) for row in Memory.everywhere.order_by("id")]


def test_a_corrected_value_restates_the_text():
    old = make.budget("1200")
    new = amend(old, value="1500")
    assert (new.value, new.text, new.version) == ("1500", "我的预算是1500元", 2)
    assert new.summary == "我的预算是1500元"
    assert (fresh(old).status, fresh(old).superseded_by) == ("superseded", new)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("Rent is 1200 a month", "1200", "900"),
        ("Rent was 1200, still 1200", "1200", "900"),
        ("Rent is 1200 (１２００)", "1200", "900"),
        ("Rent is 12000, of it 1200 heating", "1200", "900"),
        ("租金是1200元", "1200", "900"),
        ("租金一直是1200，１２００", "1200", "900"),
        ("Deposit and the like", "1200", "900"),
        ("room A, not B", "A", "C"),
    ],
)
def test_a_restated_text_tells_the_new_value_and_not_the_old(text, old, new):
    row = make.remember(entity="Studio", attribute="rent", value=old, text=text, kind="fact")
    after = amend(row, value=new)
    assert new in after.text
    assert old not in after.text.replace("Studio", "")
    assert "１２００" not in after.text
    assert old not in after.summary.replace("Studio", "")


def test_a_given_text_is_taken_as_it_is():
    new = amend(make.budget("1200"), value="1500", text="预算最多一千五")
    assert (new.text, new.summary) == ("预算最多一千五", "预算最多一千五")


def test_a_new_text_no_longer_quotes_the_turn():
    said = make.turn(content="我的预算是1200元")
    old = make.budget("1200", turn_id=said.public_id)
    new = amend(old, value="1500")
    assert (new.turn, new.quote, new.evidence_start) == (None, "", None)
    kept = amend(new, domain="finance")
    assert kept.text == new.text
    assert fresh(old).turn == said


def test_other_fields_make_a_version_too_and_leave_the_rest():
    old = make.remember(text="Mei likes tea", tags=("drink",), metadata={"a": 1}, importance=2)
    new = amend(old, importance=5, domain="tastes")
    same = {"text", "tags", "metadata", "user_id", "fingerprint", "kind", "fact"}
    assert {name: getattr(new, name) for name in same} == {n: getattr(old, n) for n in same}
    assert (new.importance, new.domain, new.version) == (5, "tastes", 2)


def test_a_changed_kind_brings_its_layer_and_cardinality():
    old = make.remember(entity="Mei", attribute="visited", value="Oslo", kind="fact")
    new = amend(old, kind="event")
    assert (new.layer, new.single_valued) == ("episodic", False)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({}, "value"),
        ({"status": "active"}, "status"),
        ({"version": 9}, "version"),
        ({"workspace_id": 2}, "workspace_id"),
        ({"importance": 9}, "importance"),
        ({"kind": "gossip"}, "kind"),
        ({"text": "\0"}, "text"),
        ({"entity": ""}, "value"),
    ],
)
def test_what_cannot_be_corrected_is_named(changes, field):
    row = make.budget("1200")
    with pytest.raises(InvalidInput) as refused:
        plan_amend(make.scope(), row, changes)
    assert field in [name for name, _ in refused.value.errors]


def test_only_an_active_memory_is_corrected_or_confirmed():
    old = make.budget("800")
    make.budget("1200")
    for verb in (lambda m: plan_amend(make.scope(), m, {"value": "1"}),
                 lambda m: plan_confirm(make.scope(), m)):  # fmt: skip
        with pytest.raises(Conflict, match="superseded"):
            verb(fresh(old))


def test_a_correction_onto_a_taken_key_is_a_conflict():
    make.remember(entity="Depot", attribute="floor", value="2", kind="fact")
    row = make.remember(entity="Depot", attribute="level", value="3", kind="fact")
    before = everything()
    with pytest.raises(Conflict, match="already current"):
        plan_amend(make.scope(), row, {"attribute": "Floor"})
    assert everything() == before


def test_a_bound_scope_cannot_give_a_memory_away():
    row = make.budget("800")
    with pytest.raises(ScopeError):
        plan_amend(make.scope(user_id="ann"), row, {"user_id": "ben"})
    moved = amend(row, user_id="ben")
    assert (moved.user_id, fresh(row).status) == ("ben", "superseded")
    assert list(drift()) == []


def test_confirming_makes_no_version():
    row = make.budget("800", confidence=0.5)
    with clock.at(START + timedelta(days=9999)):
        apply(plan_confirm(make.scope(), row).plan("confirm", ""))
    row = fresh(row)
    assert (row.confirmations, row.version, row.status) == (1, 1, "active")
    assert row.confidence == pytest.approx(0.65)
    assert row.confirmed_at == START + timedelta(days=9999)


def test_confidence_grows_and_stays_below_one():
    row = make.remember(text="x", source="", confidence=None)
    values = []
    for _ in range(40):
        apply(plan_confirm(make.scope(), fresh(row)).plan("confirm", ""))
        values.append(fresh(row).confidence)
    assert values[0] == pytest.approx(0.72)
    assert values == sorted(values)
    assert values[-1] <= 1


def test_a_retracted_value_is_nobodys_current_value():
    row = make.budget("800")
    with clock.at(START + timedelta(days=9999)):
        gone = retract(row)
    assert (gone.status, gone.valid_to) == ("retracted", START + timedelta(days=9999))
    assert not Memory.everywhere.filter(status="active").exists()
    again = make.written(entity="user", attribute="预算", value="900", kind="fact").outcomes[0]
    assert (again.action, again.memory.version, again.memory.fact) == ("added", 2, row.fact)


def test_a_superseded_value_may_be_called_wrong_and_keeps_its_place():
    old = make.budget("800")
    new = make.budget("1200")
    ended = fresh(old).valid_to
    gone = retract(fresh(old))
    assert (gone.status, gone.valid_to, gone.superseded_by) == ("retracted", ended, new)
    assert fresh(new).supersedes == old


def test_several_are_retracted_together():
    rows = [make.remember(text=f"note {n}") for n in range(3)]
    applied = apply(plan_retract(make.scope(), rows).plan("retract", "old notes"))
    assert applied.batch.changes.count() == 3
    assert set(Memory.everywhere.values_list("status", flat=True)) == {"retracted"}


def test_a_plan_made_from_an_older_state_changes_nothing():
    row = make.budget("800")
    stale = plan_amend(make.scope(), row, {"value": "1500"}).plan("amend", "")
    apply(plan_confirm(make.scope(), row).plan("confirm", ""))
    before, entries = everything(), Change.objects.count()
    with pytest.raises(StalePlan) as refused:
        apply(stale)
    assert refused.value.memory_ids == [row.public_id]
    assert (everything(), Change.objects.count()) == (before, entries)
    assert list(drift()) == []


def test_a_plan_half_stale_is_not_applied_by_half():
    rows = [make.remember(text=f"note {n}") for n in range(3)]
    stale = plan_retract(make.scope(), rows).plan("retract", "")
    apply(plan_confirm(make.scope(), rows[2]).plan("confirm", ""))
    before = everything()
    with pytest.raises(StalePlan) as refused:
        apply(stale)
    assert refused.value.memory_ids == [rows[2].public_id]
    assert everything() == before


def test_a_forbidden_move_in_the_middle_rolls_all_back():
    good = make.remember(text="good")
    held = make.remember(text="held")
    Memory.everywhere.filter(pk=held.pk).update(status=Status.REJECTED)
    before, entries = everything(), Change.objects.count()
    with pytest.raises(ForbiddenMove):
        apply(plan_retract(make.scope(), [good, fresh(held)]).plan("retract", ""))
    assert (everything(), Change.objects.count()) == (before, entries)


def test_the_revision_that_was_seen_must_be_the_one_there_is():
    row = make.budget("800")
    check_revision(row, None)
    check_revision(row, row.revision)
    with pytest.raises(StalePlan):
        check_revision(row, row.revision + 1)


def test_a_memory_of_another_scope_is_as_unknown_as_one_that_never_was():
    row = make.budget("800")
    assert find(make.scope(user_id="ann"), row.public_id) == row
    errors = []
    for scope, memory_id in (
        (make.scope(user_id="ben"), row.public_id),
        (make.scope(make.workspace("w2")), row.public_id),
        (make.scope(), uuid.uuid4()),
    ):
        with pytest.raises(NotFound) as refused:
            find(scope, memory_id)
        errors.append(str(refused.value) == str(memory_id))
    assert errors == [True] * 3


def test_a_plan_for_a_row_outside_the_scope_is_stale_and_changes_nothing():
    row = make.budget("800")
    plan = plan_retract(make.scope(user_id="ben"), [row]).plan("retract", "")
    with pytest.raises(StalePlan):
        apply(plan)
    assert fresh(row).status == "active"


def test_every_verb_keeps_index_and_ledger():
    row = amend(make.budget("800"), value="900")
    apply(plan_confirm(make.scope(), row).plan("confirm", ""))
    restore(retract(fresh(row)))
    assert first_break() is None
    assert list(drift()) == []


def test_a_new_text_brings_its_value_along():
    row = make.budget("1200")
    done = apply(
        plan_amend(make.scope(), row, {"text": "我的预算是1500元"}).plan("correct", "said")
    )
    now = next(m for m in done.memories.values() if m.status == Status.ACTIVE)
    assert (now.value, now.text) == ("1500元", "我的预算是1500元")


def test_a_new_text_that_no_longer_says_the_value_asks_for_it():
    row = make.budget("120")
    with pytest.raises(InvalidInput) as refused:
        plan_amend(make.scope(), row, {"text": "预算大概有1200吧"})
    assert [name for name, _ in refused.value.errors] == ["value"]


def test_changing_nothing_is_refused():
    row = make.budget("1200")
    with pytest.raises(InvalidInput):
        plan_amend(make.scope(), row, {"value": "1200"})


def test_a_retracted_memory_is_not_retracted_again():
    row = make.budget("1200")
    apply(plan_retract(make.scope(), [row]).plan("retract", "wrong"))
    with pytest.raises(Conflict):
        plan_retract(make.scope(), [find(make.scope(), row.public_id)])
