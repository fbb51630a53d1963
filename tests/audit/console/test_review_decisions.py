"""What people decide in the review queue, one by one or many at once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from audit.models import ReviewMark
from memory import clock
from memory.models import Batch, DuplicatePair, Memory, Role, Status
from memory.write.apply import apply
from memory.write.queue import QueueTimeout
from memory.write.review import plan_approve, plan_reject
from memory.write.undo import undo
from tests import factories as make

from .pages_kit import filled, links, operator, stranger, text_of
from .review_kit import candidate, decide, held, listed, pair, row, texts, tokens

pytestmark = pytest.mark.django_db


def test_one_is_approved_with_a_reason_and_the_way_back():
    current, waiting = make.budget("640"), candidate()
    client = operator()
    response = decide(client, "approve", *tokens(client, waiting.public_id), reason="asked her")
    batch = Batch.objects.within(make.scope()).order_by("-id").first()
    assert response.headers["Location"] == f"/review/?done={batch.public_id}"
    assert (batch.verb, batch.reason, batch.actor) == ("approve", "asked her", "person:olga")
    assert (row(waiting).status, row(current).status) == ("active", "superseded")
    page = text_of(client.get(response.headers["Location"]))
    assert f"/activity/{batch.public_id}/undo/" in page
    client.post(f"/activity/{batch.public_id}/undo/")
    assert (row(waiting).status, row(current).status) == ("candidate", "active")


def test_many_are_rejected_as_one_batch():
    waiting = [candidate("780"), candidate("910"), held()]
    client = operator()
    decide(client, "reject", *tokens(client, *(m.public_id for m in waiting)))
    assert {row(memory).status for memory in waiting} == {Status.REJECTED}
    batches = Batch.objects.within(make.scope()).filter(verb="reject")
    assert [batch.changes.count() for batch in batches] == [3]


def test_a_batch_keeps_the_filters_that_were_set():
    waiting = candidate()
    client = operator()
    response = decide(
        client, "reject", *tokens(client, waiting.public_id), back="status=candidate&cursor=x"
    )
    assert response.headers["Location"].startswith("/review/?status=candidate&cursor=x&done=")


@pytest.mark.parametrize(
    ("verb", "sent", "told"),
    [
        ("approve", {"reason": " "}, "Say why"),
        ("approve", {"reason": "x" * 501}, "at most 500"),
        ("approve", {"item": []}, "Choose at least one item"),
        ("", {}, "Choose what to do"),
        ("snooze", {}, "Choose a day to come"),
        ("snooze", {"until": "2020-01-01"}, "Choose a day to come"),
        ("snooze", {"until": "9999-12-31"}, "Choose a day to come"),
    ],
)
def test_what_is_missing_is_told_and_nothing_typed_is_lost(verb, sent, told):
    waiting = candidate()
    client = operator()
    items = tokens(client, waiting.public_id)
    sent = {"verb": verb, "item": items, "reason": "typed", "back": "status=candidate"} | sent
    response = client.post("/review/", sent)
    assert response.status_code == 422
    assert told in text_of(response)
    assert row(waiting).status == Status.CANDIDATE
    assert response.context["asked"].tab == "candidate"
    if sent["item"]:
        assert f'value="{items[0]}" checked' in text_of(response)
    assert filled(response)["reason"] == sent["reason"]
    assert {"status": ["pair"]} in links(response)


def test_the_reviewer_is_who_is_logged_in_and_evidence_is_what_was_said():
    said = make.turn(content="预算是780元")
    waiting = candidate(turn_id=said.public_id, quote="预算是780元")
    client = operator()
    decide(
        client, "approve", *tokens(client, waiting.public_id),
        actor="person:root", reviewer="root", quote="预算是9元", evidence="预算是9元",
    )  # fmt: skip
    assert Batch.objects.within(make.scope()).order_by("-id").first().actor == "person:olga"
    assert row(waiting).quote == "预算是780元"


def test_what_moved_since_it_was_shown_is_not_decided():
    make.budget("640")
    first, second = candidate("780"), candidate("910")
    client = operator()
    one, two = tokens(client, first.public_id, second.public_id)
    decide(client, "approve", one)
    response = decide(client, "approve", two)
    assert "moved since you looked" in texts(response)
    assert row(second).status == Status.CANDIDATE
    apply(plan_reject(make.scope(), [row(second)]).plan("reject", ""))
    assert "moved since you looked" in texts(decide(client, "approve", two))
    assert row(second).status == Status.REJECTED
    assert row(first).status == Status.ACTIVE


def test_both_of_two_that_compete_leave_one_current_value():
    make.budget("640")
    first, second = candidate("780"), candidate("910")
    client = operator()
    decide(client, "approve", *tokens(client, first.public_id, second.public_id))
    active = Memory.objects.within(make.scope()).filter(status=Status.ACTIVE)
    assert [memory.value for memory in active] == ["910"]


def test_a_pair_is_merged_into_the_one_that_is_chosen():
    one = pair()
    client = operator()
    more = {f"keep-{one.pk}": str(one.second)}
    decide(client, "merge", *tokens(client, one.pk), **more)
    found = Memory.objects.within(make.scope())
    assert found.get(public_id=one.second).status == Status.ACTIVE
    assert found.get(public_id=one.first).superseded_by_id == one.second
    assert listed(client) == []
    undo(make.scope(), Batch.objects.within(make.scope()).order_by("-id").first())
    assert listed(client) == [str(one.pk)]


def test_a_pair_kept_apart_is_gone_and_comes_back_when_that_is_taken_back():
    one = pair()
    client = operator()
    items = tokens(client, one.pk)
    response = client.post(
        "/review/", {"verb": "apart", "item": items, "reason": "two teas"}, follow=True
    )
    assert listed(client) == []
    kept = DuplicatePair.objects.within(make.scope()).get()
    assert (kept.state, kept.decided_by, kept.reason) == ("apart", "person:olga", "two teas")
    assert 'value="offer"' in text_of(response)
    assert 'value="offer"' not in text_of(client.get("/review/"))
    decide(client, "offer", *items, reason="")
    assert listed(client) == [str(one.pk)]


def test_a_pair_that_somebody_decided_is_not_decided_again():
    one = pair()
    client = operator()
    items = tokens(client, one.pk)
    decide(client, "apart", *items)
    assert "moved since you looked" in texts(decide(client, "merge", *items))
    assert Memory.objects.within(make.scope()).filter(status=Status.ACTIVE).count() == 2


def test_what_is_put_off_comes_back_on_its_day_or_when_it_is_taken_back():
    waiting, one = candidate(), pair()
    client = operator()
    items = tokens(client, waiting.public_id, one.pk)
    day = timezone.localdate(clock.now() + timedelta(days=3))
    response = decide(client, "snooze", *items, until=day.isoformat(), reason="she is away")
    assert 'value="unsnooze"' in text_of(client.get(response.headers["Location"]))
    assert listed(client) == []
    assert len(listed(client, snoozed="on")) == 2
    marks = ReviewMark.objects.order_by("id")
    assert {(mark.actor, mark.reason) for mark in marks} == {("person:olga", "she is away")}
    with clock.at(clock.now() + timedelta(days=4)):
        assert len(listed(client)) == 2
    decide(client, "unsnooze", items[0], reason="")
    assert listed(client) == [str(waiting.public_id)]


def test_items_of_two_kinds_are_not_decided_together_unless_put_off():
    waiting, one = candidate(), pair()
    client = operator()
    items = tokens(client, waiting.public_id, one.pk)
    for verb in ("approve", "merge", "offer", "retract"):
        assert "cannot be done to all" in texts(decide(client, verb, *items))
    assert "cannot be done to all" in texts(decide(client, "merge", items[0]))
    assert row(waiting).status == Status.CANDIDATE


def test_a_busy_store_is_told(monkeypatch):
    def full(*_):
        raise QueueTimeout("full")

    waiting = candidate()
    client = operator()
    items = tokens(client, waiting.public_id)
    monkeypatch.setattr("memory.write.queue.turn", full)
    assert "Too many are writing" in texts(decide(client, "reject", *items))


def test_an_edited_memory_is_approved_and_the_form_holds_what_was_said():
    waiting = candidate("780")
    client = operator()
    address = f"/review/{waiting.public_id}/edit/"
    form = filled(client.get(address))
    assert form["value"] == "780"
    said = form | {"value": "790", "reason": "a typo"}
    unseen = client.post(address, said | {"step": "apply"})
    shown = client.post(address, said | {"step": "preview"})
    for page in (unseen, shown):
        assert page.status_code == 200
        assert "<del>780</del> → <ins>790</ins>" in text_of(page)
        assert "我的预算是<del>780</del><ins>790</ins>元" in text_of(page)
    assert row(waiting).status == Status.CANDIDATE
    other = client.post(address, filled(shown) | {"value": "800", "step": "apply"})
    assert "<ins>800</ins>" in text_of(other)
    response = client.post(address, filled(shown) | {"step": "apply"})
    assert response.status_code == 302
    active = Memory.objects.within(make.scope()).get(status=Status.ACTIVE)
    assert (active.value, active.text) == ("790", "我的预算是790元")
    assert row(waiting).status == Status.REJECTED
    batch = Batch.objects.within(make.scope()).order_by("-id").first()
    assert (batch.verb, batch.reason, batch.actor) == ("approve", "a typo", "person:olga")
    assert client.get(address).status_code == 302


@pytest.mark.parametrize(
    "sent", [{"reason": ""}, {"value": "780"}, {"text": "今天下雨"}, {"revision": "9"}]
)
def test_an_edit_that_cannot_be_is_told(sent):
    waiting = candidate("780")
    client = operator()
    address = f"/review/{waiting.public_id}/edit/"
    form = filled(client.get(address)) | {"reason": "a typo"}
    form |= sent if sent.keys() & {"text", "value"} else {"value": "790"} | sent
    assert client.post(address, form).status_code == 422
    assert row(waiting).status == Status.CANDIDATE


def test_a_teammate_may_decide():
    waiting = candidate()
    client = make.logged_in(make.person("rosa", role=Role.REVIEWER))
    decide(client, "approve", *tokens(client, waiting.public_id))
    assert row(waiting).status == Status.ACTIVE


@pytest.mark.parametrize("item", ["", "memory", "memory:x:", "pair:x", "pair:9999999999999999999",
                                  "finding:1", "user:1", "memory:::", ":::", "pair:٣"])  # fmt: skip
def test_what_names_nothing_is_not_found(item):
    assert decide(operator(), "approve", item).status_code == 404


def test_a_batch_of_another_workspace_is_not_told_of():
    apply(plan_approve(make.scope(), [candidate()]).plan("approve", "x"))
    batch = Batch.objects.within(make.scope()).order_by("-id").first()
    address = f"/review/?done={batch.public_id}"
    assert f"/activity/{batch.public_id}/" in text_of(operator().get(address))
    assert f"/activity/{batch.public_id}/" not in text_of(stranger().get(address))


def test_a_page_whose_items_are_all_decided_leads_to_the_first(monkeypatch):
    monkeypatch.setattr("audit.console.review_paging.PAGE", 2)
    for n in range(3):
        candidate(str(n), attribute=f"a{n}")
    client = operator()
    second = client.get("/review/").context["page"].next
    last = client.get("/review/", {"cursor": second}).context["page"].items
    decide(client, "reject", *(item.value for item in last))
    page = client.get("/review/", {"cursor": second}).context["page"]
    assert (len(page.items), page.previous) == (2, None)
