"""The boxes where a correction is said, the list of corrections, and who may use them."""

from uuid import uuid4

import pytest

from audit.console.review_corrections import KINDS
from memory.models import Correction, Role
from memory.write.correction.road import propose
from tests import factories as make

from .correction_kit import address, decide, fact, said, shop
from .pages_kit import assert_three_ways, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def test_the_box_of_a_memory_is_about_that_memory():
    other, mine = fact("红坊店", "房租", "7000"), fact("蓝湾店", "房租", "7000")
    client = operator()
    assert f'value="{mine.public_id}"' in text_of(client.get(f"/memories/{mine.public_id}/"))
    page = client.post(
        "/corrections/new/", {"text": "不对，是7500", "memory": mine.public_id}, follow=True
    )
    assert [line.memory for line in page.context["targets"]] == [mine]
    assert Correction.everywhere.get().user_id == mine.user_id == other.user_id


def test_the_box_of_a_recall_is_about_what_it_gave():
    mine = fact()
    recall = make.ask("白鹭组 差旅上限").record
    client = operator()
    assert f'value="{recall.public_id}"' in text_of(client.get(f"/recalls/{recall.public_id}/"))
    page = client.post(
        "/corrections/new/", {"text": "不对，是1800", "recall": recall.public_id}, follow=True
    )
    assert [line.memory for line in page.context["targets"]] == [mine]
    assert Correction.everywhere.get().recall == recall


def test_the_box_of_the_list_asks_for_the_user():
    fact()
    client = operator()
    text = text_of(client.get("/memories/", {"user_id": "ann"}))
    assert 'name="user_id"' in text
    assert 'value="ann"' in text
    refused = client.post("/corrections/new/", {"text": "白鹭组的差旅上限改成1800"})
    assert refused.status_code == 422
    assert "say whose memory is to be corrected" in text_of(refused)
    assert "白鹭组的差旅上限改成1800" in text_of(refused)
    assert not Correction.everywhere.exists()


def test_each_tab_lists_its_own():
    fact()
    client = operator()
    said(client, "白鹭组的差旅上限改成1800")
    decide(client, said(client, "白鹭组的差旅上限改成1900"))
    decide(client, said(client, "白鹭组的差旅上限改成2000"), "dismiss")
    said(client, "好的，明白")
    counts = {
        tab: [row.text for row, *_ in client.get("/corrections/", {"status": tab}).context["rows"]]
        for tab in ("open", "applied", "dismissed", "none")
    }
    assert counts == {
        "open": ["白鹭组的差旅上限改成1800"],
        "applied": ["白鹭组的差旅上限改成1900"],
        "dismissed": ["白鹭组的差旅上限改成2000"],
        "none": ["好的，明白"],
    }
    assert_three_ways(client, "/corrections/")


def test_the_list_pages_by_key():
    scope = make.scope()
    for n in range(53):
        propose(scope, f"好的{n}", user_id="ann")
    client = operator()
    first = client.get("/corrections/", {"status": "none"}).context["page"]
    rest = client.get("/corrections/", {"status": "none", "cursor": first.next}).context["page"]
    assert (len(first.rows), len(rest.rows), rest.next) == (50, 3, None)
    assert not {row.pk for row in first} & {row.pk for row in rest}


def test_the_list_asks_as_often_for_one_as_for_many():
    fact()
    client = operator()
    said(client, "白鹭组的差旅上限改成1800")
    few = queries(client, "/corrections/")
    for value in range(1801, 1810):
        said(client, f"白鹭组的差旅上限改成{value}")
    assert queries(client, "/corrections/") == few


def test_who_may_only_look():
    fact()
    page = said(operator(), "白鹭组的差旅上限改成1800")
    client = viewer()
    assert client.get(address(page)).status_code == 200
    assert '<form class="card mb-3"' not in text_of(client.get(address(page)))
    assert "/corrections/new/" not in text_of(client.get("/corrections/"))
    for verb in ("apply", "dismiss", "again"):
        assert client.post(f"{address(page)}{verb}/").status_code == 403
    assert said(client, "白鹭组的差旅上限改成1800").status_code == 403
    assert Correction.everywhere.get().state == "open"


def test_strangers_see_what_is_not_there():
    mine = fact()
    page = said(operator(), "白鹭组的差旅上限改成1800")
    client = stranger()
    for path in ("", "apply/", "dismiss/", "again/"):
        ask = client.post if path else client.get
        there, nowhere = ask(f"{address(page)}{path}"), ask(f"/corrections/{uuid4()}/{path}")
        assert there.status_code == nowhere.status_code == 404
    assert client.get("/corrections/").context["rows"] == []
    recall = make.ask("白鹭组 差旅上限").record
    for name, row in (("memory", mine), ("recall", recall)):
        answer = client.post("/corrections/new/", {"text": "不对，是7", name: row.public_id})
        assert answer.status_code == 404
    assert Correction.everywhere.get().state == "open"


def test_a_teammate_may_apply_it():
    fact()
    page = said(operator(), "白鹭组的差旅上限改成1800")
    decide(make.logged_in(make.person("tom", role=Role.REVIEWER)), page)
    assert Correction.everywhere.get().closed_by == "person:tom"


def test_only_posts_change():
    fact()
    client = operator()
    page = said(client, "白鹭组的差旅上限改成1800")
    for verb in ("apply", "dismiss", "again"):
        assert client.get(f"{address(page)}{verb}/").status_code == 405
    assert client.get("/corrections/new/").status_code == 405


def test_what_a_person_must_look_at_waits_in_the_review_queue():
    shop([f"货架{n}" for n in range(21)])
    scope = make.scope()
    fact()
    propose(scope, "白鹭组的差旅上限改成1800", user_id="ann")
    blocked = propose(scope, "忘掉所有关于蓝湾店的内容", user_id="ann")
    doubtful = propose(scope, "忘掉 的", user_id="ann")
    (kind,) = KINDS
    rows = list(kind.rows(scope).order_by("pk"))
    assert rows == [blocked, doubtful]
    assert [item.token.key for item in kind.shown(scope, rows)] == [str(row.pk) for row in rows]
    assert list(kind.of_reason(kind.rows(scope), "over_the_cap")) == [blocked]
    assert not kind.rows(make.scope(make.workspace("w2"))).exists()
    client = operator()
    queue = text_of(client.get("/review/"))
    for waiting in rows:
        assert f'href="/corrections/{waiting.public_id}/"' in queue
    client.post(f"/corrections/{blocked.public_id}/dismiss/")
    assert list(kind.rows(scope)) == [doubtful]
