from datetime import timedelta

import pytest

from audit.health.compare import percent
from audit.health.report import run_report, save_report
from memory import clock
from memory.models import Batch, Recall
from memory.write.proposal import Proposal
from memory.write.remember import remember as remember_all
from memory.write.undo import undo
from tests.factories import ask, budget, remember, scope, workspace

from .pages_kit import operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def test_a_store_with_memories_has_no_start_card():
    budget("800")
    assert operator().get("/").context["start"] is None


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


def test_what_waits_is_told_by_what_the_role_may_do():
    held = remember(text="call me on 13800138000")
    assert held.status == "quarantined"
    remember(text="maybe the blue one", confidence=0.1)
    waits = operator().get("/").context["waits"]
    assert {one.text: one.count for one in waits.todo} == {
        "To be reviewed": 2,
        "of these held": 1,
        "Findings of mine": 0,
        "Open corrections": 0,
        "Failing questions": 0,
    }
    page = viewer().get("/")
    assert page.context["waits"].todo == []
    assert "your role reads" in text_of(page)


def test_each_count_leads_to_a_list_of_as_many():
    remember(text="call me on 13800138000")
    with clock.at(clock.now() - timedelta(days=9)):
        remember(text="maybe the blue one", confidence=0.1)
    client = operator()
    waits = client.get("/").context["waits"]
    assert [one.count for one in waits.ages] == [2, 1, 1, 0]
    for one in [*waits.todo[:2], *waits.ages]:
        listed = client.get(one.address).context["page"]
        assert len(listed.items) == one.count


def test_the_standing_has_a_way_since_the_report_before():
    client = operator()
    assert client.get("/").context["standing"] is None
    save_report(scope(), run_report(scope()))
    assert client.get("/").context["standing"].way == ""
    remember(text="nobody said this")
    save_report(scope(), run_report(scope()))
    page = client.get("/")
    found = page.context["standing"]
    assert (found.way, found.clean < found.checks) == ("worse", True)
    assert "worse than the report before" in text_of(page)
    save_report(scope(), run_report(scope()))
    assert client.get("/").context["standing"].way == "same"


def test_each_day_of_the_pictures_leads_to_its_rows():
    with clock.at(clock.now() - timedelta(days=3)):
        budget("800")
        budget("1200")
        ask("我的预算是多少")
    client = operator()
    page = client.get("/")
    row = page.context["day_rows"][3]
    day = row["day"]
    assert (day.moves["active"], day.moves["superseded"], day.active) == (2, 1, 1)
    batches = client.get(row["changes"]).context["rows"]
    assert len(batches) == 2
    assert client.get(row["searched"]).context["page"].total == day.searched == 1
    assert client.get(row["active"]).context["page"].total == day.active
    bars = [bar for bar in page.context["flow"].bars if bar.pieces]
    assert [[piece.name for piece in bar.pieces] for bar in bars] == [["active", "superseded"]]
    assert str(bars[0].address).replace("&", "&amp;") in text_of(page)
    assert str(row["changes"]).replace("&", "&amp;") in text_of(page)


def test_rates_are_of_the_recalls_that_searched():
    budget("1200")
    ask("我的预算是多少")
    ask("which shuttle runs to the airport")
    page = operator().get("/")
    asked = Recall.everywhere.filter(triggered=True)
    share = 1 - asked.filter(served=0, tokens=0).count() / asked.count()
    assert page.context["gave"] == percent(share)
    assert page.context["rates"] is None


def test_without_anything_the_pictures_say_so():
    page = text_of(operator().get("/"))
    assert "Nothing came or went in these days." in page
    assert "No memory was active in these days." in page
    assert '<svg class="flow"' not in page


def test_a_large_batch_is_not_counted_to_its_end(monkeypatch):
    for module in ("ledger", "templatetags.console"):
        monkeypatch.setattr(f"audit.console.{module}.COUNT_CAP", 3)
    written = [Proposal(text=f"note {n}", kind="other") for n in range(5)]
    remember_all(scope(), written, infer=False)
    client = operator()
    for address in ("/", "/activity/"):
        page = text_of(client.get(address))
        assert "3+ changes" in page
        assert "note 0" in page or address == "/"


@pytest.mark.parametrize(("days", "said"), [(1, "for 1 day or more"), (7, "for 7 days or more")])
def test_how_long_it_has_waited_is_said_in_good_english(days, said):
    assert said in [one.text for one in operator().get("/").context["waits"].ages]
