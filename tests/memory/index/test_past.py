"""The store as it was equals what it was."""

from contextlib import suppress
from datetime import datetime, timedelta, timezone

import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import clock
from memory.index.browse import browse
from memory.index.filters import Filters
from memory.index.past import InTheFuture, as_of, copied_as_of
from memory.index.storage import one_view
from memory.models import Batch, Change, Memory, Status
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.review import plan_approve
from memory.write.snapshot import snapshot
from tests import factories as make
from tests.memory.write.test_undo_property import START, STEPS, take

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def state() -> dict:
    return {row.public_id: snapshot(row) for row in Memory.everywhere.order_by("id")}


def replayed(moment: datetime) -> dict:
    """The rows by reading the whole ledger from its beginning, in nothing but Python."""
    entries = Change.objects.order_by("id")
    return {e.memory_id: e.after for e in entries if e.at <= moment and e.after is not None}


def copied(moment: datetime) -> dict:
    with one_view(), copied_as_of(moment):
        return state()


def seen(moment: datetime) -> dict:
    with as_of(moment):
        return state()


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, min_size=1, max_size=7))
def test_the_store_at_any_time_is_the_replay_of_the_ledger(steps):
    with suppress(RuntimeError), transaction.atomic():
        moment, were = START, {START: {}}
        for number, step in enumerate(steps, start=1):
            moment = START + number * timedelta(hours=7)
            with clock.at(moment):
                take(step)
                were[moment] = state()
        with clock.at(moment + DAY):
            for moment, was in were.items():
                assert was == seen(moment) == replayed(moment)
                assert was == seen(moment + timedelta(hours=6, minutes=59))
            assert were[moment] == copied(moment) == state()
            assert copied(START) == {}
        raise RuntimeError("nothing of an example stays for the next")


def story() -> tuple[Memory, Memory]:
    """A budget said on the first, corrected on the third."""
    with clock.at(START):
        make.budget("500", tags=("钱", "money"), metadata={"from": "会议", "n": 1.5})
    with clock.at(START + 2 * DAY):
        make.budget("800")
    old, new = Memory.everywhere.order_by("id")
    return old, new


def test_rows_are_whole_and_typed_as_ever():
    old, _ = story()
    with as_of(START + DAY):
        row = Memory.everywhere.get()
    assert (row.status, row.valid_to, row.superseded_by_id) == (Status.ACTIVE, None, None)
    assert (row.tags, row.metadata) == (["钱", "money"], {"from": "会议", "n": 1.5})
    assert (row.created_at, row.updated_at, row.revision) == (START, START, 1)
    assert type(row.single_valued) is bool
    assert row.pk == old.pk


def test_filters_are_put_to_the_past():
    story()
    with as_of(START + DAY):
        assert Memory.everywhere.filter(status="active", value="500", importance__gte=3).exists()
        assert not Memory.everywhere.filter(status="superseded").exists()
        assert not Memory.everywhere.filter(value="800").exists()
        assert Memory.everywhere.filter(updated_at__lte=START, session_id="s1").count() == 1
        assert Change.objects.count() == Batch.everywhere.count() == 1
        assert browse(make.scope(), "500", Filters(statuses=["active"]), limit=9)
        assert not browse(make.scope(), "800", Filters(), limit=9)
    assert Memory.everywhere.filter(status="superseded").count() == 1
    assert Change.objects.count() == 3


def test_before_anything_there_is_nothing():
    story()
    assert seen(START - DAY) == {}


def test_the_end_of_the_past_is_now_and_no_later():
    story()
    with clock.at(START + 3 * DAY):
        assert seen(START + 3 * DAY) == state()
        with pytest.raises(InTheFuture), as_of(START + 4 * DAY):
            pass
    assert len(state()) == 2


def test_the_clock_stands_at_that_time():
    with as_of(START):
        assert clock.now() == START
    assert clock.now() > START


def test_nothing_is_written_in_the_past():
    old, _ = story()
    with pytest.raises(DatabaseError), as_of(START + DAY):
        Memory.everywhere.filter(pk=old.pk).update(status=Status.RETRACTED)
    assert Memory.everywhere.get(pk=old.pk).status == Status.SUPERSEDED


@pytest.mark.parametrize("error", [RuntimeError, DatabaseError])
def test_the_present_comes_back_after_an_error(error):
    story()
    with pytest.raises(error), as_of(START + DAY):
        raise error
    assert len(state()) == 2
    assert shadows() == []


def test_what_was_erased_is_absent_at_every_time():
    old, new = story()
    other = make.remember(text="Ann likes tea")
    Memory.everywhere.filter(fact=old.fact).update(supersedes=None, superseded_by=None)
    Memory.everywhere.filter(pk=new.pk).delete()
    Change.objects.filter(fact=old.fact).update(payload=None)
    # Its row is still there, but nobody can say any more what it was.
    assert seen(START + DAY) == {}
    Memory.everywhere.filter(pk=old.pk).delete()
    assert seen(START + DAY) == {}
    assert set(seen(clock.now())) == {other.public_id}


def test_a_time_kept_with_another_offset_is_the_same_time():
    east = timezone(timedelta(hours=8))
    at = datetime(2026, 3, 1, 7, 30, 15, 250_001, tzinfo=east)
    with clock.at(START):
        row = make.remember(text="Ann likes tea", occurred_at=at)
    with clock.at(START + DAY):
        planner = Planner(make.scope())
        planner.change(row, "retract", status=Status.RETRACTED)
        apply(planner.plan("retract", ""))
    entry = Change.objects.order_by("id").first()
    kept = entry.payload | {"after": entry.payload["after"] | {"occurred_at": at.isoformat()}}
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER memory_change_no_update")
    Change.objects.filter(pk=entry.pk).update(payload=kept)
    with as_of(START):
        assert Memory.everywhere.get().occurred_at == at
        assert Memory.everywhere.filter(occurred_at=at).exists()


def shadows() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_temp_master")
        return [row[0] for row in cursor.fetchall()]


def test_an_approved_memory_stood_in_another_line_before():
    with clock.at(START):
        make.budget("500")
    with clock.at(START + DAY):
        make.budget("800", source="inferred", confidence=0.9)
    waiting = Memory.everywhere.get(value="800")
    assert waiting.status == Status.CANDIDATE
    was = state()
    with clock.at(START + 2 * DAY):
        apply(plan_approve(make.scope(), [waiting]).plan("approve", "right"))
    assert Memory.everywhere.get(value="800").status == Status.ACTIVE
    assert state()[waiting.public_id] != was[waiting.public_id]
    assert seen(START + DAY) == was
    assert copied(START + DAY) == was


def test_what_a_row_says_cannot_be_changed_in_place():
    row = make.remember(text="Ann likes tea")
    planner = Planner(make.scope())
    planner.change(row, "edit", text="Ann likes coffee")
    with pytest.raises(TypeError, match="text"):
        apply(planner.plan("edit", ""))
    assert Memory.everywhere.get().text == "Ann likes tea"
