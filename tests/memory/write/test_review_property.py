"""Whatever people decide, in whatever order: one current value a key, and all of it taken back."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.index.upkeep import drift
from memory.models import Batch, ForbiddenMove, Memory, Status
from memory.write.apply import apply
from memory.write.ledger import first_break
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput, Proposal
from memory.write.remember import remember
from memory.write.review import plan_approve, plan_edit, plan_hold, plan_merge, plan_reject
from memory.write.undo import undo
from tests import factories as make
from tests.memory.write.verbs import in_force, state

pytestmark = pytest.mark.django_db

SAID = st.builds(
    Proposal,
    user_id=st.just("ann"),
    entity=st.sampled_from(["lamp", "灯"]),
    attribute=st.just("place"),
    value=st.sampled_from(["desk", "床头", "hall"]),
    kind=st.just("fact"),
    confidence=st.sampled_from([0.1, 0.9]),
    source=st.sampled_from(["user_said", "inferred"]),
)
STEPS = st.one_of(
    st.tuples(st.just("write"), st.lists(SAID, min_size=1, max_size=2)),
    st.tuples(
        st.sampled_from(["approve", "reject", "hold", "merge", "edit", "undo"]),
        st.lists(st.integers(0, 99), min_size=1, max_size=3),
    ),
)


def take(step) -> Batch | None:
    """Do one step; None where the store rightly refuses it."""
    verb, what = step
    scope = make.scope()
    rows = list(Memory.everywhere.order_by("id"))
    if verb == "write":
        return remember(scope, what).batch
    if not rows:
        return None
    chosen = list({rows[n % len(rows)].pk: rows[n % len(rows)] for n in what}.values())
    try:
        if verb == "undo":
            batches = list(Batch.everywhere.order_by("id"))
            return undo(scope, batches[what[0] % len(batches)]).batch
        if verb == "merge":
            planner = plan_merge(scope, chosen[0], chosen[1:])
        elif verb == "edit":
            planner = plan_edit(scope, chosen[0], {"value": "attic"})
        else:
            plan = {"approve": plan_approve, "reject": plan_reject, "hold": plan_hold}[verb]
            planner = plan(scope, chosen)
        return apply(planner.plan(verb, "tried")).batch
    except (Conflict, ForbiddenMove, InvalidInput):
        return None


def keys_of_active() -> list[tuple]:
    rows = Memory.everywhere.filter(status=Status.ACTIVE, single_valued=True)
    return list(rows.values_list("entity_key", "attribute_key"))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, min_size=1, max_size=7))
def test_one_value_a_key_no_drift_and_all_can_be_taken_back(steps):
    point = transaction.savepoint()
    try:
        done = []
        for step in steps:
            before = state()
            batch = take(step)
            if batch is None:
                assert state() == before
            else:
                done.append((before, batch))
            assert len(keys_of_active()) == len(set(keys_of_active()))
            assert not Memory.everywhere.filter(status=Status.ACTIVE).exclude(held_for=[]).exists()
        for before, batch in reversed(done):
            undo(make.scope(), in_force(batch))
            after = state()
            assert {i: after[i] for i in before} == before
            assert {after[i]["status"] for i in after.keys() - before.keys()} <= {"retracted"}
        assert list(drift()) == []
        assert first_break() is None
    finally:
        transaction.savepoint_rollback(point)
