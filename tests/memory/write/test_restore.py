"""Restoring: in place, or as a new version on top of what is current."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Memory
from memory.write.plan import Conflict
from memory.write.revise import plan_restore
from memory.write.sweep import expire_due
from tests import factories as make
from tests.memory.write.verbs import amend, fresh, restore, retract

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def test_a_retracted_memory_comes_back_in_place():
    row = make.budget("800")
    back = restore(retract(row))
    assert (back.pk, back.status, back.valid_to, back.version) == (row.pk, "active", None, 1)


def test_an_expired_stock_comes_back_with_a_new_limit():
    with clock.at(START):
        row = make.remember(entity="货架", attribute="库存", value="41", kind="inventory")
    with clock.at(START + timedelta(days=2)):
        assert expire_due() == 1
        assert fresh(row).status == "expired"
        back = restore(fresh(row))
    assert (back.pk, back.expires_at) == (row.pk, START + timedelta(days=3))


def test_a_superseded_value_is_restored_as_a_version_on_top():
    first, second = make.budget("800"), make.budget("1200")
    third = restore(fresh(first))
    assert (third.value, third.version, third.status) == ("800", 3, "active")
    assert (third.supersedes, fresh(second).superseded_by) == (second, third)
    assert (fresh(first).status, fresh(second).status) == ("superseded", "superseded")


def test_a_superseded_value_is_restored_where_nothing_is_current():
    first, second = make.budget("800"), make.budget("1200")
    retract(fresh(second))
    third = restore(fresh(first))
    assert (third.value, third.version, third.status) == ("800", 3, "active")
    assert third.fact == first.fact
    assert fresh(first).status == "superseded"


def test_a_retracted_value_is_restored_over_the_one_that_took_its_place():
    first = make.budget("800")
    retract(first)
    second = make.budget("1200")
    third = restore(fresh(first))
    assert (third.value, third.supersedes) == ("800", second)
    assert Memory.everywhere.filter(status="active").count() == 1


def test_a_plain_text_is_restored_over_its_newer_wording():
    first = make.remember(text="Mei likes green tea")
    second = amend(first, text="Mei likes black tea")
    third = restore(fresh(first))
    assert (third.text, third.supersedes) == ("Mei likes green tea", second)
    assert Memory.everywhere.filter(status="active").count() == 1


def test_what_is_restored_can_be_superseded_again():
    first, second = make.budget("800"), make.budget("1200")
    retract(fresh(first))
    retract(fresh(second))
    restore(fresh(first))
    outcome = make.written(entity="user", attribute="预算", value="900", kind="fact").outcomes[0]
    assert (outcome.action, outcome.previous.value) == ("superseded", "800")
    assert Memory.everywhere.get(status="active").value == "900"


@pytest.mark.parametrize("status", ["active", "candidate", "quarantined", "rejected"])
def test_what_is_not_gone_cannot_be_restored(status):
    row = make.budget("800")
    row.status = status
    with pytest.raises(Conflict, match=status):
        plan_restore(make.scope(), row)
