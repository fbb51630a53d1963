"""The checks of what became of turns and of what waits for review."""

from datetime import timedelta

import pytest

from audit.console.review_forms import Filter
from audit.console.review_marks import put_off
from audit.console.review_paging import page_of
from audit.health.checks import memories_per_turn
from audit.health.registry import rows_of
from audit.health.report import run_report
from audit.health.thresholds import save_threshold
from memory import clock

from . import makers
from .found import finding
from .traffic import held, talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(memories_per_turn, "LEAST", 4)


def test_nearly_every_turn_remembered_is_hoarding(here, there, few):
    talk(here, 5, kept=4)
    talk(here, 3, role="assistant")
    talk(there, 5)
    found = finding(here, "memories_per_turn")
    assert (found.severity, found.count, found.total, found.share) == ("warning", 4, 5, 0.8)
    makers.complete(
        here, text="同一句里的另一件事", turn_id=rows_of(found.id, here).first().turn_id
    )
    found = finding(here, "memories_per_turn")
    assert (found.count, rows_of(found.id, here).count()) == (4, 4)
    assert (found.detail["memories"], found.detail["per_turn"]) == (5, 1.0)
    assert finding(there, "memories_per_turn").severity == "ok"


def test_some_turns_remembered_is_sound(here, few):
    talk(here, 5, kept=2)
    found = finding(here, "memories_per_turn")
    assert (found.severity, found.share) == ("ok", 0.4)


def test_turns_that_were_read_and_gave_nothing_are_a_warning(here, few):
    talk(here, 5, read=True)
    found = finding(here, "memories_per_turn")
    assert (found.severity, found.count, found.url) == ("warning", 0, None)
    assert found.detail["too_few"] is True
    assert "5" in found.notes[0]


def test_a_log_kept_for_itself_is_no_finding(here, few):
    talk(here, 5)
    assert finding(here, "memories_per_turn").severity == "ok"


def test_few_turns_say_nothing(here):
    talk(here, 5, kept=5)
    talk(here, 5, read=True)
    assert finding(here, "memories_per_turn").severity == "ok"


def test_turns_of_long_ago_do_not_count(here, few):
    with clock.at(clock.now() - timedelta(days=40)):
        talk(here, 5, kept=5)
    assert finding(here, "memories_per_turn").total == 0


def test_too_few_is_told_whatever_the_limits(here, few):
    talk(here, 5, read=True)
    save_threshold(here, "memories_per_turn", None, None, "off")
    assert finding(here, "memories_per_turn").severity == "warning"


def queued(scope, days: int) -> int:
    return len(page_of(scope, Filter({"days": str(days)}).asked(), None).items)


def test_what_has_waited_a_week_is_found_and_the_queue_shows_it(here, there):
    old = held(here, "门禁码待核实", 9)
    held(here, "The gate code may have changed", 2)
    held(there, "另一个团队的门禁码", 20)
    found = finding(here, "review_backlog")
    assert (found.severity, found.count, found.total, found.share) == ("warning", 1, 2, 0.5)
    assert found.detail["memory"] == 1
    assert found.detail["oldest"] == old.updated_at.isoformat()
    assert found.url == "/review/?days=7"
    assert queued(here, 7) == found.count
    assert len(found.notes) == 2


def test_what_is_new_or_put_off_is_no_backlog(here):
    held(here, "门禁码待核实", 6)
    old = held(here, "The gate code", 9)
    put_off(here, "memory", [old.public_id], clock.now() + timedelta(days=3), "on holiday")
    found = finding(here, "review_backlog")
    assert (found.severity, found.count, found.total, found.url) == ("ok", 0, 1, None)
    assert queued(here, 7) == 0


def test_an_open_finding_waits_too(here):
    with clock.at(clock.now() - timedelta(days=8)):
        makers.served(here, makers.retracted(here, text="旧的价目"), stale=True, days_ago=0)
        run_report(here, ["invalidated_retrieved"])
    found = finding(here, "review_backlog")
    assert (found.count, found.detail["finding"]) == (1, 1)
    assert queued(here, 7) == 1
