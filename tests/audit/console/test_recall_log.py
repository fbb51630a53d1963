"""The recall log's filters: what each shows, that none reads the whole log, what to drop."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.console import log
from memory import clock
from memory.models import Recall, RecallCandidate
from memory.recall.feedback import add_feedback
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def owner() -> Client:
    return make.logged_in(make.person("olive", role="operator"))


def asked(client: Client, **filters) -> list[str]:
    return [recall.query for recall in client.get("/recalls/", filters).context["page"]]


@pytest.fixture
def busy() -> Client:
    """Five recalls, a day apart, each with something of its own."""
    make.budget("800")
    agent = make.scope(user_id="bo", actor="key:bot", surface="api")
    asks = (
        ("预算多少", None, {"agent_id": "clerk", "session_id": "s7"}),
        ("nothing fits this", agent, {}),
        ("谢谢", agent, {"session_id": "s8"}),
        ("我的预算", None, {"profile": "confident"}),
        ("budget 预算", None, {"agent_id": "cook"}),
    )
    for day, (query, scope, fields) in enumerate(asks):
        with clock.at(START + timedelta(days=day)):
            make.ask(query, scope, **fields)
    records = {record.query: record for record in Recall.everywhere.all()}
    add_feedback(records["预算多少"], "good", "", "key:bot")
    add_feedback(records["budget 预算"], "stale", "", "key:bot")
    RecallCandidate.objects.filter(recall=records["我的预算"]).update(stale=True)
    return owner()


CASES = [
    ({"user_id": "bo"}, ["谢谢", "nothing fits this"]),
    ({"agent_id": "clerk"}, ["预算多少"]),
    ({"agent_id": "cler"}, []),
    ({"session_id": "s8"}, ["谢谢"]),
    ({"q": "FITS"}, ["nothing fits this"]),
    ({"q": "预算", "agent_id": "cook"}, ["budget 预算"]),
    ({"triggered": "no"}, ["谢谢"]),
    ({"triggered": "yes", "user_id": "bo"}, ["nothing fits this"]),
    ({"served": "none"}, ["谢谢", "nothing fits this"]),
    ({"served": "none", "triggered": "yes"}, ["nothing fits this"]),
    ({"served": "some"}, ["budget 预算", "我的预算", "预算多少"]),
    ({"stale": "yes"}, ["我的预算"]),
    ({"feedback": "any"}, ["budget 预算", "预算多少"]),
    ({"feedback": "stale"}, ["budget 预算"]),
    ({"feedback": "wrong"}, []),
    ({"profile": "confident"}, ["我的预算"]),
    ({"surface": "api"}, ["谢谢", "nothing fits this"]),
    ({"actor": "key:bot"}, ["谢谢", "nothing fits this"]),
    ({"since": "2026-03-04"}, ["budget 预算", "我的预算"]),
    ({"until": "2026-03-02"}, ["nothing fits this", "预算多少"]),
    (
        {"since": "2026-03-02", "until": "2026-03-03", "user_id": "bo"},
        ["谢谢", "nothing fits this"],
    ),
    ({"since": "2026-03-05", "until": "2026-03-01"}, []),
]


@pytest.mark.parametrize(("filters", "found"), CASES)
def test_each_filter(busy, filters, found):
    assert asked(busy, **filters) == found


@pytest.mark.parametrize(
    "query", ["served=half", "triggered=1", "stale=no", "feedback=bad", "since=1", "q=%00"]
)
def test_what_means_nothing_filters_nothing(busy, query):
    answer = busy.get(f"/recalls/?{query}")
    assert answer.status_code == 200
    assert len(answer.context["page"].rows) == 5


def test_a_candidate_that_was_not_given_makes_no_recall_stale(busy):
    RecallCandidate.objects.update(rank=None)
    assert asked(busy, stale="yes") == []


UNINDEXED = re.compile(
    r'"memory_recall"."(agent_id|session_id|query|triggered|served|profile|surface|actor)" ?[=L)]'
    r"|EXISTS|IN \(SELECT"
)


def plan(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        return [row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()]


def test_no_filter_reads_the_whole_log(busy, monkeypatch):
    """Every statement enters by an index and sorts nothing; one with filters that no index
    serves ends at the window's last row."""
    monkeypatch.setattr(log, "WINDOW", 1)
    for filters in ({}, *(filters for filters, _ in CASES)):
        with CaptureQueriesContext(connection) as captured:
            chosen = busy.get("/recalls/", filters).context["log"]
        found = [q["sql"] for q in captured if 'FROM "memory_recall' in q["sql"]]
        assert len(found) >= 4
        for sql in found:
            check_plan(sql, is_cut=chosen.window[1])


def check_plan(sql: str, *, is_cut: bool) -> None:
    for step in plan(sql):
        if re.search("memory_recall|U0", step):
            assert re.match("SEARCH|SCAN .* USING (COVERING )?INDEX candidate_stale", step), sql
        assert "TEMP B-TREE" not in step or "GROUP BY" in sql, sql
    if is_cut and UNINDEXED.search(sql.partition(" WHERE ")[2]):
        assert re.search(r'"memory_recall"."(at|id)" > ', sql), sql


@pytest.mark.parametrize("filters", [{"q": "预算"}, {"stale": "yes"}, {"agent_id": "clerk"}])
def test_what_lies_beyond_the_window_is_not_found_and_that_is_said(busy, monkeypatch, filters):
    monkeypatch.setattr(log, "WINDOW", 1)
    answer = busy.get("/recalls/", filters)
    assert "in the newest 1 recalls only" in answer.content.decode()
    monkeypatch.setattr(log, "WINDOW", 5)
    assert "recalls only" not in busy.get("/recalls/", filters).content.decode()


def test_days_reach_what_the_window_does_not(busy, monkeypatch):
    monkeypatch.setattr(log, "WINDOW", 1)
    assert asked(busy, q="预算多少") == []
    assert asked(busy, q="预算多少", until="2026-03-01") == ["预算多少"]


def test_paging_within_days_goes_by_time_and_back(monkeypatch):
    with clock.at(START):
        for number in range(60):
            make.ask(f"question {number}")
    Recall.everywhere.filter(query="question 3").update(at=START + timedelta(hours=1))
    client = owner()
    days = {"since": "2026-03-01", "until": "2026-03-01"}
    first = client.get("/recalls/", days).context["page"]
    second = client.get("/recalls/", days | {"cursor": first.next}).context["page"]
    assert first.rows[0].query == "question 3"
    assert len({row.pk for row in [*first.rows, *second.rows]}) == 60
    back = client.get("/recalls/", days | {"cursor": second.previous}).context["page"]
    assert [row.pk for row in back.rows] == [row.pk for row in first.rows]
    # A cursor of the other order, or past the last row, is the first page.
    assert asked(client, cursor=first.next)[0] == "question 59"


def test_the_views_keep_what_was_typed(busy):
    answer = busy.get("/recalls/", {"user_id": "bo", "served": "none", "triggered": "yes"})
    views = {str(view["text"]): view for view in answer.context["views"]}
    assert [name for name, view in views.items() if view["active"]] == ["No result"]
    assert views["All"]["address"] == "?user_id=bo"
    assert "stale=yes" in views["Outdated given"]["address"]
    for view in views.values():
        assert busy.get(f"/recalls/{view['address']}").status_code == 200


def test_nothing_matches_names_the_filter_to_drop(busy):
    page = busy.get("/recalls/", {"user_id": "bo", "q": "预算"}).content.decode()
    assert "Drop User: bo" in page
    assert "Drop Words of the query: 预算" in page
    assert "Nobody has asked yet" not in page
    page = busy.get("/recalls/", {"user_id": "bo", "agent_id": "nobody"}).content.decode()
    assert "Drop Agent: nobody" in page
    assert "Drop User: bo" not in page


def test_a_count_stops_and_says_so(busy, monkeypatch):
    monkeypatch.setattr("audit.console.keyset.COUNT_CAP", 3)
    page = busy.get("/recalls/").content.decode()
    assert " of 3+" in page


def test_another_workspace_is_not_in_it(busy):
    stranger = make.logged_in(make.person("sam", make.workspace("w2")))
    for filters in ({}, {"stale": "yes"}, {"feedback": "any"}, {"q": "预算"}):
        assert asked(stranger, **filters) == []


def test_queries_do_not_grow_with_filters_or_rows(busy, django_assert_max_num_queries):
    everything = {
        "user_id": "ann", "q": "预算", "agent_id": "cook", "served": "some", "triggered": "yes",
        "stale": "yes", "feedback": "any", "profile": "balanced", "since": "2026-03-01",
    }  # fmt: skip
    busy.get("/recalls/", everything)
    with django_assert_max_num_queries(46):
        busy.get("/recalls/", everything)
