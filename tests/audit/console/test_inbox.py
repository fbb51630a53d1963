"""The inbox: its list, its tabs and counts, and whom it is shown to."""

from datetime import timedelta

import pytest
from django.test import Client

from audit.findings.scan import scan
from audit.findings.work import resolve
from audit.models import Finding
from memory import clock
from memory.recall.record import add_outcome
from memory.write.queue import QueueTimeout
from tests import factories as make
from tests.audit.findings import makers

from .inbox_kit import HOUR, address, events, finding, listed, stale
from .pages_kit import assert_three_ways, operator, queries, stranger, text_of

pytestmark = pytest.mark.django_db


def counts(client: Client) -> dict[str, int]:
    return {tab.value: tab.count for tab in client.get("/inbox/").context["states"]}


def test_opening_the_inbox_reads_what_is_new():
    client = operator()
    assert "Nothing is open" in text_of(client.get("/inbox/"))
    memory = stale()
    assert listed(client) == [memory.public_id]


def test_a_clean_log_leaves_it_empty():
    make.budget("640")
    make.ask("预算")
    assert listed(operator()) == []


def test_a_row_tells_what_was_given_what_is_current_how_often_and_whom_it_reached():
    with clock.at(clock.now() - 3 * HOUR):
        old = make.budget("640")
    with clock.at(clock.now() - 2 * HOUR):
        make.budget("910")
    makers.recorded(old, query="预算多少呀", agent_id="guide")
    makers.recorded(old, query="how much may I spend", agent_id="planner")
    page = text_of(operator().get("/inbox/"))
    assert "user · 预算" in page
    assert "<del>640</del>" in page
    assert "<ins>910</ins>" in page
    assert "it was already invalid when it was handed out" in page
    assert '<td class="num" data-label="Times">2</td>' in page
    assert "planner, guide" in page
    assert "how much may I spend" in page
    assert "预算多少呀" not in page
    assert "superseded" in page


def test_each_of_the_three_ways_is_told_in_words():
    stale()
    makers.recorded(makers.retracted(text="the old pier"), surface="imported")
    with clock.at(clock.now() - HOUR):
        make.budget("640")
        record = make.ask("预算").record
    make.budget("910")
    add_outcome(record, prompt="…", answer="640")
    page = text_of(operator().get("/inbox/"))
    for text in ("already invalid when", "became invalid before", "log of another system"):
        assert text in page


def test_tabs_part_the_findings_and_count_them():
    client = operator()
    one, two, three, four = (stale(f"note {number}") for number in range(4))
    scan(make.scope())
    for memory, verb in ((two, "resolve"), (three, "ignore"), (four, "resolve")):
        found = Finding.objects.within(make.scope()).get(memory_id=memory.public_id)
        client.post(address(found, verb), {"text": "known"})
    makers.recorded(four, stale=True)
    first = Finding.objects.within(make.scope()).get(memory_id=one.public_id)
    client.post(address(first, "take"), {"seen": ""})
    assert set(listed(client)) == {one.public_id, four.public_id}
    assert listed(client, "reopened") == [four.public_id]
    assert listed(client, "mine") == [one.public_id]
    assert listed(client, "resolved") == [two.public_id]
    assert listed(client, "ignored") == [three.public_id]
    assert counts(client) == {"open": 2, "reopened": 1, "mine": 1, "resolved": 1, "ignored": 1}


def test_mine_is_another_for_another_person():
    client = operator()
    stale()
    client.post(address(finding(), "take"), {"seen": ""})
    assert len(listed(client, "mine")) == 1
    assert listed(make.logged_in(make.person("bo")), "mine") == []


@pytest.mark.parametrize("query", ["status=other", "cursor=%00", "cursor=abc", "page=9"])
def test_what_does_not_parse_is_the_first_page_of_the_open_ones(query):
    memory = stale()
    response = operator().get(f"/inbox/?{query}")
    assert [row.finding.memory_id for row in response.context["rows"]] == [memory.public_id]


def test_pages_go_forwards_and_back_and_lose_nothing(monkeypatch):
    monkeypatch.setattr("audit.console.inbox.PAGE", 2)
    at = clock.now()
    rows = [stale(f"note {n}", at=at + n * timedelta(minutes=n % 2)).public_id for n in range(5)]
    client = operator()
    seen, cursor = [], ""
    while cursor is not None:
        response = client.get("/inbox/", {"cursor": cursor})
        seen += [row.finding.memory_id for row in response.context["rows"]]
        cursor = response.context["page"].next
    assert sorted(seen) == sorted(rows)
    assert response.context["page"].previous


def test_a_log_that_is_not_read_to_the_end_is_told(monkeypatch):
    monkeypatch.setattr("audit.console.inbox.MOST", 1)
    stale("one")
    stale("two")
    client = operator()
    assert "were not looked at yet" in text_of(client.get("/inbox/"))
    assert "were not looked at yet" not in text_of(client.get("/inbox/"))
    assert len(listed(client)) == 2


def test_a_busy_store_still_shows_the_inbox(monkeypatch):
    def refuse(*_):
        raise QueueTimeout("busy")

    stale()
    monkeypatch.setattr("audit.console.inbox.scan", refuse)
    assert "were not looked at yet" in text_of(operator().get("/inbox/"))


def test_the_badge_counts_what_is_open(monkeypatch):
    client = operator()
    assert client.get("/health/").context["console"].open_findings == ""
    for number in range(3):
        stale(f"note {number}")
    scan(make.scope())
    response = client.get("/health/")
    assert response.context["console"].open_findings == "3"
    assert 'num">3<span class="visually-hidden"> open</span>' in text_of(response)
    resolve(make.scope(), makers.findings()[0], "fixed")
    assert client.get("/health/").context["console"].open_findings == "2"
    monkeypatch.setattr("audit.console.context.BADGE_CAP", 1)
    assert client.get("/health/").context["console"].open_findings == "1+"


def test_a_stranger_sees_nothing_and_gets_the_same_404_as_for_no_finding():
    stale()
    one = finding()
    client = stranger()
    assert listed(client) == []
    foreign, missing = client.get(address(one)), client.get(f"/inbox/{10**20}/")
    assert foreign.status_code == missing.status_code == 404
    assert client.post(address(one, "resolve"), {"text": "x"}).status_code == 404
    assert client.get("/health/").context["console"].open_findings == ""
    assert events() == []


def test_anonymous_goes_to_login():
    stale()
    one = finding()
    for path in ("/inbox/", address(one)):
        assert Client().get(path).headers["Location"].startswith("/login/")
    assert Client().post(address(one, "take")).headers["Location"].startswith("/login/")


def test_queries_do_not_grow_with_findings():
    client = operator()
    memory = stale()
    few = queries(client, "/inbox/"), queries(client, address(finding()))
    for number in range(12):
        stale(f"note {number}")
        makers.recorded(memory, stale=True)
    one = makers.findings()[0]
    assert one.memory_id == memory.public_id
    assert (queries(client, "/inbox/"), queries(client, address(one))) == few


def test_htmx_gets_the_list_and_back_gets_the_page():
    stale()
    assert_three_ways(operator(), "/inbox/")


def test_it_stands_in_the_navigation():
    page = text_of(operator().get("/inbox/"))
    assert 'href="/inbox/" aria-current="page"' in page
