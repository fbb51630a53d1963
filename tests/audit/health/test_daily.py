"""What happened on each of the last days, counted once and kept."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.cache import cache
from django.utils import timezone

from audit import jobs
from audit.health import daily as module
from audit.health.daily import DAYS, catch_up, daily, is_behind
from memory import clock
from memory.models import Batch, Recall, ScopeError
from memory.write.apply import apply
from memory.write.revise import plan_retract
from memory.write.undo import undo
from tests import factories as make
from tests.audit.findings import makers

pytestmark = pytest.mark.django_db
NOON = make.instant("2026-03-20 12:00")


@pytest.fixture(autouse=True)
def _noon():
    with clock.at(NOON):
        yield


def ago(days: float):
    return clock.at(NOON - timedelta(days=days))


def day(number: int):
    """The day so many days ago."""
    return daily(make.scope()).days[-1 - number]


def test_there_are_thirty_days_and_the_last_is_today():
    days = daily(make.scope()).days
    assert len(days) == DAYS
    assert days[-1].day == timezone.localdate(NOON)
    assert [one.active for one in days] == [0] * DAYS
    assert days[-1].hit is None


def test_moves_stand_on_their_days_and_growth_is_counted_back_from_now():
    with ago(10):
        make.budget("800")
        kept = make.remember(text="办公室在三楼")
    with ago(3):
        make.budget("1200")
    with ago(1):
        apply(plan_retract(make.scope(), [kept]).plan("retract", "wrong"))
    assert (day(10).new, day(10).moves["active"], day(10).active) == (2, 2, 2)
    assert (day(3).new, day(3).moves["superseded"], day(3).active) == (1, 1, 2)
    assert (day(1).moves["retracted"], day(1).active, day(0).active) == (1, 1, 1)
    assert day(11).active == 0


def test_a_change_without_a_move_is_none_and_an_undo_is_one():
    with ago(2):
        make.budget("800")
        make.budget("800")
    assert (day(2).new, day(2).active) == (1, 1)
    with ago(1):
        make.budget("900")
        undo(make.scope(), Batch.everywhere.latest("pk"), "a mistake")
    assert (day(1).gained, day(1).active) == (0, 1)


def test_recalls_are_counted_by_what_they_came_to():
    with ago(4):
        make.budget("1200")
        make.ask("我的预算是多少")
        make.ask("what is the colour of the roof")
        makers.recorded(make.remember(text="old news"), stale=True, status="superseded")
    asked = Recall.everywhere.filter(at__lt=NOON)
    found = day(4)
    assert found.searched == asked.filter(triggered=True).count()
    assert found.nothing == asked.filter(triggered=True, served=0, tokens=0).count()
    assert found.outdated == 1
    assert found.hit == pytest.approx(1 - found.nothing / found.searched)
    assert day(3).searched == 0


def test_what_is_new_is_added_and_nothing_is_counted_twice():
    make.budget("1")
    assert day(0).new == 1
    make.budget("2")
    assert day(0).new == 2
    assert day(0).new == 2


def test_lost_counts_and_a_store_that_was_put_back_are_counted_again():
    make.budget("1")
    assert day(0).new == 1
    cache.clear()
    assert day(0).new == 1
    cache.set(_key(), cache.get(_key()) | {"moves_at": [10**6, "0" * 32]})
    assert day(0).new == 1


def test_older_days_are_let_go():
    with ago(40):
        make.budget("1")
    with ago(20):
        make.budget("2")
        assert day(0).active == 1
    assert sum(one.new for one in daily(make.scope()).days) == 1
    with clock.at(NOON + timedelta(days=60)):
        make.budget("3")
        assert [one.new for one in daily(make.scope()).days if one.new] == [1]
        assert len({row[0] for row in cache.get(_key())["moves"]}) == 1


def _key() -> str:
    return f"daily:{make.workspace().pk}"


def test_a_day_is_the_reader_s():
    late = make.instant("2026-03-18 20:00")
    with clock.at(late):
        make.budget("1")
    for zone in ("Asia/Shanghai", "America/New_York", "Asia/Kathmandu"):
        with timezone.override(ZoneInfo(zone)):
            found = [one.day for one in daily(make.scope()).days if one.new]
            assert found == [timezone.localtime(late).date()]


def test_a_page_stops_after_its_time_and_a_worker_goes_on(monkeypatch):
    monkeypatch.setattr(module, "PIECE", 2)
    for value in range(6):
        make.budget(str(value))
    assert is_behind(make.scope())
    found = daily(make.scope(), seconds=0)
    assert found.is_behind
    assert found.days[-1].new == 2
    assert jobs.count_days.call() == {"behind": 0}
    assert not is_behind(make.scope())
    found = daily(make.scope(), seconds=0)
    assert (found.is_behind, found.days[-1].new) == (False, 6)
    assert not catch_up(make.scope(), 0)


def test_without_a_cache_pages_count_anew_and_a_worker_does_not_try(settings):
    settings.CACHES = {"default": {"BACKEND": "tests.broken_cache.BrokenCache"}}
    make.budget("1")
    assert day(0).new == 1
    assert day(0).new == 1
    assert not catch_up(make.scope(), 1)


def test_another_workspace_counts_for_itself():
    make.budget("1")
    assert daily(make.scope(make.workspace("w2"))).days[-1].new == 0
    with pytest.raises(ScopeError):
        daily(make.scope(user_id="ann"))
