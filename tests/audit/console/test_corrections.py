"""Corrections in plain words: the box, the preview, applying exactly that, and the list."""

from datetime import timedelta
from uuid import uuid4

import pytest

from audit.console.correction_parts import OBJECTIONS, REFUSALS, SENTENCES
from audit.console.review_corrections import KINDS
from memory import clock
from memory.models import Batch, Correction, Memory, Role, Status
from memory.write.correction.propose import MESSAGES
from memory.write.correction.road import propose
from memory.write.queue import QueueTimeout
from tests import factories as make

from .pages_kit import assert_three_ways, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def fact(entity="白鹭组", attribute="差旅上限", value="1500", **fields) -> Memory:
    return make.remember(
        **{"entity": entity, "attribute": attribute, "value": value, "session_id": "s1"} | fields
    )


def shop(names=("电话", "店长")) -> list[Memory]:
    return [fact("蓝湾店", name, f"第{n}项") for n, name in enumerate(names)]


def said(client, text, **fields):
    """The preview page after the box was sent."""
    return client.post("/corrections/new/", {"text": text, "user_id": "ann"} | fields, follow=True)


def address(response) -> str:
    return response.request["PATH_INFO"]


def decide(client, page, verb="apply", **fields):
    return client.post(f"{address(page)}{verb}/", fields, follow=True)


def states() -> set[str]:
    return set(Memory.everywhere.values_list("status", flat=True))


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


def test_the_box_of_a_memory_is_about_that_memory():
    other, mine = fact("红坊店", "房租", "7000"), fact("蓝湾店", "房租", "7000")
    client = operator()
    assert f'value="{mine.public_id}"' in text_of(client.get(f"/memories/{mine.public_id}/"))
    page = client.post(
        "/corrections/new/", {"text": "不对，是7500", "memory": mine.public_id}, follow=True
    )
    assert [line.memory for line in page.context["targets"]] == [mine]
    assert Correction.everywhere.get().user_id == mine.user_id == other.user_id


def test_the_box_of_a_recall_is_about_what_it_gave():
    mine = fact()
    recall = make.ask("白鹭组 差旅上限").record
    client = operator()
    assert f'value="{recall.public_id}"' in text_of(client.get(f"/recalls/{recall.public_id}/"))
    page = client.post(
        "/corrections/new/", {"text": "不对，是1800", "recall": recall.public_id}, follow=True
    )
    assert [line.memory for line in page.context["targets"]] == [mine]
    assert Correction.everywhere.get().recall == recall


def test_the_box_of_the_list_asks_for_the_user():
    fact()
    client = operator()
    text = text_of(client.get("/memories/", {"user_id": "ann"}))
    assert 'name="user_id"' in text
    assert 'value="ann"' in text
    refused = client.post("/corrections/new/", {"text": "白鹭组的差旅上限改成1800"})
    assert refused.status_code == 422
    assert "say whose memory is to be corrected" in text_of(refused)
    assert "白鹭组的差旅上限改成1800" in text_of(refused)
    assert not Correction.everywhere.exists()


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


def test_each_tab_lists_its_own():
    fact()
    client = operator()
    said(client, "白鹭组的差旅上限改成1800")
    decide(client, said(client, "白鹭组的差旅上限改成1900"))
    decide(client, said(client, "白鹭组的差旅上限改成2000"), "dismiss")
    said(client, "好的，明白")
    counts = {
        tab: [row.text for row, *_ in client.get("/corrections/", {"status": tab}).context["rows"]]
        for tab in ("open", "applied", "dismissed", "none")
    }
    assert counts == {
        "open": ["白鹭组的差旅上限改成1800"],
        "applied": ["白鹭组的差旅上限改成1900"],
        "dismissed": ["白鹭组的差旅上限改成2000"],
        "none": ["好的，明白"],
    }
    assert_three_ways(client, "/corrections/")


def test_the_list_pages_by_key():
    scope = make.scope()
    for n in range(53):
        propose(scope, f"好的{n}", user_id="ann")
    client = operator()
    first = client.get("/corrections/", {"status": "none"}).context["page"]
    rest = client.get("/corrections/", {"status": "none", "cursor": first.next}).context["page"]
    assert (len(first.rows), len(rest.rows), rest.next) == (50, 3, None)
    assert not {row.pk for row in first} & {row.pk for row in rest}


def test_the_list_asks_as_often_for_one_as_for_many():
    fact()
    client = operator()
    said(client, "白鹭组的差旅上限改成1800")
    few = queries(client, "/corrections/")
    for value in range(1801, 1810):
        said(client, f"白鹭组的差旅上限改成{value}")
    assert queries(client, "/corrections/") == few


def test_who_may_only_look():
    fact()
    page = said(operator(), "白鹭组的差旅上限改成1800")
    client = viewer()
    assert client.get(address(page)).status_code == 200
    assert '<form class="card mb-3"' not in text_of(client.get(address(page)))
    assert "/corrections/new/" not in text_of(client.get("/corrections/"))
    for verb in ("apply", "dismiss", "again"):
        assert client.post(f"{address(page)}{verb}/").status_code == 403
    assert said(client, "白鹭组的差旅上限改成1800").status_code == 403
    assert Correction.everywhere.get().state == "open"


def test_strangers_see_what_is_not_there():
    mine = fact()
    page = said(operator(), "白鹭组的差旅上限改成1800")
    client = stranger()
    for path in ("", "apply/", "dismiss/", "again/"):
        ask = client.post if path else client.get
        there, nowhere = ask(f"{address(page)}{path}"), ask(f"/corrections/{uuid4()}/{path}")
        assert there.status_code == nowhere.status_code == 404
    assert client.get("/corrections/").context["rows"] == []
    recall = make.ask("白鹭组 差旅上限").record
    for name, row in (("memory", mine), ("recall", recall)):
        answer = client.post("/corrections/new/", {"text": "不对，是7", name: row.public_id})
        assert answer.status_code == 404
    assert Correction.everywhere.get().state == "open"


def test_a_teammate_may_apply_it():
    fact()
    page = said(operator(), "白鹭组的差旅上限改成1800")
    decide(make.logged_in(make.person("tom", role=Role.REVIEWER)), page)
    assert Correction.everywhere.get().closed_by == "person:tom"


def test_only_posts_change():
    fact()
    client = operator()
    page = said(client, "白鹭组的差旅上限改成1800")
    for verb in ("apply", "dismiss", "again"):
        assert client.get(f"{address(page)}{verb}/").status_code == 405
    assert client.get("/corrections/new/").status_code == 405


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


def test_what_a_person_must_look_at_waits_in_the_review_queue():
    shop([f"货架{n}" for n in range(21)])
    scope = make.scope()
    fact()
    propose(scope, "白鹭组的差旅上限改成1800", user_id="ann")
    blocked = propose(scope, "忘掉所有关于蓝湾店的内容", user_id="ann")
    doubtful = propose(scope, "忘掉 的", user_id="ann")
    (kind,) = KINDS
    rows = list(kind.rows(scope).order_by("pk"))
    assert rows == [blocked, doubtful]
    assert [item.token.key for item in kind.shown(scope, rows)] == [str(row.pk) for row in rows]
    assert list(kind.of_reason(kind.rows(scope), "over_the_cap")) == [blocked]
    assert not kind.rows(make.scope(make.workspace("w2"))).exists()
    client = operator()
    queue = text_of(client.get("/review/"))
    for waiting in rows:
        assert f'href="/corrections/{waiting.public_id}/"' in queue
    client.post(f"/corrections/{blocked.public_id}/dismiss/")
    assert list(kind.rows(scope)) == [doubtful]
