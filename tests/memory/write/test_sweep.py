from datetime import timedelta

import pytest

from memory import clock
from memory.index.upkeep import drift
from memory.models import Batch, Memory
from memory.write import sweep
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def stock(number: int, workspace=None, **fields) -> Memory:
    return make.remember(
        make.scope(workspace), entity=f"bin {number}", attribute="stock", value="4",
        kind="inventory", **fields,
    )  # fmt: skip


def test_what_is_due_expires_and_nothing_else(monkeypatch):
    monkeypatch.setattr(sweep, "SWEEP", 2)
    with clock.at(START):
        due = [stock(n) for n in range(3)] + [stock(9, make.workspace("w2"))]
        make.remember(text="no limit")
        stock(4, expires_at=START + timedelta(days=9))
    with clock.at(START + timedelta(hours=23, minutes=59)):
        assert not sweep.is_due()
        assert sweep.expire_due() == 0
    with clock.at(START + timedelta(hours=24)):
        assert sweep.is_due()
        assert sweep.expire_due() == 4
        assert not sweep.is_due()
        assert sweep.expire_due() == 0
    gone = Memory.everywhere.filter(status="expired")
    assert set(gone) == set(due)
    assert set(gone.values_list("valid_to", flat=True)) == {START + timedelta(hours=24)}
    batches = Batch.everywhere.filter(verb="expire")
    assert sorted(batch.changes.count() for batch in batches) == [1, 1, 2]
    assert {batch.actor for batch in batches} == {"maintenance"}
    assert list(drift()) == []


def test_a_row_of_the_history_does_not_expire():
    with clock.at(START):
        stock(1)
    with clock.at(START + timedelta(hours=1)):
        make.remember(entity="bin 1", attribute="stock", value="3", kind="inventory")
    with clock.at(START + timedelta(days=3)):
        assert sweep.expire_due() == 1
    assert sorted(Memory.everywhere.values_list("value", "status")) == [
        ("3", "expired"), ("4", "superseded"),
    ]  # fmt: skip
