"""The inbox: its list, one finding, and what people may do there."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client

from audit.console import inbox_parts
from audit.findings.scan import scan
from audit.findings.work import assign, resolve
from audit.models import Finding, FindingEvent
from memory import clock
from memory.models import Memory, Role
from memory.recall.record import add_outcome
from memory.write.queue import QueueTimeout
from tests import factories as make
from tests.audit.findings import makers

from .pages_kit import assert_three_ways, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def stale(text: str = "旧的门牌号", **fields) -> Memory:
    """A retracted memory that a record says was handed out."""
    memory = makers.retracted(text=text)
    makers.recorded(memory, stale=True, status="retracted", **fields)
    return memory


def finding() -> Finding:
    scan(make.scope())
    return makers.findings()[0]


def address(one: Finding, verb: str = "") -> str:
    return f"/inbox/{one.pk}/{verb}/" if verb else f"/inbox/{one.pk}/"


def listed(client: Client, tab: str = "") -> list:
    response = client.get("/inbox/", {"status": tab} if tab else {})
    return [row.finding.memory_id for row in response.context["rows"]]


def counts(client: Client) -> dict[str, int]:
    return {tab.value: tab.count for tab in client.get("/inbox/").context["states"]}


def events() -> list[tuple[str, str, str]]:
    rows = FindingEvent.objects.exclude(actor="scan").order_by("id")
    return list(rows.values_list("actor", "verb", "text"))


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


def test_one_finding_shows_each_time_with_its_record():
    with clock.at(clock.now() - 3 * HOUR):
        old = make.budget("640")
    with clock.at(clock.now() - 2 * HOUR):
        make.budget("910")
    records = [makers.recorded(old, query=f"question {n}") for n in range(3)]
    one = finding()
    page = text_of(operator().get(address(one)))
    assert "我的预算是640元" in page
    assert "我的预算是910元" in page
    for record in records:
        assert f"/recalls/{record.public_id}/" in page
        assert f"/recalls/{record.public_id}/replay/" in page
        assert f"/recalls/{record.public_id}/why-not/?memory={old.public_id}" in page
        assert record.query in page
    assert "by the scan" in page


def test_the_links_of_a_finding_lead_somewhere():
    stale()
    client, one = operator(), finding()
    record = one.found_in.get().recall.public_id
    for path in (
        f"/recalls/{record}/",
        f"/recalls/{record}/replay/",
        f"/recalls/{record}/why-not/?memory={one.memory_id}",
        f"/memories/{one.memory_id}/",
    ):
        assert client.get(path).status_code == 200


def test_occurrences_are_paged(monkeypatch):
    monkeypatch.setattr("audit.console.inbox.OCCURRENCES", 2)
    memory = stale()
    for _ in range(2):
        makers.recorded(memory, stale=True)
    client, one = operator(), finding()
    first = client.get(address(one))
    assert [len(first.context["occurrences"]), first.context["page"].total] == [2, 3]
    rest = client.get(address(one), {"cursor": first.context["page"].next})
    assert len(rest.context["occurrences"]) == 1


def test_a_memory_that_is_gone_or_was_never_here():
    memory = stale("旧的门牌号")
    makers.recorded(uuid4())
    scan(make.scope())
    Memory.everywhere.filter(pk=memory.pk).delete()
    client = operator()
    page = text_of(client.get("/inbox/"))
    assert page.count("a memory that is gone") == 2
    assert "旧的门牌号" not in page
    for one in makers.findings():
        assert "a memory that is gone" in text_of(client.get(address(one)))


def test_what_is_current_is_told_even_where_what_was_given_is_gone():
    old = make.budget("640")
    make.budget("910")
    makers.recorded(old, stale=True, status="superseded")
    scan(make.scope())
    Memory.everywhere.filter(supersedes=old.public_id).update(supersedes=None)
    Memory.everywhere.filter(pk=old.pk).delete()
    page = text_of(operator().get("/inbox/"))
    assert "user · 预算" in page
    assert "910" in page


def test_valid_again_is_told():
    with clock.at(clock.now() - HOUR):
        memory = make.remember(text="码头七点开")
    makers.recorded(memory, stale=True)
    assert "is valid again" in text_of(operator().get("/inbox/"))


def test_the_newest_occurrences_stand_for_many(monkeypatch):
    monkeypatch.setattr(inbox_parts, "RECENT", 2)
    memory = stale(agent_id="first")
    for number in range(3):
        makers.recorded(memory, stale=True, agent_id=f"agent-{number}")
    page = text_of(operator().get("/inbox/"))
    assert "agent-2, agent-1" in page
    assert "first" not in page.partition("</thead>")[2].partition("</table>")[0]
    assert "(2+)" in page


def test_everything_is_plain_text():
    stale("<b>old</b> door", query="<script>go()</script>", agent_id="<i>bot</i>", user_id="<u>")
    client, one = operator(), finding()
    client.post(address(one, "comment"), {"text": "<em>see</em>"})
    for path in ("/inbox/", address(one)):
        page = text_of(client.get(path))
        for wrong in ("<b>old", "<script>go", "<i>bot", "<u>", "<em>see"):
            assert wrong not in page


def test_acts_on_the_page_stand_in_the_store():
    bo = make.person("bo", role=Role.REVIEWER)
    client = operator()
    stale()
    one = finding()
    for verb, said in (
        ("assign", {"person": bo.pk, "seen": ""}),
        ("comment", {"text": "看过了"}),
        ("resolve", {"text": "索引已重建"}),
        ("reopen", {}),
        ("ignore", {"text": "演练"}),
    ):
        response = client.post(address(one, verb), said, follow=True)
        assert response.redirect_chain == [(address(one), 302)]
        assert "Done." in text_of(response)
    assert events() == [
        ("person:olga", "assigned", "bo"),
        ("person:olga", "commented", "看过了"),
        ("person:olga", "resolved", "索引已重建"),
        ("person:olga", "reopened", ""),
        ("person:olga", "ignored", "演练"),
    ]
    one.refresh_from_db()
    assert (one.state, one.assigned_to) == ("ignored", bo)
    page = text_of(client.get(address(one)))
    for told in ("看过了", "索引已重建", "演练", "person:olga", "commented"):
        assert told in page


@pytest.mark.parametrize("verb", ["resolve", "ignore", "comment"])
@pytest.mark.parametrize("text", ["", "  ", "x" * 2001, "a\0b"])
def test_an_act_that_needs_a_word_is_not_done_without(verb, text):
    client = operator()
    stale()
    one = finding()
    page = text_of(client.post(address(one, verb), {"text": text}, follow=True))
    assert "Nothing was changed: say why" in page
    assert events() == []


def test_the_second_of_two_sees_what_the_first_did():
    client = operator()
    stale()
    one = finding()
    client.post(address(one, "resolve"), {"text": "fixed"})
    other = make.logged_in(make.person("bo"))
    page = text_of(other.post(address(one, "ignore"), {"text": "noise"}, follow=True))
    assert "person:olga came first (resolved)" in page
    one.refresh_from_db()
    assert (one.state, len(events())) == ("resolved", 1)


def test_of_two_who_take_it_the_second_sees_who_has_it():
    client = operator()
    stale()
    one = finding()
    client.post(address(one, "take"), {"seen": ""})
    other = make.logged_in(make.person("bo"))
    page = text_of(other.post(address(one, "take"), {"seen": ""}, follow=True))
    assert "person:olga came first (assigned)" in page
    one.refresh_from_db()
    assert one.assigned_to.get_username() == "olga"
    other.post(address(one, "take"), {"seen": one.assigned_to_id})
    one.refresh_from_db()
    assert one.assigned_to.get_username() == "bo"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.AUDITOR])
def test_it_is_assigned_only_to_people_who_may_correct(role):
    reader = make.person("rex", role=role)
    client = operator()
    stale()
    one = finding()
    page = text_of(client.get(address(one)))
    assert ">olga</option>" in page
    assert ">rex</option>" not in page
    answer = client.post(address(one, "assign"), {"person": reader.pk, "seen": ""}, follow=True)
    assert "choose a member" in text_of(answer)
    assert events() == []


def test_an_act_that_gets_no_turn_says_so(monkeypatch):
    def refuse(*_, **__):
        raise QueueTimeout("busy")

    client = operator()
    stale()
    one = finding()
    monkeypatch.setattr("audit.findings.work.resolve", refuse)
    answer = client.post(address(one, "resolve"), {"text": "fixed"}, follow=True)
    assert "Too many are writing" in text_of(answer)


def test_readers_read_and_do_not_act():
    stale()
    one = finding()
    auditor = make.logged_in(make.person("otto", role=Role.AUDITOR))
    for client in (viewer(), auditor):
        assert len(listed(client)) == 1
        page = text_of(client.get(address(one)))
        assert "旧的门牌号" in page
        assert address(one, "resolve") not in page
        for verb in ("take", "assign", "resolve", "ignore", "reopen", "comment"):
            assert client.post(address(one, verb), {"text": "x"}).status_code == 403
    assert events() == []


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


def test_acts_are_posts_and_known_ones():
    client = operator()
    stale()
    one = finding()
    assert client.get(address(one, "resolve")).status_code == 405
    assert client.post(address(one, "delete"), {"text": "x"}).status_code == 404
    assert client.post("/inbox/").status_code == 405


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


def test_who_left_the_house_is_still_named():
    ann = make.person("ann")
    stale()
    one = finding()
    assign(make.scope(), one, ann.pk)
    client = operator()
    assert "ann" in text_of(client.get(address(one)))
    ann.delete()
    page = text_of(client.get(address(one)))
    assert client.get(address(one)).status_code == 200
    assert "ann" in page
