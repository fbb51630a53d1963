"""The list of memories: its order, pages and counts, and whom it is shown to."""

from datetime import timedelta

import pytest

from audit.console import found, keyset, listing, memory_filter
from memory import clock
from memory.models import Status
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.factories import budget, instant, logged_in, person, remember, scope, workspace

from .memories_kit import many, rows_in
from .pages_kit import assert_three_ways, links, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", list(listing.ORDERS))
def test_sort_goes_both_ways_through_all_pages(name, monkeypatch):
    monkeypatch.setattr(keyset.paginate, "__defaults__", (None, 4))
    for n in range(9):
        with clock.at(instant("2026-01-01 08:00") + timedelta(hours=n)):
            confidence = None if n % 4 else 0.6 + n / 40
            remember(text=f"note {n}", importance=n % 5 + 1, confidence=confidence)
    client = operator()
    for order in (name, f"-{name}"):
        seen, address = [], f"/memories/?sort={order}"
        while address:
            page = client.get(address).context["page"]
            seen += list(page)
            address = page.next and f"/memories/?sort={order}&cursor={page.next}"
        assert len({row.pk for row in seen}) == len(seen) == 9
        column = {"created": "created_at"}.get(name, listing.ORDERS[name])
        values = [getattr(row, column) for row in seen]
        assert values == sorted(values, reverse=order.startswith("-"))


def test_every_link_keeps_the_other_parameters():
    many(60, domain="厨房")
    query = {"status": ["active", "superseded"], "domain": ["厨房"], "sort": ["-updated"]}
    page = operator().get("/memories/", query)
    paging = [link for link in links(page) if "cursor" in link]
    sorting = [link for link in links(page) if link.get("sort") not in (None, ["-updated"])]
    assert len(paging) == 1
    assert len(sorting) >= 3
    for link in paging:
        assert {name: link[name] for name in query} == query
    for link in sorting:
        assert link["status"] == query["status"]
        assert link["domain"] == query["domain"]


def test_a_changed_filter_or_sort_starts_at_the_first_page():
    many(60)
    client = operator()
    cursor = client.get("/memories/").context["page"].next
    page = client.get("/memories/", {"cursor": cursor})
    changed = [link for link in links(page) if "sort" in link or "kind" in link]
    assert changed
    assert not [link for link in changed if "cursor" in link]


def test_next_and_previous_meet_every_row_once():
    many(60)
    client = operator()
    first = client.get("/memories/").context["page"]
    second = client.get("/memories/", {"cursor": first.next}).context["page"]
    back = client.get("/memories/", {"cursor": second.previous}).context["page"]
    assert len(first.rows) == 50
    assert len(second.rows) == 10
    assert second.next is None
    assert [row.pk for row in back] == [row.pk for row in first]


def test_a_page_whose_rows_are_gone_is_the_first_page():
    many(51)
    client = operator()
    first = client.get("/memories/").context["page"]
    last = client.get("/memories/", {"cursor": first.next}).context["page"].rows
    apply(plan_retract(scope(), last).plan("retract", "gone"))
    page = client.get("/memories/", {"cursor": first.next}).context["page"]
    assert len(page.rows) == 50


def test_counts_stop_at_the_cap(monkeypatch):
    monkeypatch.setattr(keyset, "COUNT_CAP", 3)
    for module in (listing, memory_filter):
        monkeypatch.setattr(module, "COUNT_CAP", 3)
    many(5)
    page = operator().get("/memories/")
    assert "3+" in text_of(page)
    assert all(
        option["count"] is None for facet in page.context["facets"] for option in facet.options
    )


def test_facets_beyond_the_cap_are_counted_when_asked(monkeypatch):
    for module in (keyset, listing, memory_filter, found):
        monkeypatch.setattr(module, "COUNT_CAP", 3)
    many(4, domain="kitchen", kind="fact")
    many(2, domain="garden", kind="rule", user_id="ben")
    client = operator()
    assert "Count them all" in text_of(client.get("/memories/"))
    page = client.get("/memories/?counts=all")
    assert "Count them all" not in text_of(page)
    assert facet_of(page, "domain") == {"kitchen": 4, "garden": 2}
    page = client.get("/memories/?counts=all&kind=fact")
    assert facet_of(page, "domain") == {"kitchen": 4}
    assert facet_of(page, "kind") == {"fact": 4, "rule": 2}
    assert "counts=all" in text_of(page)


def test_what_a_search_cuts_off_is_not_counted(monkeypatch):
    for module in (keyset, listing, memory_filter, found):
        monkeypatch.setattr(module, "COUNT_CAP", 3)
    many(5)
    page = operator().get("/memories/?q=note&counts=all")
    assert "Count them all" not in text_of(page)
    assert set(facet_of(page, "kind").values()) == {None}


def test_a_state_is_shown_whole_though_the_others_cut_it_off(monkeypatch):
    for module in (keyset, listing, memory_filter, found):
        monkeypatch.setattr(module, "COUNT_CAP", 3)
    client = operator()
    rows = [remember(text=f"note old {n}", entity=f"old {n}") for n in range(2)]
    apply(plan_retract(scope(), rows).plan("retract", "no"))
    many(5, agent_id="bee")
    # By words all states are looked through together, by a number each by itself.
    for query, may_be_more in (("q=note", True), ("importance=>=1", False)):
        page = client.get(f"/memories/?{query}&status=retracted")
        assert rows_in(page) == 2
        counts = {tab.value: (tab.count, tab.capped) for tab in page.context["states"]}
        assert counts["retracted"] == (2, may_be_more)
        assert counts["active"] == (3, True)


def facet_of(page, name: str) -> dict:
    facet = next(facet for facet in page.context["facets"] if facet.name == name)
    return {option["value"]: option["count"] for option in facet.options}


def test_a_search_beyond_the_cap_says_so(monkeypatch):
    for module in (listing, memory_filter, found):
        monkeypatch.setattr(module, "COUNT_CAP", 3)
    many(5)
    client = operator()
    page = client.get("/memories/?q=note")
    assert rows_in(page) == 3
    assert "newest 10,000 are listed" in text_of(page)
    assert "newest 10,000 are listed" not in text_of(client.get("/memories/?q=004"))


def test_plain_part_and_back():
    budget("1200")
    assert_three_ways(operator(), "/memories/?q=预算")


def test_memory_text_is_plain_text():
    remember(text="<script>alert(1)</script> and <b>bold</b>", domain="<i>x</i>")
    page = text_of(operator().get("/memories/?domain=<i>x</i>"))
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<i>x</i>" not in page


def test_another_workspace_sees_nothing_of_it():
    remember(text="secret of w1", domain="back room")
    page = text_of(stranger().get("/memories/?status=any"))
    assert "secret of w1" not in page
    assert "back room" not in page


def test_a_viewer_reads_and_anonymous_is_sent_to_log_in(client):
    remember(text="the office is upstairs")
    assert "the office is upstairs" in text_of(viewer().get("/memories/"))
    answer = client.get("/memories/")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/login/")


def test_without_a_workspace_it_is_forbidden():
    assert logged_in(person("nora", role="")).get("/memories/").status_code == 403


def test_queries_do_not_grow_with_rows():
    many(3)
    client = operator()
    few = queries(client, "/memories/?q=note&status=any")
    many(40, user_id="bob")
    assert queries(client, "/memories/?q=note&status=any") == few


def test_chinese_page_renders():
    budget("1200")
    page = text_of(operator().get("/memories/", HTTP_ACCEPT_LANGUAGE="zh-hans"))
    assert 'lang="zh-hans"' in page
    assert "我的预算是1200元" in page


def test_state_is_shown_for_each_row():
    budget("800")
    budget("1200")
    page = text_of(operator().get("/memories/?status=any"))
    for status in (Status.ACTIVE, Status.SUPERSEDED):
        assert f"pill-{status}" in page


def test_only_reading_is_allowed():
    assert operator().post("/memories/").status_code == 405


def test_the_workspace_is_the_one_that_was_chosen():
    user = person("olga")
    other = workspace("w2")
    user.memberships.create(workspace=other, role="viewer")
    remember(scope(other), text="written in w2")
    client = logged_in(user)
    assert "written in w2" not in text_of(client.get("/memories/"))
    client.post("/workspace/", {"workspace": other.pk, "next": "/memories/"})
    assert "written in w2" in text_of(client.get("/memories/"))
