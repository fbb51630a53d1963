"""GET /health/reports, /health/reports/{id} and /health/trend."""

from datetime import timedelta

import pytest

from audit.health.api import ReportForm
from audit.health.kept_api import KeptForm, TrendForm
from audit.health.report import run_report, save_report
from memory import clock
from memory.models import Status
from tests.factories import api_key, client_for, remember, scope, workspace
from tests.memory.api.calls import fields_named, get, holds_to, owner

pytestmark = pytest.mark.django_db


def kept(days_ago: float = 0, of=None):
    with clock.at(clock.now() - timedelta(days=days_ago)):
        return save_report(scope(of), run_report(scope(of)))


def test_reports_come_newest_first_page_by_page():
    made = [kept(days) for days in (3, 2, 1)]
    client = owner()
    first = get(client, "/health/reports", limit=2)
    assert [item["id"] for item in first.data["items"]] == [made[2].pk, made[1].pk]
    assert first.data["total"] == 3
    assert all(holds_to(KeptForm, item) for item in first.data["items"])
    rest = get(client, "/health/reports", limit=2, cursor=first.data["next"])
    assert [item["id"] for item in rest.data["items"]] == [made[0].pk]
    assert rest.data["next"] is None


def test_one_report_stands_beside_the_one_before():
    first = kept(2)
    remember(text="没有会话的一条")
    second = kept(1)
    client = owner()
    answer = get(client, f"/health/reports/{second.pk}")
    assert holds_to(ReportForm, answer.data)
    assert answer.data["before"] == first.at.isoformat()
    one = next(each for each in answer.data["checks"] if each["id"] == "missing_metadata")
    assert (one["compared"], one["before"]["count"], one["count"]) == ("new", 0, 1)
    alone = get(client, f"/health/reports/{first.pk}").data
    assert alone["before"] is None
    assert {(each["before"], each["compared"]) for each in alone["checks"]} == {(None, None)}


@pytest.mark.parametrize("asked", ["0", "-1", "x", "9" * 30, "999999"])
def test_a_report_that_is_not_there(asked):
    kept()
    answer = get(owner(), f"/health/reports/{asked}")
    assert (answer.status_code, answer.problem) == (404, "not_found")


def test_the_trend_of_one_check_and_of_the_states():
    kept(2)
    remember(text="没有会话的一条")
    kept(1)
    answer = get(owner(), "/health/trend", check="missing_metadata")
    assert holds_to(TrendForm, answer.data)
    assert [(p["count"], p["severity"]) for p in answer.data["points"]] == [
        (0, "ok"), (1, "warning"),
    ]  # fmt: skip
    assert [s["counts"][Status.ACTIVE] for s in answer.data["states"]] == [0, 1]
    assert answer.data["cut"] is False
    short = get(owner(name="other"), "/health/trend", check="missing_metadata", limit=1)
    assert [p["count"] for p in short.data["points"]] == [1]
    assert short.data["cut"] is True


def test_without_a_check_only_the_states():
    kept()
    answer = get(owner(), "/health/trend")
    assert (answer.data["check"], answer.data["points"]) == (None, [])
    assert len(answer.data["states"]) == 1


@pytest.mark.parametrize("query", [{"check": "nonsense"}, {"limit": 0}, {"limit": 201}])
def test_what_is_asked_wrongly_is_named(query):
    answer = get(owner(), "/health/trend", **query)
    assert answer.status_code == 422
    assert fields_named(answer) == set(query)


def test_a_key_bound_to_a_user_is_refused():
    report = kept()
    client = client_for(api_key(user_id="ann")[1])
    for path in ("/health/reports", f"/health/reports/{report.pk}", "/health/trend"):
        answer = get(client, path)
        assert (answer.status_code, answer.problem) == (403, "outside_scope")


def test_a_stranger_gets_the_same_answer_as_for_a_report_that_never_was():
    report = kept()
    stranger = client_for(api_key(workspace("w2"))[1])
    foreign = get(stranger, f"/health/reports/{report.pk}")
    assert foreign.status_code == 404
    assert foreign.content == get(stranger, "/health/reports/999999").content
    assert get(stranger, "/health/reports").data["items"] == []
    assert get(stranger, "/health/trend").data["states"] == []


def test_queries_do_not_grow_with_reports(django_assert_max_num_queries):
    for days in range(5):
        kept(days)
    client = owner()
    get(client, "/health/reports")
    with django_assert_max_num_queries(6):
        get(client, "/health/reports")
    with django_assert_max_num_queries(6):
        get(client, "/health/trend", check="missing_metadata")
