"""A report beside the one before it, and the series of many."""

import json
from datetime import timedelta
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from django.utils import translation

from audit.health.compare import compared, percent
from audit.health.formats import FORMATS
from audit.health.report import latest_report, open_report, run_report, save_report
from audit.health.trend import trend
from memory import clock
from memory.models import ScopeError, Status
from tests import factories as make

from . import makers


def judged(severity="warning", count=3, share=0.3):
    return SimpleNamespace(severity=severity, count=count, total=10, share=share)


@pytest.mark.parametrize(
    ("before", "now", "unit", "way"),
    [
        (None, judged(), "rows", "new"),
        (judged("ok", 0, 0), judged(), "rows", "new"),
        (judged(), judged("ok", 0, 0), "rows", "gone"),
        (judged(), judged(count=4), "rows", "worse"),
        (judged(), judged(count=2), "rows", "better"),
        (judged(), judged(), "rows", "same"),
        (judged(), judged("error"), "rows", "worse"),
        (judged("error", 9, 0.9), judged("warning", 10, 1), "rows", "better"),
        (judged(count=5, share=0.2), judged(count=4, share=0.4), "share", "worse"),
        (judged(count=5, share=0.2), judged(count=4, share=0.4), "rows", "better"),
        (judged(share=0.2), judged(share=0.1), "rows", "same"),
        (None, judged("ok", 0, 0), "rows", "same"),
        (judged("ok", 90, 0.9), judged("ok", 10, 0.1), "share", "same"),
    ],
)
def test_the_way_of_a_check(before, now, unit, way):
    assert compared(before, now, unit) == way


def test_what_is_more_than_nothing_is_never_shown_as_nothing():
    assert [percent(x) for x in (0, 0.0004, 0.001, 0.125, 1)] == [
        "0.0%", "<0.1%", "0.1%", "12.5%", "100.0%",
    ]  # fmt: skip


def two_reports(scope):
    with clock.at(clock.now() - timedelta(days=14)):
        makers.twins(scope, "茶水间在三楼")
        makers.overdue(scope, text="旧券")
        first = save_report(scope, run_report(scope))
    makers.twins(scope, "The printer is called Otto")
    return first, save_report(scope, run_report(scope))


def by_id(report):
    return {finding.id: finding for finding in report.findings}


def test_a_new_run_and_a_kept_report_stand_beside_the_one_before(here):
    first, second = two_reports(here)
    run = by_id(run_report(here))
    assert run["exact_duplicates"].compared == "same"
    assert run["exact_duplicates"].before.count == 4
    opened = open_report(second)
    assert opened.before_at == first.at
    found = by_id(opened)
    assert (found["exact_duplicates"].compared, found["exact_duplicates"].before.count) == (
        "worse", 2,
    )  # fmt: skip
    assert found["expired_active"].compared == "same"
    assert latest_report(here) == opened
    assert {f.compared for f in open_report(first).findings} == {""}


def test_what_is_kept_does_not_hold_the_comparison(here):
    _first, second = two_reports(here)
    second.refresh_from_db()
    assert "before" not in second.body
    assert not any("compared" in item or "before" in item for item in second.body["checks"])


def test_reports_are_compared_within_a_workspace_and_not_of_a_user(here):
    two_reports(here)
    there = make.scope(make.workspace("there"))
    assert run_report(there).before_at is None
    assert run_report(here.narrow("ann")).before_at is None


def test_two_reports_of_one_instant_are_told_apart(here):
    report = run_report(here)
    first, second = save_report(here, report), save_report(here, report)
    assert open_report(first).before_at is None
    assert open_report(second).before_at == first.at


def test_every_format_tells_it(here):
    two_reports(here)
    with translation.override("en"):
        report = latest_report(here)
        printed = {name: render([report], "error") for name, render in FORMATS.items()}
    assert "worse, it was 2 (" in printed["text"]
    assert "compared with the report of" in printed["text"]
    assert "worse, it was 2 (" in printed["html"]
    assert "compared with the report of" in printed["html"]
    body = json.loads(printed["json"])["reports"][0]
    one = next(item for item in body["checks"] if item["id"] == "exact_duplicates")
    assert (body["before"], one["compared"]) == (report.before_at.isoformat(), "worse")
    assert one["before"] == {"severity": "warning", "count": 2, "total": 3, "share": 0.666667}
    assert ElementTree.fromstring(printed["junit"].split("\n", 1)[1]) is not None


def test_the_html_report_asks_nothing_of_another_host(here):
    two_reports(here)
    page = FORMATS["html"]([latest_report(here)], "error")
    assert not [mark for mark in ("http://", "https://", "<script", "<link") if mark in page]


def test_the_trend_is_oldest_first_and_bounded(here):
    first, second = two_reports(here)
    found = trend(here)
    points = found.of("exact_duplicates")
    assert [(p.report_id, p.count) for p in points] == [(first.pk, 2), (second.pk, 4)]
    assert [then.counts[Status.ACTIVE] for then in found.states] == [3, 5]
    assert not found.is_cut
    short = trend(here, 1)
    assert [p.report_id for p in short.of("exact_duplicates")] == [second.pk]
    assert short.is_cut
    early = trend(here, until=first.at)
    assert [p.report_id for p in early.of("exact_duplicates")] == [first.pk]
    assert found.of("nonsense") == []


def test_a_check_that_came_later_has_points_from_then_on(here):
    first, second = two_reports(here)
    first.body["checks"] = [c for c in first.body["checks"] if c["id"] != "no_result"]
    first.save()
    assert [p.report_id for p in trend(here).of("no_result")] == [second.pk]
    assert by_id(open_report(second))["no_result"].before is None


def test_a_user_has_no_trend(here):
    with pytest.raises(ScopeError):
        trend(here.narrow("ann"))
