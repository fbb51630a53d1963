"""Corrections in plain words: the preview, and applying exactly that."""

from datetime import timedelta

import pytest

from audit.console.correction_parts import OBJECTIONS, REFUSALS, SENTENCES
from memory import clock
from memory.models import Batch, Correction, Memory, Status
from memory.write.correction.propose import MESSAGES
from memory.write.correction.road import propose
from memory.write.queue import QueueTimeout
from tests import factories as make

from .correction_kit import address, decide, fact, said, shop, states
from .pages_kit import operator, text_of

pytestmark = pytest.mark.django_db


def test_said_previewed_applied_and_undone():
    old, client = fact(), operator()
    page = said(client, "白鹭组的差旅上限改成1800")
    assert page.status_code == 200
    text = text_of(page)
    assert "It changes 1 fact; nothing has changed yet" in text
    assert "<del>1500</del>" in text
    assert "<ins>1800</ins>" in text
    assert states() == {Status.ACTIVE}
    done = decide(client, page, reason="told by phone")
    assert address(done) == address(page)
    batch = Batch.everywhere.get(verb="correct")
    assert (batch.reason, batch.actor, batch.surface) == (
        "told by phone", "person:olga", "console",
    )  # fmt: skip
    assert f'action="/activity/{batch.public_id}/undo/"' in text_of(done)
    old.refresh_from_db()
    assert old.status == Status.SUPERSEDED
    client.post(f"/activity/{batch.public_id}/undo/")
    old.refresh_from_db()
    assert old.status == Status.ACTIVE
    assert "undone since" in text_of(client.get(address(page)))


@pytest.mark.parametrize(
    "text", ["后天的彩排应该是3点开始", "The concert was actually lovely"]
)  # fmt: skip
def test_what_is_no_correction_says_so_and_offers_nothing(text):
    fact()
    client = operator()
    page = said(client, text)
    assert "There is nothing to correct" in text_of(page)
    assert "correction-apply" not in text_of(page)
    assert f"{address(page)}apply/" not in text_of(page)
    refused = decide(client, page)
    assert refused.status_code == 409
    assert "There is nothing to correct. Nothing was changed." in text_of(refused)
    assert states() == {Status.ACTIVE}


def test_several_are_applied_when_their_number_is_typed():
    shop()
    other, client = fact(), operator()
    page = said(client, "忘掉所有关于蓝湾店的内容")
    assert "Type 2, the number of facts, to go on" in text_of(page)
    for typed in ("", "3"):
        refused = decide(client, page, confirm_count=typed)
        assert refused.status_code == 409
        assert "Nothing was changed yet" in text_of(refused)
    assert states() == {Status.ACTIVE}
    decide(client, page, confirm_count="2")
    assert Memory.everywhere.filter(status=Status.RETRACTED).count() == 2
    other.refresh_from_db()
    assert other.status == Status.ACTIVE


def test_over_the_cap_it_stops():
    shop([f"货架{n}" for n in range(21)])
    client = operator()
    page = said(client, "忘掉所有关于蓝湾店的内容")
    assert "Stopped: 21 facts, and one correction changes at most 20" in text_of(page)
    assert 'role="alert"' in text_of(page)
    assert f"{address(page)}apply/" not in text_of(page)
    assert decide(client, page, confirm_count="21").status_code == 409
    assert states() == {Status.ACTIVE}


def ambiguous(client):
    one, two = fact("蓝湾店", "房租", "7000"), fact("红坊店", "房租", "7000")
    propose(make.scope(), "不是7000，是7500", user_id="ann", session_id="s1")
    return client.get(f"/corrections/{Correction.everywhere.get().public_id}/"), one, two


def test_of_several_that_fit_one_is_chosen():
    client = operator()
    page, one, two = ambiguous(client)
    assert "Which is meant?" in text_of(page)
    assert text_of(page).count('type="radio"') == 2
    assert "Choose the fact that is meant" in text_of(decide(client, page))
    stranger_id = fact().public_id
    assert "not among its candidates" in text_of(decide(client, page, memory_id=stranger_id))
    both = decide(client, page, memory_id=two.public_id, value="7600", retract="on")
    assert "give a value or retract, not both" in text_of(both)
    decide(client, page, memory_id=two.public_id)
    assert Memory.everywhere.get(supersedes=two).value == "7500"
    one.refresh_from_db()
    assert one.status == Status.ACTIVE


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"value": "7600"}, Status.SUPERSEDED), ({"retract": "on"}, Status.RETRACTED)],
)
def test_the_chooser_says_what_is_right(fields, status):
    client = operator()
    page, one, _ = ambiguous(client)
    decide(client, page, memory_id=one.public_id, **fields)
    one.refresh_from_db()
    assert one.status == status


def test_a_fact_that_moved_is_not_touched_and_a_new_look_shows_it():
    old, client = fact(), operator()
    page = said(client, "白鹭组的差旅上限改成1800")
    newer = fact(value="1600")
    assert "cannot be applied. Look again" in text_of(client.get(address(page)))
    refused = decide(client, page)
    assert refused.status_code == 409
    assert "A fact was changed since this preview" in text_of(refused)
    again = decide(client, page, "again")
    assert address(again) != address(page)
    assert "<del>1600</del>" in text_of(again)
    assert Correction.everywhere.get(public_id=address(page).split("/")[2]).state == "dismissed"
    decide(client, again)
    newer.refresh_from_db()
    old.refresh_from_db()
    assert (old.status, newer.status) == (Status.SUPERSEDED, Status.SUPERSEDED)


def test_an_old_preview_is_not_applied():
    fact()
    client = operator()
    page = said(client, "白鹭组的差旅上限改成1800")
    with clock.at(clock.now() + timedelta(hours=2)):
        assert "too old to be applied" in text_of(client.get(address(page)))
        assert "too old to apply" in text_of(client.get("/corrections/"))
        assert "This preview is too old" in text_of(decide(client, page))
    assert states() == {Status.ACTIVE}


def test_applied_once():
    fact()
    client = operator()
    page = said(client, "白鹭组的差旅上限改成1800")
    decide(client, page)
    assert decide(client, page).status_code == 409
    assert Batch.everywhere.filter(verb="correct").count() == 1


def test_dismissed_with_a_reason():
    fact()
    client = operator()
    page = said(client, "白鹭组的差旅上限改成1800")
    gone = decide(client, page, "dismiss", reason="a <b>slip</b>")
    assert "Dismissed; nothing was changed." in text_of(gone)
    assert "a &lt;b&gt;slip&lt;/b&gt;" in text_of(gone)
    assert states() == {Status.ACTIVE}


def test_a_secret_is_refused_and_stands_nowhere():
    fact("部署机器人", "凭据", "旧的")
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    answer = operator().post(
        "/corrections/new/", {"text": f"部署机器人的凭据改成{secret}", "user_id": "ann"}
    )
    assert answer.status_code == 422
    assert "a secret is not kept as a memory" in text_of(answer)
    assert not Correction.everywhere.exists()


def test_what_was_said_is_escaped():
    fact(value="<i>1500</i>")
    page = said(operator(), "白鹭组的差旅上限改成<script>1</script>")
    assert "<script>1" not in text_of(page)
    assert "<i>1500" not in text_of(page)


def test_a_full_queue_changes_nothing_and_says_so(monkeypatch):
    fact()
    client = operator()
    page = said(client, "白鹭组的差旅上限改成1800")

    def full(*args):
        raise QueueTimeout("full")

    monkeypatch.setattr("memory.write.queue.turn", full)
    assert "The store is busy" in text_of(decide(client, page))
    assert "The store is busy" in text_of(decide(client, page, "dismiss"))
    assert "The store is busy" in text_of(said(client, "白鹭组的差旅上限改成1900"))
    assert states() == {Status.ACTIVE}


def test_all_that_the_engine_says_can_be_translated():
    assert set(SENTENCES) == set(MESSAGES.values())
    assert all(str(text) for text in (*REFUSALS.values(), *OBJECTIONS))


def test_a_sentence_keeps_its_subject():
    page = said(operator(), "忘掉 的")
    assert "“的” is too little to go by; name the fact." in text_of(page)
