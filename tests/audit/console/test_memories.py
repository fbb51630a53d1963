import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from audit.console import keyset, listing, memory_filter
from audit.health import registry
from memory import clock
from memory.models import Status
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.factories import budget, instant, logged_in, person, remember, scope, workspace

from .pages_kit import assert_three_ways, links, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def rows_in(response) -> int:
    return len(re.findall(r'<td class="statement[ "]', text_of(response)))


def many(count: int, **fields) -> None:
    for n in range(count):
        remember(
            text=f"note {n:03}", entity=f"item {n}", attribute="colour", value=f"v{n}", **fields
        )


def test_active_ones_only_unless_asked():
    budget("800")
    budget("1200")
    page = operator().get("/memories/")
    assert "我的预算是1200元" in text_of(page)
    assert "我的预算是800元" not in text_of(page)


def test_status_can_be_one_several_or_any():
    budget("800")
    budget("1200")
    client = operator()
    assert rows_in(client.get("/memories/?status=superseded")) == 1
    assert rows_in(client.get("/memories/?status=superseded&status=active")) == 2
    assert rows_in(client.get("/memories/?status=any")) == 2


def test_tabs_count_each_state():
    budget("800")
    budget("1200")
    apply(plan_retract(scope(), [remember(text="wrong thing")]).plan("retract", "no"))
    tabs = operator().get("/memories/").context["states"]
    assert [(tab.value, tab.count, tab.active) for tab in tabs] == [
        ("active", 1, True),
        ("superseded", 1, False),
        ("retracted", 1, False),
        ("any", 3, False),
    ]


@pytest.mark.parametrize("words", ["预算", "budget", "1200", "ＢＵＤＧＥＴ"])
def test_search_finds_words_of_both_languages(words):
    remember(text="我的预算是1200元, the budget of spring")
    remember(text="办公室在三楼, the office upstairs")
    page = operator().get("/memories/", {"q": words})
    assert rows_in(page) == 1
    assert "办公室" not in text_of(page)


def test_search_without_a_hit_lists_nothing():
    remember(text="办公室在三楼")
    assert rows_in(operator().get("/memories/?q=zeppelin")) == 0


def test_search_text_is_only_text():
    remember(text="办公室在三楼")
    client = operator()
    for words in ['"', "a OR b", "NEAR(", "*", "-x", "'; DROP TABLE", "😀", "\x00", "x" * 5000]:
        assert client.get("/memories/", {"q": words}).status_code == 200


@pytest.mark.parametrize(
    ("name", "mine", "other"),
    [
        ("user_id", "ann", "bob"),
        ("agent_id", "helper", "clerk"),
        ("session_id", "s-1", "s-2"),
        ("kind", "rule", "event"),
        ("domain", "kitchen", "garden"),
        ("source", "user_said", "imported"),
    ],
)
def test_each_filter_keeps_its_own_rows(name, mine, other):
    remember(text="this one stays", **{name: mine})
    remember(text="that one goes", **{name: other})
    client = operator()
    for extra in ({}, {"q": "one"}):
        page = client.get("/memories/", {name: mine} | extra)
        assert rows_in(page) == 1
        assert "this one stays" in text_of(page)


def test_source_none_finds_rows_that_name_no_source():
    remember(text="nobody said this")
    remember(text="ann said this", source="user_said")
    page = operator().get("/memories/?source=none")
    assert rows_in(page) == 1
    assert "nobody said this" in text_of(page)


def test_fact_shows_all_versions_of_one_fact():
    budget("800")
    fact = budget("1200").fact
    remember(text="something else")
    assert rows_in(operator().get(f"/memories/?fact={fact}")) == 2


def test_check_shows_exactly_the_rows_that_it_counts():
    with clock.at(instant("2026-01-01 08:00")):
        remember(text="good until noon", expires_at=clock.now() + timedelta(hours=4))
    remember(text="good for ever")
    client = operator()
    page = client.get("/memories/?status=any&check=expired_active")
    counted = registry.rows_of("expired_active", scope())
    assert {row.pk for row in page.context["page"]} == set(counted.values_list("pk", flat=True))
    assert rows_in(page) == 1
    assert str(registry.check("expired_active").title) in text_of(page)


def test_check_that_is_none_changes_nothing():
    remember(text="good for ever")
    page = operator().get("/memories/?check=nonsense")
    assert rows_in(page) == 1
    assert not page.context["chips"]


@pytest.mark.parametrize(
    "query",
    [
        "page=0",
        "page=abc",
        "page=99",
        "sort=nonsense",
        "sort=-",
        "sort=password",
        "cursor=abc",
        "cursor=W10",
        "status=current",
        "kind=thing",
        "fact=12",
        "utm_source=x",
        "user_id=%00",
    ],
)
def test_parameters_that_mean_nothing_change_nothing(query):
    budget("800")
    budget("1200")
    client = operator()
    page = client.get(f"/memories/?{query}")
    assert page.status_code == 200
    assert [row.pk for row in page.context["page"]] == [
        row.pk for row in client.get("/memories/").context["page"]
    ]


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


def test_a_search_beyond_the_cap_says_so(monkeypatch):
    for module in (listing, memory_filter):
        monkeypatch.setattr(module, "COUNT_CAP", 3)
    many(5)
    client = operator()
    page = client.get("/memories/?q=note")
    assert rows_in(page) == 3
    assert "newest 10,000 are listed" in text_of(page)
    assert "newest 10,000 are listed" not in text_of(client.get("/memories/?q=004"))


def test_facets_count_what_the_other_filters_leave():
    remember(text="a", domain="kitchen", source="user_said")
    remember(text="b", domain="kitchen", source="imported")
    remember(text="c", domain="garden", source="imported")
    facets = operator().get("/memories/?domain=kitchen").context["facets"]
    source = next(facet for facet in facets if facet.name == "source")
    assert {(o["value"], o["count"]) for o in source.options} == {("user_said", 1), ("imported", 1)}


def test_a_facet_with_many_values_offers_a_field():
    for n in range(listing.FACET_SIZE + 2):
        remember(text=f"note {n}", domain=f"area {n}")
    page = operator().get("/memories/")
    domain = next(facet for facet in page.context["facets"] if facet.name == "domain")
    assert len(domain.options) == listing.FACET_SIZE
    assert 'id="facet-domain"' in text_of(page)


def test_nothing_there_and_nothing_matching_are_told_apart():
    client = operator()
    assert "Nothing is remembered yet" in text_of(client.get("/memories/"))
    remember(text="the office is upstairs", kind="fact")
    page = client.get("/memories/?q=zeppelin&kind=fact")
    assert "Nothing matches" in text_of(page)
    assert {chip.name: chip.left for chip in page.context["chips"]} == {"q": 1, "kind": 0}
    empty = text_of(client.get("/memories/?status=retracted"))
    assert "No memory is in this state" in empty


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


def test_typed_filters_become_the_address():
    answer = operator().get("/memories/", {"q": "is:superseded user:ann 预算", "kind": "fact"})
    assert answer.status_code == 302
    address = answer["Location"]
    assert parse_qs(urlsplit(address).query) == {
        "q": ["预算"], "kind": ["fact"], "status": ["superseded"], "user_id": ["ann"],
    }  # fmt: skip


def test_and_take_the_place_of_what_it_said():
    query = {"q": "is:any", "status": "active", "cursor": "x"}
    address = operator().get("/memories/", query)["Location"]
    assert parse_qs(urlsplit(address).query) == {"status": ["any"]}


def test_what_is_no_filter_is_searched_for_and_told():
    remember(text="size:12 of the office")
    text = text_of(operator().get("/memories/", {"q": "size:12"}))
    assert "size:12 is no filter" in text


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ({"confidence": "<0.5"}, ["low"]),
        ({"confidence": ">=0.5"}, ["high"]),
        ({"confidence": "high"}, []),
        ({"importance": "5"}, ["high"]),
        ({"tag": "急件"}, ["low"]),
        ({"tag": "急"}, []),
        ({"entity": "ＩＴＥＭ low"}, ["low"]),
        ({"entity": "item"}, []),
        ({"attribute": "colour", "entity": "item high"}, ["high"]),
        ({"since": "2999-01-01"}, []),
        ({"since": "2000-01-01", "until": "2999-01-01"}, ["high", "low"]),
    ],
)
def test_the_filters_that_can_be_typed(query, values):
    for value, confidence, importance, tags in (("low", 0.4, 2, ["急件"]), ("high", 0.9, 5, [])):
        remember(
            text=f"it is {value}", entity=f"item {value}", attribute="colour", value=value,
            confidence=confidence, importance=importance, tags=tuple(tags),
        )  # fmt: skip
    page = operator().get("/memories/", {"status": "any"} | query).context["page"]
    assert sorted(row.value for row in page.rows) == sorted(values)
