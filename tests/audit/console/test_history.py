import pytest

from memory.models import Batch
from tests.factories import budget, instant, remember, scope, workspace

from .pages_kit import assert_three_ways, links, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def test_it_shows_old_and_new_with_time_reason_and_actor():
    budget("800")
    budget("1200", reason="the board agreed")
    page = text_of(operator().get("/history/"))
    batch = Batch.everywhere.latest("pk")
    assert "<del>800</del> → <ins>1200</ins>" in page
    assert "the board agreed" in page
    assert f'<a href="/activity/{batch.public_id}/">person:ann</a>' in page
    assert f'datetime="{batch.at.isoformat(timespec="seconds")}"' in page


def test_current_values_are_not_history():
    remember(text="办公室在三楼")
    page = operator().get("/history/?status=active")
    assert not page.context["rows"]
    assert "Nothing has been superseded yet" in text_of(page)


def test_newest_first():
    for value in ("1", "2", "3"):
        budget(value)
    assert [row.old.value for row in operator().get("/history/").context["rows"]] == ["2", "1"]


def test_search_finds_former_values_only():
    budget("800")
    budget("1200")
    client = operator()
    assert [r.old.value for r in client.get("/history/?q=800").context["rows"]] == ["800"]
    page = client.get("/history/?q=1200")
    assert not page.context["rows"]
    assert "Nothing matches" in text_of(page)


def test_filters_and_their_links():
    budget("800")
    budget("1200")
    budget("5", user_id="bob")
    budget("6", user_id="bob")
    page = operator().get("/history/?user_id=bob&sort=-updated")
    assert [row.old.value for row in page.context["rows"]] == ["5"]
    assert any(link.get("sort") and link.get("user_id") == ["bob"] for link in links(page))


def test_filters_are_typed_too_but_for_the_state():
    budget("800", user_id="ann")
    budget("900", user_id="ann")
    budget("1200", user_id="ben")
    budget("1300", user_id="ben")
    client = operator()
    page = client.get("/history/", {"q": "-user:ben 预算"}, follow=True)
    assert page.redirect_chain[0][0] == "/history/?q=%E9%A2%84%E7%AE%97&not_user_id=ben"
    assert [row.old.value for row in page.context["rows"]] == ["800"]
    page = client.get("/history/", {"q": "is:active 预算"})
    assert page.context["unknown"] == ("is:active",)
    assert "is:active is no filter" in text_of(page)
    assert "<code>is:superseded</code>" not in text_of(page)
    assert "<code>is:superseded</code>" in text_of(client.get("/memories/"))


def test_a_late_observation_is_told_by_the_batch_that_filed_it():
    budget("1200", occurred_at=instant("2026-03-01 09:00"))
    budget("800", occurred_at=instant("2026-01-01 09:00"), reason="an old letter")
    rows = operator().get("/history/").context["rows"]
    assert [(row.old.value, row.new.value) for row in rows] == [("800", "1200")]
    assert rows[0].entry.batch.reason == "an old letter"


def test_plain_part_and_back():
    budget("800")
    budget("1200")
    assert_three_ways(operator(), "/history/?q=预算")


@pytest.mark.parametrize("query", ["cursor=abc", "sort=nonsense", "page=7", "kind=thing", "x=1"])
def test_parameters_that_mean_nothing_change_nothing(query):
    budget("800")
    budget("1200")
    assert len(operator().get(f"/history/?{query}").context["rows"]) == 1


def test_other_workspaces_stay_out():
    budget("800", text="secret 800")
    budget("1200", text="secret 1200")
    assert "secret" not in text_of(stranger().get("/history/"))


def test_a_stranger_sees_only_his_own():
    budget("800")
    budget("1200")
    there = scope(workspace("w2"))
    for value in ("7", "8"):
        remember(there, entity="user", attribute="预算", value=value)
    rows = stranger().get("/history/").context["rows"]
    assert [(row.old.value, row.new.value) for row in rows] == [("7", "8")]


def test_a_viewer_reads_and_anonymous_is_sent_to_log_in(client):
    assert viewer().get("/history/").status_code == 200
    assert client.get("/history/")["Location"].startswith("/login/")


def test_queries_do_not_grow_with_rows():
    for value in ("1", "2", "3"):
        budget(value)
    client = operator()
    few = queries(client, "/history/?q=预算")
    for value in range(4, 20):
        budget(str(value))
    assert queries(client, "/history/?q=预算") == few


def test_chinese_page_renders():
    page = text_of(operator().get("/history/", HTTP_ACCEPT_LANGUAGE="zh-hans"))
    assert 'lang="zh-hans"' in page
