"""Many retractions at once: counted first, then exactly those."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Memory, Status
from memory.write import retract
from memory.write.correction.preview import CAP, GOOD_FOR
from memory.write.retract import OverTheCap, retract_all
from tests.factories import remember, scope

pytestmark = pytest.mark.django_db


def rows(status=Status.ACTIVE):
    return Memory.objects.within(scope()).filter(status=status)


def many(count: int) -> None:
    for number in range(count):
        remember(text=f"note number {number}")


def refused(in_scope=None) -> OverTheCap:
    with pytest.raises(OverTheCap) as over:
        retract_all(in_scope or scope(), rows())
    return over.value


def test_up_to_the_cap_at_once_as_one_batch():
    many(CAP)
    done = retract_all(scope(), rows(), reason="old notes")
    assert (done.count, len(done.batches), rows().count()) == (CAP, 1, 0)
    assert done.batches[0].reason == "old notes"


def test_nothing_is_no_batch():
    assert retract_all(scope(), rows()).batches == ()


def test_above_it_only_the_same_ones(monkeypatch):
    many(CAP + 1)
    over = refused()
    assert (over.count, len(over.sample), rows().count()) == (CAP + 1, 10, CAP + 1)
    for wrong in ("", "x", over.token + "x", refused(scope(actor="key:other")).token):
        with pytest.raises(OverTheCap):
            retract_all(scope(), rows(), token=wrong)
    monkeypatch.setattr(retract, "A_BATCH", 8)
    done = retract_all(scope(), rows(), token=over.token)
    assert (done.count, len(done.batches)) == (CAP + 1, 3)
    assert rows(Status.RETRACTED).count() == CAP + 1


def test_one_that_moved_makes_the_token_void():
    many(CAP + 1)
    over = refused()
    remember(text="note number 0")
    with pytest.raises(OverTheCap):
        retract_all(scope(), rows(), token=over.token)
    assert rows().count() == CAP + 1


def test_a_token_is_good_for_an_hour(monkeypatch):
    many(CAP + 1)
    over = refused()
    later = clock.now() + GOOD_FOR + timedelta(seconds=1)
    monkeypatch.setattr("django.core.signing.time.time", later.timestamp)
    with pytest.raises(OverTheCap):
        retract_all(scope(), rows(), token=over.token)
