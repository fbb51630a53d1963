"""The demo's reports are made while its script is played, as a worker would have made them."""

from datetime import timedelta

import pytest

from audit.health.trend import trend
from audit.models import HealthReport
from memory import clock
from memory.demo import loader, two_weeks_played
from memory.models import Memory
from tests import factories as make
from tests.audit.console.pages_kit import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _short_script(monkeypatch, settings, tmp_path):
    """Four memories, 30, 28, 20 and 1 days old."""
    settings.DATA_DIR = tmp_path
    first = next(step for step in loader.script() if step["op"] == "remember")
    steps = [
        first
        | {"ref": f"m{days}", "ago": timedelta(days=days), "value": str(days), "evidence": {}}
        | {"text": f"the lamp number {days} is lit", "attribute": f"lamp {days}"}
        for days in (30, 28, 20, 1)
    ]
    monkeypatch.setattr(loader, "script", lambda: iter(steps))
    monkeypatch.setattr("audit.questions.demo.add_questions", lambda workspace: [])


def test_a_report_every_two_weeks_tells_what_there_was_then():
    before = clock.now()
    workspace, steps = loader.load()
    kept = HealthReport.objects.within(make.scope(workspace)).order_by("at")
    ages = [round((before - row.at) / timedelta(days=1), 2) for row in kept]
    assert ages == [28, 14, 0]
    # What was remembered just then is not in it yet.
    assert [sum(row.body["counts"].values()) for row in kept] == [1, 3, 4]
    assert steps == Memory.objects.within(make.scope(workspace)).count() == 4
    assert len({len(row.body["checks"]) for row in kept}) == 1
    assert len(trend(make.scope(workspace)).states) == 3
    page = make.logged_in(make.person("olga", workspace)).get("/health/trends/")
    assert page.context["chart"]["times"] == [row.at.timestamp() for row in kept]
    assert "uplot" in text_of(page).lower()


def test_a_load_that_broke_off_makes_none_twice(monkeypatch):
    play = loader._Player.play

    def killed(player, step):
        if step["ref"] == "m1":
            raise KeyboardInterrupt
        play(player, step)

    monkeypatch.setattr(loader._Player, "play", killed)
    with pytest.raises(KeyboardInterrupt):
        loader.load()
    assert HealthReport.everywhere.count() == 2
    monkeypatch.setattr(loader._Player, "play", play)
    workspace, _steps = loader.load()
    assert HealthReport.everywhere.count() == 3
    with clock.at(HealthReport.everywhere.earliest("at").at):
        two_weeks_played.send(None, workspace=workspace)
    assert HealthReport.everywhere.count() == 3
    loader.load()
    assert HealthReport.everywhere.count() == 3
