import pytest

from audit.health.report import run_report, save_report
from memory.models import Batch
from memory.write.undo import undo
from tests.factories import ask, budget, remember, scope, workspace

from .pages_kit import operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def test_an_empty_store_says_how_to_begin():
    page = text_of(operator().get("/"))
    assert "manage.py demo" in page
    assert "curl -X POST http://testserver/api/v1/memories" in page
    assert 'href="/settings/"' in page


def test_a_store_with_memories_does_not():
    budget("800")
    assert "manage.py demo" not in text_of(operator().get("/"))


def test_figures_and_states():
    budget("800")
    budget("1200")
    remember(text="the office is upstairs", user_id="bob")
    context = operator().get("/").context
    assert context["figures"] == {"active": 2, "users": 2}
    assert {s.value: s.count for s in context["states"] if s.count} == {
        "active": 2,
        "superseded": 1,
    }


def test_latest_changes_say_who_and_why():
    budget("800")
    budget("1200", reason="the board agreed")
    page = operator().get("/")
    batch = Batch.everywhere.latest("pk")
    assert page.context["changes"][0] == (batch, "我的预算是1200元", 2)
    assert "the board agreed" in text_of(page)
    assert f"/activity/{batch.public_id}/" in text_of(page)


def test_an_undone_batch_is_marked():
    budget("800")
    undo(scope(), Batch.everywhere.latest("pk"), "a mistake")
    changes = operator().get("/").context["changes"]
    assert [batch.is_undone for batch, _, _ in changes] == [False, True]


def test_an_erased_statement_leaves_its_batch_listed():
    budget("800")
    Batch.everywhere.latest("pk").changes.update(payload=None)
    assert [said for _, said, _ in operator().get("/").context["changes"]] == [""]


def test_latest_recalls_are_linked():
    budget("1200")
    answer = ask("我的预算是多少")
    assert f"/recalls/{answer.record.public_id}/" in text_of(operator().get("/"))


def test_health_before_and_after_a_report():
    remember(text="nobody said this")
    client = operator()
    assert "manage.py health --save" in text_of(client.get("/"))
    save_report(scope(), run_report(scope()))
    page = client.get("/")
    assert "manage.py health --save" not in text_of(page)
    assert "missing_metadata" in [finding.id for finding in page.context["findings"]]
    assert "check=missing_metadata" in text_of(page)


def test_a_clean_report_says_so():
    save_report(scope(), run_report(scope()))
    page = operator().get("/")
    assert page.context["findings"] == []
    assert "All checks passed" in text_of(page)


def test_other_workspaces_stay_out():
    budget("1200", text="secret budget", reason="secret reason")
    ask("a secret question")
    save_report(scope(), run_report(scope()))
    page = stranger().get("/")
    assert "secret" not in text_of(page)
    assert page.context["figures"] == {"active": 0, "users": 0}
    assert page.context["report"] is None


def test_a_viewer_reads_and_anonymous_is_sent_to_log_in(client):
    assert viewer().get("/").status_code == 200
    assert client.get("/")["Location"].startswith("/login/")


def test_queries_do_not_grow_with_rows():
    budget("1")
    ask("我的预算是多少")
    client = operator()
    few = queries(client, "/")
    for value in range(2, 15):
        budget(str(value))
        ask("我的预算是多少")
    assert queries(client, "/") == few


def test_chinese_page_renders():
    remember(scope(workspace()), text="办公室在三楼")
    page = text_of(operator().get("/", HTTP_ACCEPT_LANGUAGE="zh-hans"))
    assert 'lang="zh-hans"' in page
    assert "办公室在三楼" in page
