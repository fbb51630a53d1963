import json
import re
from xml.etree import ElementTree

import pytest
from django.test import Client

from audit.health.report import run_report, save_report
from audit.models import HealthReport
from memory.models import Role
from tests import factories as make

pytestmark = pytest.mark.django_db


def person(role: str = Role.OPERATOR) -> Client:
    return make.logged_in(make.person(f"p-{role}", role=role))


def incomplete() -> None:
    """An active memory that says neither when nor from where nor in which session."""
    make.remember(text="绿茶三克")


def kept(of=None) -> HealthReport:
    scope = make.scope(of)
    return save_report(scope, run_report(scope))


def test_without_a_report_the_page_says_how_to_get_one():
    page = person().get("/health/").content.decode()
    assert "No report yet" in page
    assert "manage.py health --save" in page


def test_run_now_keeps_a_report_and_shows_each_check():
    incomplete()
    client = person()
    page = client.post("/health/", follow=True).content.decode()
    assert HealthReport.everywhere.count() == 1
    assert "The checks have run." in page
    assert "Why it matters" in page
    assert "?status=any&amp;check=missing_metadata" in page
    assert client.get("/health/").context["level"] == "warning"


def test_a_clean_store_says_so():
    kept()
    page = person().get("/health/").content.decode()
    assert "Every check is clean" in page
    assert "Show these rows" not in page


def test_an_earlier_report_opens():
    first = kept()
    incomplete()
    kept()
    client = person()
    assert "There are warnings" in client.get("/health/").content.decode()
    page = client.get(f"/health/reports/{first.pk}/").content.decode()
    assert "Every check is clean" in page
    assert "An earlier report" in page


@pytest.mark.parametrize("asked", ["0", "x", "-1", "999999", "9" * 40, "9" * 18])
def test_a_report_that_is_not_there_is_not_found(asked):
    kept()
    assert person().get(f"/health/reports/{asked}/").status_code == 404


def test_a_report_of_another_workspace_is_not_shown():
    incomplete()
    foreign = kept()
    other = make.workspace("w2")
    stranger = make.logged_in(make.person("sam", other))
    for query in ("", "?format=json"):
        numbers = (foreign.pk, foreign.pk + 1)
        answers = [stranger.get(f"/health/reports/{number}/{query}") for number in numbers]
        assert [answer.status_code for answer in answers] == [404, 404]
        pages = [
            re.sub(r"csrf[^>]*>", "", answer.content.decode().replace(f"/{number}/", "/N/"))
            for number, answer in zip(numbers, answers, strict=True)
        ]
        assert len(set(map(len, pages))) == 1
    own = kept(other)
    download = stranger.get(f"/health/reports/{own.pk}/?format=json")
    assert json.loads(download.content)["reports"][0]["workspace"] == "w2"
    assert str(foreign.pk) not in [
        str(row.pk) for row, *_ in stranger.get("/health/reports/").context["rows"]
    ]


@pytest.mark.parametrize(
    ("name", "begins"),
    [("html", "<!doctype html>"), ("json", "{"), ("junit", "<?xml"), ("text", "Health of w1")],
)
def test_downloads(name, begins):
    incomplete()
    report = kept()
    answer = person().get(f"/health/reports/{report.pk}/?format={name}")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="health-w1-')
    assert answer.content.decode().startswith(begins)
    assert "missing" in answer.content.decode().lower()
    if name == "junit":
        assert ElementTree.fromstring(answer.content).find("testsuite") is not None


def test_an_unknown_format_shows_the_page():
    report = kept()
    assert "<html" in person().get(f"/health/reports/{report.pk}/?format=pdf").content.decode()


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OPERATOR, Role.AUDITOR, Role.ADMIN])
def test_who_may_run_it(role):
    client = person(role)
    assert "Run now" in client.get("/health/").content.decode()
    assert client.post("/health/").status_code == 302
    assert HealthReport.everywhere.count() == 1


def test_a_viewer_reads_and_may_not_run_it():
    incomplete()
    kept()
    viewer = person(Role.VIEWER)
    page = viewer.get("/health/").content.decode()
    assert "There are warnings" in page
    assert "Run now" not in page
    assert viewer.post("/health/").status_code == 403
    assert HealthReport.everywhere.count() == 1


def test_anonymous_goes_to_login():
    assert Client().get("/health/").headers["Location"].startswith("/login/")
    assert Client().post("/health/").headers["Location"].startswith("/login/")
    assert not HealthReport.everywhere.exists()


def test_queries_do_not_grow_with_reports_or_rows(django_assert_max_num_queries):
    client = person()
    for _ in range(25):
        incomplete()
        kept()
    client.get("/health/")
    with django_assert_max_num_queries(14):
        answer = client.get("/health/")
    assert len(answer.context["earlier"]) == 5


def test_each_finding_stands_beside_the_report_before():
    kept()
    incomplete()
    kept()
    client = person()
    page = client.get("/health/").content.decode()
    assert "compared with the report of" in page
    row = next(r for r in client.get("/health/").context["found"])
    assert (row["finding"].id, row["finding"].since_before) == ("missing_metadata", "new")
    make.remember(text="白茶五克")
    kept()
    page = client.get("/health/").content.decode()
    assert "worse, it was 1 (100.0%)" in page
    assert '<svg class="spark"' in page
    assert "in the last 3 reports: from 0 to 2, at most 2" in page


def test_a_first_report_is_compared_with_nothing():
    incomplete()
    kept()
    page = person().get("/health/").content.decode()
    assert "compared with" not in page
    assert '<svg class="spark"' not in page


def test_only_who_may_correct_is_offered_a_fix_and_only_of_the_newest():
    incomplete()
    first = kept()
    assert "/health/missing_metadata/fix/" in person().get("/health/").content.decode()
    assert "/fix/" not in person(Role.VIEWER).get("/health/").content.decode()
    kept()
    client = make.logged_in(make.person("otto"))
    assert "/fix/" not in client.get(f"/health/reports/{first.pk}/").content.decode()


def test_in_chinese():
    kept()
    client = person()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in client.get("/health/").content.decode()
