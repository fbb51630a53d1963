"""One finding of the inbox, and what people may do there."""

from uuid import uuid4

import pytest

from audit.console import inbox_parts
from audit.findings.scan import scan
from audit.findings.work import assign
from memory import clock
from memory.models import Memory, Role
from memory.write.queue import QueueTimeout
from tests import factories as make
from tests.audit.findings import makers

from .inbox_kit import HOUR, address, events, finding, listed, stale
from .pages_kit import operator, text_of, viewer

pytestmark = pytest.mark.django_db


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


def test_acts_are_posts_and_known_ones():
    client = operator()
    stale()
    one = finding()
    assert client.get(address(one, "resolve")).status_code == 405
    assert client.post(address(one, "delete"), {"text": "x"}).status_code == 404
    assert client.post("/inbox/").status_code == 405


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
