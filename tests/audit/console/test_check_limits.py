"""Thresholds of health checks: the list, one, its versions."""

import pytest
from django.test import Client

from audit.health.report import run_report
from audit.health.thresholds import save_threshold, threshold_of
from audit.models import Threshold
from memory.models import Role
from memory.write.queue import QueueTimeout
from tests import factories as make
from tests.audit.console.pages_kit import queries, text_of

pytestmark = pytest.mark.django_db
HERE, SHARE = "/settings/checks/missing_metadata/", "/settings/checks/no_result/"


def person(role: str = Role.ADMIN, of=None) -> Client:
    return make.logged_in(make.person(f"p-{role}", of, role=role))


def said(**values) -> dict:
    return {"warning_from": "1", "error_from": "", "reason": "试一试"} | values


def test_the_list_names_every_check_but_mere_figures():
    answer = person().get("/settings/checks/")
    shown = {row.check.id: row for row in answer.context["rows"]}
    assert {"missing_metadata", "no_result", "ledger_chain"} <= set(shown)
    assert "hit_rate" not in shown
    assert (shown["no_result"].warning, shown["no_result"].error) == ("50.0%", "never")
    assert (shown["ledger_chain"].warning, shown["ledger_chain"].error) == ("never", "1 row")
    assert not any(row.is_own for row in shown.values())
    assert "/settings/checks/" in text_of(person(Role.VIEWER).get("/settings/"))


def test_a_saved_threshold_rules_the_next_report():
    make.remember(text="没有会话的一条")
    client = person()
    done = client.post(HERE, said(warning_from="2", error_from="5", reason="少量 <b>无妨</b>"))
    assert (done.status_code, done.headers["Location"]) == (302, HERE)
    kept = Threshold.objects.get()
    assert (kept.version, kept.warning_from, kept.error_from) == (1, 2, 5)
    assert kept.actor == "person:p-admin"
    assert run_report(make.scope(), ["missing_metadata"]).worst == "ok"
    page = text_of(client.get(HERE))
    assert "少量 &lt;b&gt;无妨&lt;/b&gt;" in page
    assert "2 rows" in page
    rows = client.get("/settings/checks/").context["rows"]
    assert [row.check.id for row in rows if row.is_own] == ["missing_metadata"]


def test_a_share_is_typed_in_percent():
    client = person()
    assert 'value="50"' in text_of(client.get(SHARE))
    client.post(SHARE, said(warning_from="12.5", error_from="80"))
    kept = Threshold.objects.get()
    assert (kept.warning_from, kept.error_from) == (0.125, 0.8)
    assert "12.5%" in text_of(client.get(SHARE))


def test_both_empty_is_never():
    client = person()
    client.post(HERE, said(warning_from="", error_from=""))
    make.remember(text="没有会话的一条")
    assert threshold_of(make.scope(), "missing_metadata") == (None, None)
    assert run_report(make.scope(), ["missing_metadata"]).worst == "ok"


@pytest.mark.parametrize(
    ("address", "values", "told"),
    [
        (HERE, {"warning_from": "-1"}, "greater than or equal to 0"),
        (HERE, {"warning_from": "often"}, "Enter a number"),
        (HERE, {"warning_from": "nan"}, "Enter a number"),
        (SHARE, {"warning_from": "101"}, "less than or equal to 100"),
        (HERE, {"warning_from": "9", "error_from": "2"}, "not below the warning"),
        (HERE, {"reason": ""}, "This field is required"),
        (HERE, {"reason": "因" * 501}, "at most 500"),
        (HERE, {}, "is what it already says"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_saved(address, values, told):
    answer = person().post(address, said(**values))
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert not Threshold.objects.exists()


def test_a_busy_store_saves_nothing(monkeypatch):
    def full(*args, **kwargs):
        raise QueueTimeout("full")

    monkeypatch.setattr("audit.console.check_limits.save_threshold", full)
    assert "The store is busy" in text_of(person().post(HERE, said(warning_from="3")))


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR, Role.REVIEWER, Role.AUDITOR])
def test_others_read_and_cannot_change(role):
    save_threshold(make.scope(), "missing_metadata", 7, None, "seven")
    client = person(role)
    page = text_of(client.get(HERE))
    assert "7 rows" in page
    assert 'name="warning_from"' not in page
    assert client.post(HERE, said(warning_from="3")).status_code == 403
    assert Threshold.objects.count() == 1


def test_another_workspace_has_its_own():
    save_threshold(make.scope(), "missing_metadata", 7777, None, "many")
    client = person(of=make.workspace("w2"))
    assert "7,777" not in text_of(client.get(HERE))
    client.post(HERE, said(warning_from="3"))
    assert threshold_of(make.scope(), "missing_metadata").warning_from == 7777
    assert threshold_of(make.scope(make.workspace("w2")), "missing_metadata").warning_from == 3


@pytest.mark.parametrize("name", ["nonsense", "hit_rate"])
def test_no_such_check(name):
    assert person().get(f"/settings/checks/{name}/").status_code == 404


def test_anonymous_goes_to_login():
    for address in ("/settings/checks/", HERE):
        assert Client().get(address).headers["Location"].startswith("/login/")


def test_queries_do_not_grow_with_versions():
    client = person()
    few = [queries(client, address) for address in ("/settings/checks/", HERE)]
    for number in range(2, 8):
        save_threshold(make.scope(), "missing_metadata", number, None, "")
    assert [queries(client, address) for address in ("/settings/checks/", HERE)] == few


def test_in_chinese():
    client = person()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in text_of(client.get("/settings/checks/"))
