"""A correction's plan touches what was previewed, and only that."""

import pytest

from memory.models import Status
from memory.write.apply import apply
from memory.write.correction.propose import plan_correction, understand
from memory.write.plan import StalePlan
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db


def preview(utterance):
    scope = make.scope(user_id="ann")
    found = understand(scope, utterance, session_id="s1")
    return plan_correction(scope, found.changes, "told so")


def test_a_new_value_supersedes_and_one_undo_takes_it_back():
    old = make.budget("2600")
    other = make.remember(entity="user", attribute="体重", value="61公斤", session_id="s1")
    plan = preview("预算改成3100，忘掉我的体重吧")
    assert (plan.verb, plan.reason, plan.user_id) == ("correct", "told so", "ann")
    applied = apply(plan)
    old.refresh_from_db()
    other.refresh_from_db()
    assert (old.status, other.status) == (Status.SUPERSEDED, Status.RETRACTED)
    new = applied.memories[old.superseded_by_id]
    assert (new.value, new.text) == ("3100", "我的预算是3100元")
    undo(make.scope(), applied.batch)
    old.refresh_from_db()
    other.refresh_from_db()
    assert (old.status, other.status) == (Status.ACTIVE, Status.ACTIVE)


def test_a_fact_that_moved_meanwhile_is_not_touched():
    make.budget("2600")
    plan = preview("预算改成3100")
    later = make.budget("2700")
    with pytest.raises(StalePlan):
        apply(plan)
    later.refresh_from_db()
    assert later.status == Status.ACTIVE


def test_what_is_no_correction_plans_nothing():
    make.budget("2600")
    assert preview("预算应该是够用的吧").changes == ()
    assert apply(preview("预算是不是3100？")).batch is None
