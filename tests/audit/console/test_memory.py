import pytest

from audit.console import memory_parts, timeline
from memory.models import Batch, Memory, Status
from memory.write import queue
from memory.write.apply import apply
from memory.write.revise import plan_confirm, plan_retract
from memory.write.undo import undo
from tests.factories import ask, budget, remember, scope, turn

from .pages_kit import is_whole, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def address(memory, verb: str = "") -> str:
    return f"/memories/{memory.public_id}/{verb}"


def act(client, memory, verb: str, **fields):
    fields = {"reason": "checked by phone", "revision": memory.revision} | fields
    return client.post(address(memory, f"{verb}/"), fields)


def now(memory) -> Memory:
    return Memory.everywhere.get(pk=memory.pk)


def test_it_says_everything_about_a_memory():
    one = budget("1200", domain="money", importance=5, tags=("spring",), agent_id="helper")
    page = text_of(operator().get(address(one)))
    for said in ("我的预算是1200元", "money", "spring", "helper", "预算", "1200", "s1"):
        assert said in page
    assert f'datetime="{one.created_at.isoformat(timespec="seconds")}"' in page


def test_evidence_is_quoted_in_its_turn():
    said = turn(content="Hello. My budget is 1200 now. Thanks!")
    one = remember(text="My budget is 1200 now", turn_id=said.public_id)
    assert "Hello. <mark>My budget is 1200 now</mark>. Thanks!" in text_of(
        operator().get(address(one))
    )


def test_a_long_turn_shows_what_stands_around_the_quote_and_says_so():
    quote = "预算改成1200了"
    said = turn(content="前" * 3000 + quote + "后" * 3000)
    one = remember(text=quote, turn_id=said.public_id)
    page = text_of(operator().get(address(one)))
    around = memory_parts.AROUND
    assert "前" * around + f"<mark>{quote}</mark>" + "后" * around in page
    assert "前" * (around + 1) not in page
    assert "A part of a turn of 6,009 characters" in page


def test_without_a_turn_it_says_that_none_was_kept():
    assert "No turn was kept" in text_of(operator().get(address(remember(text="no source"))))


def test_history_tells_who_changed_what_and_why():
    budget("800", reason="first guess")
    one = budget("1200", reason="the board agreed")
    page = text_of(operator().get(address(one)))
    assert "<del>800</del> → <ins>1200</ins>" in page
    assert "first guess" in page
    assert "the board agreed" in page
    assert "person:ann" in page


def test_history_is_the_same_from_every_version():
    old, new = budget("800"), budget("1200")
    client = operator()
    told = [client.get(address(memory)).context["events"] for memory in (old, new)]
    assert told[0] == told[1]
    assert len(told[0]) == 2


def test_an_undo_is_told_as_the_way_back():
    budget("800")
    one = budget("1200")
    undo(scope(), Batch.everywhere.latest("pk"), "not yet")
    events, _ = timeline.events(scope(), one.fact, None)
    assert (events[0].changes[0].old, events[0].changes[0].new) == ("1200", "800")
    assert {(m.version, m.after) for m in events[0].moves} == {(1, "active"), (2, "retracted")}
    assert events[1].batch.is_undone


def test_a_confirmation_shows_what_it_moved():
    one = remember(text="the office is upstairs", confidence=0.5)
    apply(plan_confirm(scope(), one).plan("confirm", "seen"))
    events, _ = timeline.events(scope(), one.fact, None)
    assert [(str(c.old), str(c.new)) for c in events[0].changes] == [("0.5", "0.65"), ("0", "1")]
    assert events[0].moves == []


def test_an_erased_entry_is_still_told():
    one = budget("800")
    batch = Batch.everywhere.latest("pk")
    batch.changes.update(payload=None)
    page = text_of(operator().get(address(one)))
    assert "What this said has been erased" in page


def test_history_goes_on_by_pages(monkeypatch):
    monkeypatch.setattr(timeline, "EVENTS", 3)
    for value in range(5):
        one = budget(str(value))
    first, page = timeline.events(scope(), one.fact, None)
    rest, last = timeline.events(scope(), one.fact, page.next)
    assert [len(first), len(rest)] == [3, 2]
    assert last.next is None
    assert 'rel="next"' in text_of(operator().get(address(one)))


def test_recalls_that_served_it_are_linked():
    one = budget("1200")
    other = remember(text="我的车位在地下二层")
    answer = ask("我的预算是多少")
    link = f"/recalls/{answer.record.public_id}/"
    client = operator()
    assert link in text_of(client.get(address(one)))
    assert link not in text_of(client.get(address(other)))


def test_a_former_value_points_to_the_current_one():
    old, new = budget("800"), budget("1200")
    client = operator()
    page = text_of(client.get(address(old)))
    assert "This is not what holds now" in page
    assert f'href="{address(new)}"' in page
    assert "This is not what holds now" not in text_of(client.get(address(new)))


def test_actions_follow_the_state():
    old, new = budget("800"), budget("1200")
    waiting = remember(text="the office is upstairs", confidence=0.1)
    client = operator()

    def offered(memory):
        return [verb.name for verb in client.get(address(memory)).context["verbs"]]

    assert offered(new) == ["confirm", "retract", "expire", "hold"]
    assert offered(old) == ["retract", "restore"]
    assert offered(waiting) == ["retract", "approve", "reject"]
    assert address(new, "correct/") in text_of(client.get(address(new)))
    assert address(old, "correct/") not in text_of(client.get(address(old)))


def test_confirm_raises_confidence_and_offers_undo():
    one = remember(text="the office is upstairs", confidence=0.5)
    client = operator()
    answer = act(client, one, "confirm")
    page = text_of(client.get(answer["Location"]))
    batch = Batch.everywhere.latest("pk")
    assert now(one).confidence == 0.65
    assert (batch.verb, batch.actor, batch.surface) == ("confirm", "person:olga", "console")
    assert f"/activity/{batch.public_id}/undo/" in page


def test_retract_demands_a_reason():
    one = budget("1200")
    client = operator()
    page = client.post(address(one, "retract/"), {"reason": " "}, follow=True)
    assert now(one).status == Status.ACTIVE
    assert "say why" in text_of(page)
    act(client, one, "retract", reason="it was a joke")
    assert now(one).status == Status.RETRACTED
    assert Batch.everywhere.latest("pk").reason == "it was a joke"


def test_a_memory_can_be_held_and_approved_again():
    one = budget("1200")
    client = operator()
    act(client, one, "hold", reason="")
    assert now(one).status == Status.ACTIVE
    act(client, one, "hold", reason="looks wrong")
    assert now(one).status == Status.QUARANTINED
    act(client, now(one), "approve", reason="asked him")
    assert now(one).status == Status.ACTIVE
    assert Batch.everywhere.latest("pk").reason == "asked him"


def test_a_candidate_can_be_rejected():
    one = remember(text="the office is upstairs", confidence=0.1)
    client = operator()
    act(client, one, "reject", reason="")
    assert now(one).status == Status.CANDIDATE
    act(client, one, "reject", reason="hearsay")
    assert now(one).status == Status.REJECTED


def test_restore_makes_a_former_value_current_as_a_new_version():
    old, new = budget("800"), budget("1200")
    client = operator()
    answer = act(client, now(old), "restore", reason="")
    current = Memory.everywhere.get(fact=old.fact, status=Status.ACTIVE)
    assert (current.value, current.version) == ("800", 3)
    assert answer["Location"].startswith(address(current))
    assert now(new).status == Status.SUPERSEDED


@pytest.mark.parametrize(("verb", "status"), [("confirm", "superseded"), ("restore", "active")])
def test_a_verb_that_its_state_does_not_allow_changes_nothing(verb, status):
    budget("800")
    budget("1200")
    one = Memory.everywhere.get(status=status)
    client, before = operator(), Batch.everywhere.count()
    page = client.post(address(one, f"{verb}/"), {"reason": "why not"}, follow=True)
    assert "its state does not allow this" in text_of(page)
    assert Batch.everywhere.count() == before


def test_retracting_twice_changes_nothing_more():
    one = budget("1200")
    apply(plan_retract(scope(), [one]).plan("retract", "wrong"))
    before = Batch.everywhere.count()
    act(operator(), now(one), "retract")
    assert now(one).status == Status.RETRACTED
    assert Batch.everywhere.count() == before


def test_a_page_that_was_overtaken_changes_nothing():
    one = budget("1200")
    apply(plan_confirm(scope(), one).plan("confirm", ""))
    client = operator()
    answer = act(client, one, "retract")
    assert now(one).status == Status.ACTIVE
    assert "changed meanwhile" in text_of(client.get(answer["Location"]))


def test_a_full_queue_is_told_and_changes_nothing(monkeypatch):
    one = budget("1200")

    def full(seconds=None):
        raise queue.QueueTimeout

    client = operator()
    monkeypatch.setattr(queue, "turn", full)
    answer = act(client, one, "confirm")
    assert now(one).revision == one.revision
    assert "The store is busy" in text_of(client.get(answer["Location"]))


def test_unknown_verbs_are_not_found():
    one = budget("1200")
    client = operator()
    assert client.post(address(one, "explode/"), {"reason": "x"}).status_code == 404
    assert client.get(address(one, "confirm/")).status_code == 405


def test_a_viewer_reads_but_does_not_change():
    one = budget("1200")
    client = viewer()
    page = client.get(address(one))
    assert page.status_code == 200
    assert page.context["verbs"] == ()
    assert "correct/" not in text_of(page)
    for verb in ("confirm", "retract", "restore", "correct", "approve", "reject", "hold", "expire"):
        assert act(client, one, verb).status_code == 403
    assert now(one).revision == one.revision


def test_a_stranger_gets_the_same_404_as_for_one_that_never_was():
    one = budget("1200", text="secret budget 1200")
    client = stranger()
    page = client.get(address(one))
    nothing = client.get("/memories/01890000-0000-7000-8000-000000000000/")
    assert page.status_code == nothing.status_code == 404
    assert "secret" not in text_of(page)
    for verb in ("confirm", "retract", "restore", "correct", "approve", "reject", "hold", "expire"):
        assert act(client, one, verb).status_code == 404
    assert now(one).revision == one.revision


@pytest.mark.parametrize("done", ["nonsense", "", "01890000-0000-7000-8000-000000000000"])
def test_what_names_no_batch_is_not_told_of_as_done(done):
    assert "data-done" not in text_of(operator().get(address(budget("1200")), {"done": done}))


def test_a_form_elsewhere_leads_back_to_where_it_was():
    one = budget("1200")
    client = operator()
    answer = act(client, one, "retract", next="/memories/?q=预算&done=x")
    batch = Batch.everywhere.latest("pk")
    assert answer["Location"] == f"/memories/?q=%E9%A2%84%E7%AE%97&done={batch.public_id}"
    refused = act(client, one, "hold", next="/memories/")
    assert refused["Location"] == "/memories/"
    for elsewhere in ("https://example.com/", "//example.com/", "javascript:alert(1)", "memories"):
        answer = act(client, now(one), "restore", next=elsewhere)
        assert answer["Location"].startswith("/memories/0")
        act(client, now(one), "retract")


def test_anonymous_is_sent_to_log_in(client):
    assert client.get(address(budget("1200")))["Location"].startswith("/login/")


def test_text_is_plain_text():
    one = remember(text="<b>bold</b> move", entity="<i>e</i>", attribute="a", value="<u>v</u>")
    page = text_of(operator().get(address(one)))
    assert "&lt;b&gt;bold&lt;/b&gt; move" in page
    for tag in ("<b>bold", "<i>e", "<u>v"):
        assert tag not in page


def test_queries_do_not_grow_with_versions_or_recalls():
    for value in ("1", "2"):
        one = budget(value)
        ask("我的预算是多少")
    client = operator()
    few = queries(client, address(one))
    for value in range(3, 12):
        one = budget(str(value))
        ask("我的预算是多少")
    assert queries(client, address(one)) == few


def test_chinese_page_renders():
    page = operator().get(address(budget("1200")), HTTP_ACCEPT_LANGUAGE="zh-hans")
    assert is_whole(page)
    assert 'lang="zh-hans"' in text_of(page)


def test_what_was_true_and_is_only_old_is_ended():
    one = budget("1200")
    client = operator()
    act(client, one, "expire", reason="")
    assert now(one).status == Status.ACTIVE
    act(client, one, "expire", reason="sold out since")
    ended = now(one)
    assert ended.status == Status.EXPIRED
    assert one.updated_at < ended.valid_to <= ended.updated_at
    batch = Batch.everywhere.latest("pk")
    assert (batch.verb, batch.reason) == ("expire", "sold out since")
    client.post(f"/activity/{batch.public_id}/undo/")
    assert (now(one).status, now(one).valid_to) == (Status.ACTIVE, None)
