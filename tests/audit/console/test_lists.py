"""What the lists have in common: their counts, what can be taken along, what an empty one says."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.template.loader import render_to_string

from audit.console import curl, keyset, listing, refusals
from memory.models import Right, Role
from tests import factories as make
from tests.audit.console.pages_kit import operator, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def facet(response, name: str) -> dict[str, dict]:
    found = next(one for one in response.context["facets"] if one.name == name)
    return {option["value"]: option for option in found.options}


def asked(option) -> dict[str, list[str]]:
    return parse_qs(urlsplit(option["address"]).query)


def three_kinds():
    make.remember(text="a", kind="fact", user_id="ann")
    make.remember(text="b", kind="fact", user_id="bo")
    make.remember(text="c", kind="rule", user_id="ann")
    make.remember(text="d", kind="event", user_id="ann")


def test_a_facet_adds_a_value_to_those_that_are_set_and_takes_it_away():
    three_kinds()
    client = operator()
    kinds = facet(client.get("/memories/?kind=fact&cursor=x&sort=created"), "kind")
    # The other values are still there, with how many rows each would show.
    assert {value: (one["count"], one["active"]) for value, one in kinds.items()} == {
        "fact": (2, True), "rule": (1, False), "event": (1, False),
    }  # fmt: skip
    assert asked(kinds["rule"]) == {"kind": ["fact", "rule"], "sort": ["created"]}
    assert asked(kinds["fact"]) == {"sort": ["created"]}
    page = client.get("/memories/?kind=fact&kind=rule")
    assert len(page.context["page"].rows) == 3
    assert asked(facet(page, "kind")["fact"]) == {"kind": ["rule"]}
    assert 'href="?kind=rule"' in text_of(page)


def test_a_filter_of_one_value_changes_it():
    three_kinds()
    users = facet(operator().get("/memories/?user_id=bo&kind=fact"), "user_id")
    assert {value: one["count"] for value, one in users.items()} == {"ann": 1, "bo": 1}
    assert asked(users["ann"]) == {"user_id": ["ann"], "kind": ["fact"]}
    assert asked(users["bo"]) == {"kind": ["fact"]}


def test_a_value_without_rows_that_is_set_can_be_taken_away():
    three_kinds()
    kinds = facet(operator().get("/memories/?kind=identity"), "kind")
    assert (kinds["identity"]["count"], asked(kinds["identity"])) == (0, {})


def test_a_list_says_which_rows_it_shows_and_of_how_many(monkeypatch):
    monkeypatch.setattr(keyset.paginate, "__defaults__", (None, 4))
    for n in range(10):
        make.remember(text=f"note {n}", importance=n % 3 + 1)
    client = operator()
    for order in ("-created", "importance"):
        address, seen = f"/memories/?sort={order}", []
        while address:
            page = client.get(address)
            found = page.context["page"]
            seen.append((found.start, found.end))
            assert f"{found.start}–{found.end} of 10" in text_of(page)
            address = found.next and f"/memories/?sort={order}&cursor={found.next}"
        assert seen == [(1, 4), (5, 8), (9, 10)]
    back = client.get(f"/memories/?sort=importance&cursor={found.previous}").context["page"]
    assert (back.start, back.end) == (5, 8)


def test_beyond_what_is_counted_no_place_is_made_up(monkeypatch):
    monkeypatch.setattr(keyset.paginate, "__defaults__", (None, 2))
    for module in (keyset, listing):
        monkeypatch.setattr(module, "COUNT_CAP", 3)
    for n in range(8):
        make.remember(text=f"note {n}")
    client, cursor, said = operator(), "", []
    while cursor is not None:
        page = client.get("/memories/", {"cursor": cursor})
        said.append(page.context["page"].start)
        cursor = page.context["page"].next
        assert "of 3+" in text_of(page) or "3+ in all" in text_of(page)
    assert said == [1, 3, None, None]


def test_every_list_with_pages_says_how_many_there_are():
    make.budget("640"), make.budget("1200"), make.ask("我的预算是多少")
    client = operator()
    for address in ("/memories/", "/history/", "/recalls/", "/activity/"):
        assert "1–" in text_of(client.get(address)), address


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/memories/", "memories"),
        ("/memories/?kind=fact&kind=rule&q=预算&sort=updated", "memories?kind=fact,rule&q="),
        ("/history/?domain=x", "memories?domain=x&status=superseded"),
        ("/recalls/?user_id=ann", "recalls?user_id=ann"),
        ("/activity/", "batches"),
    ],
)
def test_a_list_can_be_asked_of_the_api_by_the_same_filters(address, path):
    make.budget("640", domain="x", user_id="ann"), make.budget("1200", domain="x", user_id="ann")
    make.ask("我的预算是多少")
    client, (_key, secret) = operator(), make.api_key()
    page = client.get(address)
    line = curl.curl_of(page.wsgi_request)
    assert line.startswith('curl -H "Authorization: Bearer $MASE_API_KEY" ')
    assert f"http://testserver/api/v1/{path}" in line
    target = line.split()[-1].strip("'").removeprefix("http://testserver")
    answer = client.get(target, HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert answer.status_code == 200
    assert answer.json()["total"] == page.context["page"].total > 0
    assert "Copy as curl" in text_of(page)


@pytest.mark.parametrize(
    "address",
    [
        "/memories/?since=2026-01-01",
        "/memories/?agent_id=helper",
        "/memories/?source=none",
        "/memories/?status=any&check=expired_active",
        "/recalls/?served=some",
        "/review/",
    ],
)
def test_no_line_is_offered_that_would_list_something_else(address):
    make.remember(text="茶要热的", agent_id="helper", confidence=0.2, source="inferred")
    page = operator().get(address)
    assert curl.curl_of(page.wsgi_request) == ""
    assert "Copy as curl" not in text_of(page)


def test_the_files_stand_in_one_menu_and_exports_only_for_who_may():
    make.budget("640")
    page = text_of(operator().get("/memories/?kind=fact&peek=x"))
    assert page.count("Export this list") == 1
    for href in ("/memories.csv?kind=fact", "/memories.json?kind=fact"):
        assert f'href="{href}"' in page
    assert "/memories/export/?kind=fact" in page
    page = text_of(viewer().get("/memories/"))
    assert "/memories.csv" in page
    assert "/memories/export/" not in page


def test_an_empty_store_shows_the_ways_to_a_first_memory():
    page = text_of(operator().get("/memories/"))
    assert "Nothing is remembered yet" in page
    assert "Load the demo data" in page or "manage.py demo" in page
    assert 'href="/imports/"' in page


def test_whoever_may_not_reads_which_right_is_missing_and_who_can_give_it():
    make.person("ada", role=Role.ADMIN)
    stranger()
    answer = viewer().get("/erasures/")
    page = text_of(answer)
    assert answer.status_code == 403
    assert "Your role in" in page
    assert "viewer" in page
    assert "read the ledger" in page
    assert "An admin can give you another role: ada" in page


def test_where_nobody_can_give_it_the_page_says_so():
    page = text_of(viewer().get("/settings/webhooks/"))
    assert "has no admin" in page
    assert "manage keys" in page


def test_every_right_has_its_words():
    assert set(refusals.RIGHTS) == set(Right)


def test_without_a_workspace_the_page_says_what_to_do():
    answer = make.logged_in(make.person("nora", role="")).get("/memories/")
    assert answer.status_code == 403
    assert "workspace" in text_of(answer)


def test_a_missing_page_leads_on():
    answer = operator().get("/memories/00000000-0000-0000-0000-000000000000/")
    assert answer.status_code == 404
    for href in ("/memories/?status=any", "/activity/"):
        assert f'href="{href}"' in text_of(answer)


def test_a_list_without_pages_says_that_it_stops():
    rows = render_to_string("console/blocks/cut.html", {"rows": [1, 2, 3], "most": 3})
    assert "No more than 3" in rows
    assert not render_to_string("console/blocks/cut.html", {"rows": [1, 2], "most": 3}).strip()


@pytest.mark.parametrize(
    "address", ["/activity/?user_id=ann&verb=remember", "/recalls/?user_id=ann&served=some"]
)
def test_the_filters_of_a_log_stand_above_it_each_with_the_way_out(address):
    make.budget("640")
    make.ask("我的预算是多少")
    page = operator().get(address)
    assert page.context["page"].rows
    chips = [(chip.name, chip.text, chip.left) for chip in page.context["chips"]]
    assert ("user_id", "ann", None) in chips
    assert len(chips) == 2
    assert "Filters that are set" in text_of(page)
    assert 'hx-target="#log"' in text_of(page)


def test_how_a_list_looks_changes_nothing_in_an_export():
    make.budget("640"), make.budget("1200")
    client = operator()
    plain, looked = (
        client.get(f"/memories/export/?format=jsonl&status=any{more}").getvalue()
        for more in ("", "&columns=id&view=none&sort=-importance")
    )
    assert looked.splitlines()[1:] == plain.splitlines()[1:]


@pytest.mark.parametrize("order", ["importance", "-confidence", "-updated"])
def test_an_order_without_an_index_is_one_of_the_newest(monkeypatch, order):
    for n in range(6):
        make.remember(text=f"note {n}", importance=n % 3 + 1, confidence=n / 10)
    client, cut = operator(), "In this order the newest 10,000 are listed"
    address = f"/memories/?status=any&sort={order}"
    assert cut not in text_of(client.get(address))
    monkeypatch.setattr(listing, "COUNT_CAP", 4)
    page = client.get(address)
    assert cut in text_of(page)
    newest = {f"note {n}" for n in range(2, 6)}
    assert {row.text for row in page.context["page"]} == newest
    assert {row["text"] for row in client.get(address.replace("/?", ".json?")).json()["items"]} == (
        newest
    )
    assert cut not in text_of(client.get("/memories/?sort=-created"))
    assert cut not in text_of(client.get("/memories/?sort=-updated"))
