"""An observation that is older than the current value goes to its place in the history."""

from datetime import timedelta

import pytest

from memory.models import Memory
from memory.write.apply import apply
from memory.write.ledger import first_break
from memory.write.revise import plan_retract
from memory.write.snapshot import snapshot
from tests import factories as make

pytestmark = pytest.mark.django_db
DAY = make.instant("2026-03-01 00:00")


def rent(value: str, day: int, **fields):
    return make.written(
        entity="studio", attribute="rent", value=value, kind="fact",
        occurred_at=DAY + timedelta(days=day), **fields,
    ).outcomes[0]  # fmt: skip


def history() -> list[tuple[str, int, int | None]]:
    """(value, from day, to day), walked from the current row by its links."""
    row, found = Memory.everywhere.get(status="active"), []
    assert row.superseded_by is None
    while row is not None:
        end = row.valid_to and (row.valid_to - DAY).days
        found.append((row.value, (row.valid_from - DAY).days, end))
        before = row.supersedes
        if before is not None:
            assert before.superseded_by == row
        row = before
    return found[::-1]


def test_it_goes_between_the_two_that_it_lies_between():
    rent("900", 10)
    rent("1100", 20)
    outcome = rent("1000", 15)
    assert (outcome.action, outcome.previous) == ("superseded", None)
    assert (outcome.reason, outcome.memory.status) == ("older_observation", "superseded")
    assert history() == [("900", 10, 15), ("1000", 15, 20), ("1100", 20, None)]
    assert outcome.memory.version == 3


def test_it_goes_before_the_first():
    rent("900", 10)
    rent("1100", 20)
    rent("800", 5)
    assert history() == [("800", 5, 10), ("900", 10, 20), ("1100", 20, None)]
    assert first_break() is None


def test_any_order_of_arrival_gives_one_history():
    for value, day in [("d", 40), ("b", 20), ("a", 10), ("c", 30), ("e", 50)]:
        rent(value, day)
    assert history() == [
        ("a", 10, 20), ("b", 20, 30), ("c", 30, 40), ("d", 40, 50), ("e", 50, None),
    ]  # fmt: skip


def test_the_same_old_value_again_only_confirms_it():
    rent("900", 10)
    rent("1100", 20)
    outcome = rent("900", 15)
    assert (outcome.action, outcome.reason) == ("confirmed", "older_observation")
    assert (outcome.memory.status, outcome.memory.confirmations) == ("superseded", 1)
    assert history() == [("900", 10, 20), ("1100", 20, None)]


def test_the_current_value_seen_earlier_confirms_the_current_row():
    rent("900", 10)
    outcome = rent("900", 5)
    assert (outcome.action, outcome.reason) == ("confirmed", "exact_repeat")
    assert Memory.everywhere.count() == 1


def test_an_observation_of_the_same_instant_replaces():
    rent("900", 10)
    assert rent("950", 10).action == "superseded"
    assert history() == [("900", 10, 10), ("950", 10, None)]


def test_other_facts_stay_as_they_are():
    make.remember(entity="studio", attribute="floor", value="3", kind="fact")
    make.remember(entity="studio 2", attribute="rent", value="900", kind="fact")
    others = Memory.everywhere.exclude(entity="studio", attribute="rent").order_by("id")
    before = [snapshot(row) for row in others]
    rent("900", 20)
    rent("800", 10)
    assert [snapshot(row) for row in others.all()] == before


def test_a_value_of_the_history_that_was_wrong_does_not_stand_in_the_way():
    rent("900", 10)
    wrong = rent("9000", 20).memory
    rent("1100", 30)
    wrong.refresh_from_db()
    apply(plan_retract(make.scope(), [wrong]).plan("retract", "a slip"))
    outcome = rent("1000", 25)
    assert (outcome.action, outcome.memory.status) == ("superseded", "superseded")
    assert [value for value, _, _ in history()] == ["900", "9000", "1000", "1100"]
    wrong.refresh_from_db()
    assert wrong.status == "retracted"


def test_a_history_that_began_anew_takes_late_arrivals_too():
    rent("900", 10)
    wrong = rent("9000", 20).memory
    apply(plan_retract(make.scope(), [wrong]).plan("retract", "a slip"))
    rent("1100", 30)
    assert rent("1000", 15).memory.status == "superseded"
    assert [value for value, _, _ in history()] == ["1000", "1100"]
