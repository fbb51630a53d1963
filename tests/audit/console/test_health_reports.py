"""The list of kept reports, and the trends."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client

from audit.health.report import run_report, save_report
from memory import clock
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, text_of

pytestmark = pytest.mark.django_db


def kept(days_ago: float = 0, of=None):
    with clock.at(clock.now() - timedelta(days=days_ago)):
        return save_report(make.scope(of), run_report(make.scope(of)))


def test_the_list_goes_page_by_page_newest_first(monkeypatch):
    from audit.console import health_reports, keyset

    monkeypatch.setattr(
        health_reports, "paginate", lambda *args: keyset.paginate(*args[:2], args[2], 2)
    )
    made = [kept(days) for days in (3, 2, 1)]
    client = operator()
    first = client.get("/health/reports/")
    assert [row[0].pk for row in first.context["rows"]] == [made[2].pk, made[1].pk]
    for format in ("html", "json", "junit"):
        assert f"/health/reports/{made[2].pk}/?format={format}" in text_of(first)
    rest = client.get("/health/reports/", {"cursor": first.context["page"].next})
    assert [row[0].pk for row in rest.context["rows"]] == [made[0].pk]


def test_each_row_says_how_many_errors_and_warnings():
    make.remember(text="没有会话的一条")
    kept()
    (row,) = operator().get("/health/reports/").context["rows"]
    assert row[1:] == ("warning", 0, 1)


def test_without_reports_both_pages_say_so():
    client = operator()
    assert "No report yet" in text_of(client.get("/health/reports/"))
    for query in ("", "?check=missing_metadata"):
        page = text_of(client.get(f"/health/trends/{query}"))
        assert "Nothing to show yet" in page
        assert "uPlot" not in page


def test_the_trend_is_a_table_and_the_same_figures_for_the_chart():
    kept(3)
    make.remember(text="没有会话的一条")
    last = kept(1)
    answer = operator().get("/health/trends/?check=missing_metadata")
    page = text_of(answer)
    data = re.search(r'<script id="chart-data" type="application/json">(.*?)</script>', page)
    chart = json.loads(data[1])
    assert [line["values"] for line in chart["lines"]] == [[0, 1], [0.0, 100.0]]
    assert len(chart["times"]) == 2
    assert [point[0].count for point in answer.context["points"]] == [1, 0]
    assert f"/health/reports/{last.pk}/#missing_metadata" in page
    assert "100.0%" in page
    assert "<script>" not in page


def test_without_a_check_the_states_are_shown():
    kept(3)
    make.remember(text="茶室在三楼")
    kept(1)
    answer = operator().get("/health/trends/")
    assert [dict(counts)["active"] for _at, _id, counts in answer.context["states"]] == [1, 0]
    assert len(answer.context["chart"]["lines"]) == 7


def test_one_report_makes_no_chart_but_a_table():
    kept()
    page = text_of(operator().get("/health/trends/?check=missing_metadata"))
    assert "<table" in page
    assert "chart-data" not in page


@pytest.mark.parametrize("asked", ["nonsense", "../settings", "x" * 500])
def test_a_check_that_is_not_there(asked):
    assert operator().get("/health/trends/", {"check": asked}).status_code == 404


def test_another_workspace_sees_none_of_it():
    kept(2)
    kept(1)
    client = stranger()
    assert client.get("/health/reports/").context["rows"] == []
    assert client.get("/health/trends/").context["states"] == []


def test_anonymous_goes_to_login():
    for address in ("/health/reports/", "/health/trends/"):
        assert Client().get(address).headers["Location"].startswith("/login/")


def test_queries_do_not_grow_with_reports():
    kept(9)
    client = operator()
    addresses = ("/health/reports/", "/health/trends/?check=missing_metadata")
    few = [queries(client, address) for address in addresses]
    for days in range(8):
        kept(days)
    assert [queries(client, address) for address in addresses] == few


def test_in_chinese():
    kept()
    client = operator()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    for address in ("/health/reports/", "/health/trends/"):
        assert '<html lang="zh-hans"' in text_of(client.get(address))
