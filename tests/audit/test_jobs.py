"""Reports on time, and findings without being asked for."""

from datetime import timedelta

import pytest

from audit import jobs
from audit.models import HealthReport
from memory import clock
from memory.jobs.registry import jobs as all_jobs
from tests import factories as make
from tests.audit.findings import makers

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def is_due() -> bool:
    return next(one for one in all_jobs() if one.task is jobs.report_health).is_due()


def test_a_report_is_kept_every_fourteen_days_for_each_workspace():
    one, other = make.workspace(), make.workspace("w2")
    with clock.at(START):
        assert is_due()
        assert jobs.report_health.call() == {"reports": 2}
        assert not is_due()
        assert jobs.report_health.call() == {"reports": 0}
    for days, due in ((13.9, False), (14, True)):
        with clock.at(START + timedelta(days=days)):
            assert is_due() is due
    with clock.at(START + timedelta(days=14)):
        third = make.workspace("w3")
        assert jobs.report_health.call() == {"reports": 3}
    kept = list(HealthReport.everywhere.values_list("workspace_id", flat=True))
    assert sorted(kept) == sorted([one.pk, other.pk] * 2 + [third.pk])


def test_a_report_that_somebody_made_counts_too():
    make.workspace()
    with clock.at(START):
        jobs.report_health.call()
        HealthReport.everywhere.update(at=START - timedelta(days=10))
        assert not is_due()


@pytest.mark.parametrize(("days", "due"), [(0, False), (1, True), (3, False)])
def test_how_often_is_a_setting(settings, days, due):
    make.workspace()
    with clock.at(START):
        jobs.report_health.call()
    settings.HEALTH_REPORT_DAYS = days
    with clock.at(START + timedelta(days=2)):
        assert is_due() is due
        assert jobs.report_health.call() == {"reports": int(due)}


def test_what_was_given_though_it_was_retracted_becomes_a_finding_once():
    makers.recorded(makers.retracted(text="旧的账号"), stale=True, status="retracted")
    elsewhere = make.scope(make.workspace("w2"))
    makers.recorded(make.remember(elsewhere, text="still so"), in_scope=elsewhere)
    assert jobs.scan_recalls.call() == {"read": 2, "occurrences": 1}
    assert jobs.scan_recalls.call() == {"read": 0, "occurrences": 0}
    assert [one.occurrences for one in makers.findings()] == [1]
