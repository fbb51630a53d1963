"""The list of memories: what is found by state, words and filters, chosen or typed."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from audit.console import listing
from audit.health import registry
from memory import clock
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.factories import budget, instant, remember, scope

from .memories_kit import rows_in
from .pages_kit import operator, text_of

pytestmark = pytest.mark.django_db


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
