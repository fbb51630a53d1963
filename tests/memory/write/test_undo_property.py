"""Whatever was written, taking the last batches back gives the store as it was."""

from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import clock
from memory.index.upkeep import drift
from memory.models import Batch, Memory
from memory.write.apply import apply
from memory.write.ledger import first_break
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput, Proposal
from memory.write.remember import remember
from memory.write.revise import plan_amend, plan_confirm, plan_expire, plan_restore, plan_retract
from memory.write.undo import undo
from tests import factories as make
from tests.memory.write.verbs import in_force, state

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")

VALUES = st.sampled_from(["1", "2", "２", "three", "四"])
FACTS = st.builds(
    Proposal,
    user_id=st.sampled_from(["ann", "ben"]),
    agent_id=st.sampled_from(["", "planner"]),
    entity=st.sampled_from(["lamp", "灯"]),
    attribute=st.just("place"),
    value=VALUES,
    kind=st.sampled_from(["", "fact", "event", "inventory"]),
    occurred_at=st.none() | st.integers(-9, 9).map(lambda day: START + timedelta(days=day)),
)
TEXTS = st.builds(Proposal, user_id=st.just("ann"), text=st.sampled_from(["a b", "A B.", "甲乙"]))
STEPS = st.one_of(
    st.tuples(st.just("write"), st.lists(FACTS | TEXTS, min_size=1, max_size=3)),
    st.tuples(st.sampled_from(["confirm", "retract", "restore", "expire"]), st.integers(0, 99)),
    st.tuples(st.just("amend"), st.tuples(st.integers(0, 99), VALUES)),
    st.tuples(st.just("undo"), st.integers(0, 99)),
)


def take(step) -> Batch | None:
    """Do one step; None where the store rightly refuses it."""
    verb, what = step
    scope = make.scope()
    rows = list(Memory.everywhere.order_by("id"))
    try:
        if verb == "write":
            return remember(scope, what).batch
        if verb == "undo":
            batches = list(Batch.everywhere.order_by("id"))
            return undo(scope, batches[what % len(batches)]).batch if batches else None
        if not rows:
            return None
        row = rows[(what[0] if verb == "amend" else what) % len(rows)]
        if verb == "amend":
            planner = plan_amend(
                scope, row, {"value": what[1]} if row.entity else {"text": what[1]}
            )
        elif verb in ("retract", "expire") and row.status != "active":
            return None
        else:
            planner = {
                "confirm": lambda: plan_confirm(scope, row),
                "restore": lambda: plan_restore(scope, row),
                "retract": lambda: plan_retract(scope, [row]),
                "expire": lambda: plan_expire(scope, [row]),
            }[verb]()
        return apply(planner.plan(verb, "")).batch
    except (Conflict, InvalidInput):
        return None


def keys_with_two_values() -> list:
    keys = list(
        Memory.everywhere.filter(status="active", single_valued=True).values_list(
            "user_id", "agent_id", "entity_key", "attribute_key"
        )
    )
    return [key for key in set(keys) if keys.count(key) > 1]


def links_are_mutual() -> bool:
    rows = {row.public_id: row for row in Memory.everywhere.all()}
    for row in rows.values():
        if row.status == "active" and row.superseded_by_id is not None:
            return False
        if row.supersedes_id and rows[row.supersedes_id].superseded_by_id != row.public_id:
            return False
    return True


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, min_size=1, max_size=9), st.integers(1, 5))
def test_the_last_batches_taken_back_one_by_one_leave_the_store_as_it_was(steps, count):
    point = transaction.savepoint()
    try:
        done: list[tuple[dict, Batch]] = []
        for number, step in enumerate(steps):
            before = state()
            with clock.at(START + timedelta(hours=number)):
                batch = take(step)
            if batch is None:
                assert state() == before
            else:
                done.append((before, batch))
            assert keys_with_two_values() == []
            assert links_are_mutual()
        with clock.at(START + timedelta(days=30)):
            for before, batch in done[-count:][::-1]:
                undo(make.scope(), in_force(batch))
                now = state()
                assert {key: now[key] for key in before} == before
                assert {now[key]["status"] for key in now.keys() - before.keys()} <= {"retracted"}
                assert keys_with_two_values() == []
        assert list(drift()) == []
        assert first_break() is None
    finally:
        transaction.savepoint_rollback(point)
