"""What the database itself holds, whoever writes."""

import uuid

import pytest
from django.db import IntegrityError, connection, models, transaction

from memory import clock
from memory.models import Memory, Policy, Status, Turn, policies_of
from memory.models.ids import new_id
from tests import factories as make

pytestmark = pytest.mark.django_db


def by_hand(**columns) -> Memory:
    defaults = {
        "workspace": make.workspace(),
        "user_id": "ann",
        "entity": "会议室",
        "attribute": "楼层",
        "value": "6",
        "entity_key": "会议室",
        "attribute_key": "楼层",
        "value_key": "6",
        "fingerprint": "0" * 32,
        "text": "会议室在6楼",
        "kind": "fact",
        "layer": "semantic",
        "single_valued": True,
        "status": Status.ACTIVE,
        "fact": new_id(),
        "created_at": clock.now(),
        "updated_at": clock.now(),
    }
    return Memory.everywhere.create(**defaults | columns)


def test_two_current_values_of_one_key_are_refused_by_the_database():
    by_hand()
    with pytest.raises(IntegrityError, match="UNIQUE"), transaction.atomic():
        by_hand(value="7", value_key="7")
    assert Memory.everywhere.count() == 1


@pytest.mark.parametrize(
    "other",
    [
        {"user_id": "ben"},
        {"agent_id": "planner"},
        {"entity_key": "大会议室"},
        {"attribute_key": "人数"},
        {"status": Status.SUPERSEDED},
        {"status": Status.CANDIDATE},
        {"single_valued": False},
    ],
)
def test_another_key_or_state_may_stand_beside_it(other):
    by_hand()
    by_hand(**other)
    assert Memory.everywhere.count() == 2


def test_another_workspace_may_hold_the_same_key():
    by_hand()
    by_hand(workspace=make.workspace("w2"))
    assert Memory.everywhere.count() == 2


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("memory_known_status", {"status": "erased"}),
        ("memory_known_kind", {"kind": "gossip"}),
        ("memory_known_layer", {"layer": "deep"}),
        ("memory_known_source", {"source": "rumour"}),
        ("memory_importance_1_5", {"importance": 0}),
        ("memory_importance_1_5", {"importance": 6}),
        ("memory_confidence_0_1", {"confidence": 1.01}),
        ("memory_confidence_0_1", {"confidence": -0.01}),
        ("memory_single_value_has_a_key", {"entity_key": "", "attribute_key": ""}),
        ("memory_evidence_span", {"evidence_start": 9, "evidence_end": 8}),
    ],
)
def test_each_check_refuses_what_it_names(name, columns):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        by_hand(**columns)
    assert not Memory.everywhere.exists()


@pytest.mark.parametrize(
    "columns",
    [
        {"importance": 1, "confidence": 0.0},
        {"importance": 5, "confidence": 1.0},
        {"source": "", "confidence": None},
        {"evidence_start": 8, "evidence_end": 8},
        {"single_valued": False, "entity_key": "", "attribute_key": ""},
    ],
)
def test_the_checks_let_their_borders_through(columns):
    assert by_hand(**columns).pk


def test_every_check_of_the_table_is_tried_here():
    tried = {
        "memory_known_status",
        "memory_known_kind",
        "memory_known_layer",
        "memory_known_source",
        "memory_importance_1_5",
        "memory_confidence_0_1",
        "memory_single_value_has_a_key",
        "memory_evidence_span",
    }
    checks = [c for c in Memory._meta.constraints if isinstance(c, models.CheckConstraint)]
    assert {check.name for check in checks} == tried


def test_one_row_has_at_most_one_successor():
    first = by_hand(status=Status.SUPERSEDED)
    by_hand(status=Status.SUPERSEDED, supersedes=first)
    with pytest.raises(IntegrityError, match="UNIQUE"), transaction.atomic():
        by_hand(supersedes=first)


@pytest.mark.parametrize("column", ["supersedes_id", "superseded_by_id", "turn_id"])
def test_a_link_leads_to_a_row_that_exists(column):
    row = by_hand()
    Memory.everywhere.filter(pk=row.pk).update(**{column: uuid.uuid4()})
    with pytest.raises(IntegrityError, match="invalid foreign key"):
        connection.check_constraints()
    Memory.everywhere.filter(pk=row.pk).update(**{column: None})


def test_a_row_that_others_stand_on_cannot_be_deleted():
    said = make.turn(content="会议室搬到6楼了")
    first = by_hand(status=Status.SUPERSEDED, turn=said)
    by_hand(supersedes=first)
    with pytest.raises(models.ProtectedError):
        first.delete()
    with pytest.raises(models.ProtectedError):
        Turn.everywhere.all().delete()


def test_a_turn_has_a_known_role():
    said = make.turn(content="好")
    with pytest.raises(IntegrityError, match="turn_role"), transaction.atomic():
        Turn.everywhere.filter(pk=said.pk).update(role="narrator")


def test_ids_made_later_sort_later():
    ids = [new_id() for _ in range(200)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 200
    assert {each.version for each in ids} == {7}


def test_a_kind_without_a_policy_row_has_the_defaults():
    policies = policies_of(make.workspace().pk)
    assert policies.of("inventory").ttl_hours == 24
    assert policies.of("preference").half_life_hours == 720
    assert policies.of("task_state").half_life_hours == 12
    assert not policies.of("event").single_valued
    make.policy("event", half_life_hours=5, single_valued=True)
    assert policies_of(make.workspace().pk).of("event").half_life_hours == 5
    assert policies_of(make.workspace("w2").pk).of("event").half_life_hours == 720


def test_one_policy_a_version():
    columns = {
        "workspace": make.workspace(), "kind": "rule", "half_life_hours": 1, "single_valued": True,
        "importance": 5, "at": clock.now(), "actor": "person:ann",
    }  # fmt: skip
    Policy.objects.create(**columns)
    Policy.objects.create(**columns | {"domain": "dock"})
    Policy.objects.create(**columns | {"version": 2})
    with pytest.raises(IntegrityError, match="UNIQUE"), transaction.atomic():
        Policy.objects.create(**columns)
    for wrong, name in (
        ({"importance": 0}, "policy_importance"),
        ({"half_life_hours": 0}, "policy_hours"),
        ({"ttl_hours": 0}, "policy_hours"),
        ({"kind": "mood"}, "policy_known_kind"),
    ):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            Policy.objects.create(**columns | {"version": 3} | wrong)
