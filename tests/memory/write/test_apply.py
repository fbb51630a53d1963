import pytest

from memory.index.upkeep import drift
from memory.models import (
    Batch,
    Change,
    ForbiddenMove,
    Memory,
    ScopeError,
    Status,
    policies_of,
)
from memory.models.ids import new_id
from memory.write.apply import apply
from memory.write.plan import Conflict, Plan, PlannedChange
from memory.write.planner import Planner
from memory.write.proposal import Proposal
from memory.write.resolve import take
from tests import factories as make

pytestmark = pytest.mark.django_db


def planned(value: str) -> Plan:
    planner = Planner(make.scope())
    proposal = Proposal(user_id="ann", entity="门", attribute="颜色", value=value, kind="fact")
    take(planner, proposal, policies_of(make.workspace().pk))
    return planner.plan("remember", "")


def test_an_empty_plan_writes_nothing():
    applied = apply(Planner(make.scope()).plan("remember", ""))
    assert applied.batch is None
    assert not Batch.everywhere.exists()


def test_a_plan_is_only_a_plan():
    plan = planned("1111")
    assert not Memory.everywhere.exists()
    assert len(plan.changes) == 1
    apply(plan)
    assert Memory.everywhere.get().value == "1111"


def test_the_database_has_the_last_word_on_one_current_value():
    first, second = planned("1111"), planned("2222")
    apply(first)
    entries = Change.objects.count()
    with pytest.raises(Conflict, match="another value is current"):
        apply(second)
    assert Memory.everywhere.get().value == "1111"
    assert (Change.objects.count(), Batch.everywhere.count()) == (entries, 1)
    assert list(drift()) == []


def test_a_row_written_past_the_road_is_met_with_a_conflict_too():
    row = make.remember(entity="门", attribute="颜色", value="1111", kind="fact")
    Memory.everywhere.filter(pk=row.pk).update(status=Status.SUPERSEDED)
    plan = planned("2222")
    Memory.everywhere.filter(pk=row.pk).update(status=Status.ACTIVE)
    with pytest.raises(Conflict, match="another value is current"):
        apply(plan)


def test_a_broken_check_is_a_conflict_that_says_which():
    plan = planned("1111")
    wrong = PlannedChange("add", new_id(), None, dict(plan.changes[0].sets) | {"importance": 7})
    with pytest.raises(Conflict, match="memory_importance_1_5"):
        apply(Plan(plan.scope, "remember", "", (wrong,)))
    assert not Memory.everywhere.exists()


@pytest.mark.parametrize("status", ["expired", "retracted"])
def test_nothing_is_born_gone(status):
    plan = planned("1111")
    wrong = PlannedChange("add", new_id(), None, dict(plan.changes[0].sets) | {"status": status})
    with pytest.raises(ForbiddenMove):
        apply(Plan(plan.scope, "remember", "", (wrong,)))
    assert not Memory.everywhere.exists()


def test_a_plan_cannot_write_outside_its_scope():
    plan = planned("1111")
    with pytest.raises(ScopeError):
        apply(Plan(make.scope(user_id="ben"), "remember", "", plan.changes))
    assert not Memory.everywhere.exists()


def test_a_plan_sets_columns_and_nothing_else():
    wrong = PlannedChange("add", new_id(), None, {"text": "x", "mood": "good"})
    with pytest.raises(TypeError, match="mood"):
        apply(Plan(make.scope(), "remember", "", (wrong,)))
