"""Changing many memories of a list: chosen, shown, done to exactly those, undone as a whole."""

import html
import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.console import bulk, bulk_preview
from audit.console.templatetags import console
from memory import clock
from memory.jobs import bulk as jobs
from memory.jobs.work import work as carry_out
from memory.models import Batch, Job, Memory, Role, Status
from memory.write.queue import QueueTimeout
from tests import factories as make

from .pages_kit import operator, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
ADDRESS = "/memories/bulk/"


def said(n: int = 3, **fields) -> list[Memory]:
    fields = {"kind": "other"} | fields
    return [make.remember(text=f"笔记第{i}条 note {i}", **fields) for i in range(n)]


def address(verb: str, *rows: Memory, **asked) -> str:
    asked = {"verb": verb, "memory": [row.public_id for row in rows]} | asked
    return f"{ADDRESS}?{urlencode(asked, doseq=True)}"


def seen_in(page) -> str:
    return html.unescape(re.search(r'name="seen" value="([^"]*)"', text_of(page)).group(1))


def send(client, where: str, **said):
    """Look, then do what was shown."""
    seen = seen_in(client.get(where))
    return client.post(where, {"seen": seen, "reason": "整理 tidy up"} | said)


def states(*rows: Memory) -> list[str]:
    return [Memory.everywhere.get(pk=row.pk).status for row in rows]


def told(response) -> str:
    return " ".join(str(message) for message in response.wsgi_request._messages)


def test_the_list_has_a_box_for_each_row_and_a_bar_that_needs_no_script():
    rows = said(2)
    page = text_of(operator().get("/memories/?status=active"))
    for row in rows:
        assert f'name="memory" value="{row.public_id}" form="bulk"' in page
    assert '<form class="bulk-bar" id="bulk" method="get" action="/memories/bulk/"' in page
    assert '<input type="hidden" name="status" value="active">' in page
    for client in (viewer(), make.logged_in(make.person("rei", role=Role.REVIEWER))):
        assert 'id="bulk"' not in text_of(client.get("/memories/"))
    then = operator_again().get("/memories/?as_of=2026-01-01")
    assert 'id="bulk"' not in text_of(then)


def operator_again():
    return make.logged_in(make.person("olaf"))


def test_what_is_chosen_is_shown_and_nothing_is_changed_by_that():
    rows = [*said(2, agent_id="bot"), make.budget("800")]
    page = operator().get(address("retract", *rows))
    assert (page.context["preview"].count, page.context["preview"].chosen) == (3, 3)
    text = text_of(page)
    assert "nothing has changed yet" in text
    assert "我的预算是800元" in text
    assert states(*rows) == ["active"] * 3
    parts = {str(part.title): dict(part.counts) for part in page.context["preview"].parts}
    assert parts["Agent"] == {"bot": 2, "": 1}
    assert parts["Kind"] == {"other": 2, "fact": 1}
    assert parts["Age"] == {"a day at most": 3}


def test_it_is_one_batch_and_leads_back_to_the_list_with_the_undo():
    rows = said()
    client = operator()
    answer = send(client, address("retract", *rows[:2], user_id="ann", sort="-created"))
    batch = Batch.everywhere.get(verb="retract")
    back = f"/memories/?user_id=ann&sort=-created&done={batch.public_id}"
    assert (answer.status_code, answer["Location"]) == (302, back)
    assert (batch.actor, batch.surface, batch.reason) == (
        "person:olga", "console", "整理 tidy up",
    )  # fmt: skip
    assert states(*rows) == ["retracted", "retracted", "active"]
    page = text_of(client.get(answer["Location"]))
    assert f"/activity/{batch.public_id}/undo/" in page
    undone = client.post(f"/activity/{batch.public_id}/undo/", {"next": answer["Location"]})
    assert states(*rows) == ["active"] * 3
    made = Batch.everywhere.get(verb="undo")
    assert undone["Location"] == f"/memories/?user_id=ann&sort=-created&done={made.public_id}"


def test_all_that_the_filters_give_can_be_chosen():
    said(2, user_id="ann")
    others = said(2, user_id="bo")
    client = operator()
    where = address("hold", user_id="bo", all="1")
    assert client.get(where).context["preview"].count == 2
    send(client, where)
    assert set(states(*others)) == {"quarantined"}
    assert Memory.everywhere.filter(user_id="ann", status="active").count() == 2


def test_what_was_changed_meanwhile_is_left_and_told_of():
    rows = said()
    client = operator()
    where = address("retract", *rows)
    seen = seen_in(client.get(where))
    make.remember(text=rows[1].text, kind="other")
    late = make.remember(text="later", kind="other")
    answer = client.post(where, {"seen": seen, "reason": "x"})
    assert states(*rows, late) == ["retracted", "active", "retracted", "active"]
    assert "1 memory was left as it is: they were changed after the preview." in told(answer)


def test_those_that_cannot_be_changed_so_are_counted_with_the_reason():
    active, held = said(2)
    client = operator()
    send(client, address("hold", held))
    page = client.get(address("approve", active, held))
    assert page.context["preview"].count == 1
    assert "1</span>: their state does not allow this" in text_of(page)
    nothing = text_of(client.get(address("approve", active)))
    assert "None of them can be changed so." in nothing
    assert 'name="reason"' not in nothing


def test_over_the_cap_the_number_has_to_be_typed(monkeypatch):
    for module in (bulk, bulk_preview):
        monkeypatch.setattr(module, "CAP", 2)
    rows = said()
    client, where = operator(), address("retract", *rows)
    assert "Stop: these are more than 2" in text_of(client.get(where))
    for count in ("", "2", "x"):
        answer = send(client, where, count=count)
        assert answer.status_code == 422
        assert "Type how many memories are changed." in text_of(answer)
    assert states(*rows) == ["active"] * 3
    assert send(client, where, count="3").status_code == 302
    assert states(*rows) == ["retracted"] * 3


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501])
def test_a_reason_is_needed(reason):
    rows = said(1)
    assert send(operator(), address("retract", *rows), reason=reason).status_code == 422
    assert states(*rows) == ["active"]


@pytest.mark.parametrize("seen", ["", "nonsense"])
def test_what_nobody_was_shown_is_not_done(seen):
    rows = said(1)
    answer = operator().post(address("retract", *rows), {"seen": seen, "reason": "x"})
    assert answer.status_code == 409
    assert states(*rows) == ["active"]


def test_what_another_person_was_shown_or_long_ago_is_not_done(monkeypatch):
    rows = said(1)
    where, client = address("retract", *rows), operator()
    seen = {"seen": seen_in(client.get(where)), "reason": "x"}
    assert operator_again().post(where, seen).status_code == 409
    later = clock.now().timestamp() + 3601
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert client.post(where, seen).status_code == 409
    assert states(*rows) == ["active"]


def test_another_workspace_is_not_reached():
    rows = said(1)
    mine = operator()
    where = address("retract", *rows)
    seen = seen_in(mine.get(where))
    other = stranger()
    assert other.get(where).status_code == 302
    assert other.post(where, {"seen": seen, "reason": "x"}).status_code == 302
    assert states(*rows) == ["active"]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.AUDITOR])
def test_it_is_for_operators(role):
    rows = said(1)
    client = make.logged_in(make.person("p", role=role))
    assert client.get(address("retract", *rows)).status_code == 403


def test_with_nothing_chosen_one_is_led_back():
    answer = operator().get(address("retract", memory=["nonsense"], q="咖啡"))
    assert (answer.status_code, answer["Location"]) == (302, "/memories/?q=%E5%92%96%E5%95%A1")
    assert "Choose at least one memory." in told(answer)
    assert operator_again().get(address("domain", user_id="nobody", all="1")).status_code == 302


def test_ages_stand_in_their_order(monkeypatch):
    rows = said(3)
    for row, days in zip(rows, (400, 20, 20), strict=True):
        created = clock.now() - timedelta(days=days)
        Memory.everywhere.filter(pk=row.pk).update(created_at=created)
    page = operator().get(address("retract", *rows, *said(1, user_id="bo")))
    ages = page.context["preview"].parts[-1].counts
    assert ages == [("a day at most", 1), ("a month at most", 2), ("older", 1)]


def test_what_was_done_is_not_counted_to_the_end(monkeypatch):
    monkeypatch.setattr(console, "COUNT_CAP", 2)
    rows, client = said(3), operator()
    few = client.get(send(client, address("hold", *rows[:2]))["Location"])
    assert "2 changes" in text_of(few)
    answer = send(client, address("approve", *rows))
    assert "2 changes" in text_of(client.get(answer["Location"]))
    answer = send(client, address("retract", *rows))
    with CaptureQueriesContext(connection) as seen:
        assert "2+ changes" in text_of(client.get(answer["Location"]))
    counted = [q["sql"] for q in seen.captured_queries if '"memory_change"' in q["sql"]]
    assert all("LIMIT 3" in sql for sql in counted if "COUNT(" in sql)


def test_what_is_set_is_asked_for_first():
    rows = said(2, domain="旧")
    client = operator()
    asked = client.get(address("domain", *rows))
    assert asked.context["preview"] is None
    assert "2 memories are chosen" in text_of(asked)
    assert f'name="memory" value="{rows[0].public_id}"' in text_of(asked)
    assert "is needed" in text_of(client.get(address("domain", *rows, to=" ")))
    where = address("domain", *rows, to="仓储")
    assert "<ins>仓储</ins>" in text_of(client.get(where))
    send(client, where)
    assert set(Memory.everywhere.values_list("domain", flat=True)) == {"仓储"}
    assert Batch.everywhere.get(verb="amend").changes.count() == 2


def test_merging_shows_those_that_say_the_same(monkeypatch):
    first = make.remember(text="茶水间在三楼", kind="other")
    twin = make.remember(text="茶水间在三楼", kind="other", agent_id="b")
    alone = said(1)
    client, where = operator(), address("merge", first, twin, *alone)
    page = client.get(where)
    assert page.context["preview"].count == 2
    assert "no other of the chosen ones says the same" in text_of(page)
    monkeypatch.setattr(bulk_preview, "AT_ONCE", 1)
    too_many = client.get(where)
    assert too_many.context["seen"] == ""
    assert "At most 500 are merged at once" in text_of(too_many)
    monkeypatch.undo()
    send(client, where)
    assert sorted(states(first, twin, *alone)) == ["active", "active", "superseded"]


def test_many_are_a_job_with_one_undo(monkeypatch):
    for module in (bulk, bulk_preview):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    monkeypatch.setattr(jobs, "PIECE", 2)
    rows = said(5)
    client = operator()
    where = address("retract", all="1", status="active")
    assert "A job does it" in text_of(client.get(where))
    answer = send(client, where)
    job = Job.everywhere.get()
    assert answer["Location"] == f"/jobs/{job.public_id}/"
    carry_out()
    assert states(*rows) == ["retracted"] * 5
    activity = text_of(client.get("/activity/"))
    assert activity.count(f"/jobs/{job.public_id}/") == 3
    batch = Batch.everywhere.filter(verb="retract").first()
    assert f"/jobs/{job.public_id}/" in text_of(client.get(f"/activity/{batch.public_id}/"))
    undo = f"/jobs/{job.public_id}/undo/"
    assert undo in text_of(client.get(answer["Location"]))
    assert undo not in text_of(viewer().get(answer["Location"]))

    back = client.post(undo, {"reason": "too much"})
    carry_out()
    assert states(*rows) == ["active"] * 5
    assert undo not in text_of(client.get(answer["Location"]))
    again = f"{back['Location']}undo/"
    assert again in text_of(client.get(back["Location"]))
    refused = client.post(undo)
    assert "there is nothing left to take back" in told(refused)
    assert stranger().post(again).status_code == 404


def test_a_busy_store_changes_nothing(monkeypatch):
    rows = said(1)

    def busy(*args):
        raise QueueTimeout("busy")

    monkeypatch.setattr(bulk, "change_many", busy)
    assert send(operator(), address("retract", *rows)).status_code == 409
    assert states(*rows) == ["active"]


def test_more_than_the_list_counts_are_cut_and_said(monkeypatch):
    monkeypatch.setattr(bulk_preview, "COUNT_CAP", 2)
    rows = said()
    page = operator().get(address("retract", all="1"))
    shown = page.context["preview"]
    assert (shown.count, shown.cut) == (2, True)
    assert sorted(pk for pk, _ in shown.seen) == [row.pk for row in rows[1:]]
    assert "More than" in text_of(page)


@pytest.mark.parametrize("verb", ["", "erase", "undo"])
def test_there_is_no_other_verb(verb):
    assert operator().get(address(verb, *said(1))).status_code == 404


def test_as_many_queries_for_one_as_for_many():
    client = operator()
    rows = said(12)

    def count(*chosen: Memory) -> int:
        with CaptureQueriesContext(connection) as seen:
            assert client.get(address("retract", *chosen)).status_code == 200
        return len(seen)

    count(rows[0])
    assert count(rows[0]) == count(*rows)


def test_two_in_a_row_are_both_undone_from_the_activity_page():
    first, second = said(2)
    client = operator()
    for row in (first, second):
        send(client, address("retract", row))
    page = text_of(client.get("/activity/"))
    batches = Batch.everywhere.filter(verb="retract").order_by("id")
    for batch in batches:
        assert f'href="/activity/{batch.public_id}/#undo"' in page
        client.post(f"/activity/{batch.public_id}/undo/")
    assert states(first, second) == [Status.ACTIVE] * 2
