import pytest

from memory.models import Batch, Memory, Status
from memory.write.apply import apply
from memory.write.revise import plan_amend, plan_confirm, plan_retract
from tests.factories import budget, remember, scope, turn

from .pages_kit import filled, operator, text_of

pytestmark = pytest.mark.django_db


def address(memory) -> str:
    return f"/memories/{memory.public_id}/correct/"


def previewed(client, memory, **changes) -> dict[str, str]:
    """The fields of a form whose preview has been seen."""
    sent = filled(client.get(address(memory))) | {"reason": "it was misheard"} | changes
    return filled(client.post(address(memory), sent | {"step": "preview"}))


def current(memory) -> Memory:
    return Memory.everywhere.get(fact=memory.fact, status=Status.ACTIVE)


def test_the_form_shows_what_is_remembered():
    page = operator().get(address(budget("1200", domain="money")))
    sent = filled(page)
    assert (sent["value"], sent["text"], sent["domain"]) == ("1200", "我的预算是1200元", "money")
    assert sent["reason"] == ""


def test_preview_shows_every_row_before_and_after_and_changes_nothing():
    one = budget("1200")
    client, before = operator(), Batch.everywhere.count()
    sent = filled(client.get(address(one))) | {"value": "1500", "reason": "misheard"}
    page = client.post(address(one), sent | {"step": "preview"})
    touched = page.context["touched"]
    assert [(row.before is None, row.memory.status) for row in touched] == [
        (False, Status.SUPERSEDED),
        (True, Status.ACTIVE),
    ]
    assert "<del>1200</del> → <ins>1500</ins>" in text_of(page)
    assert "我的预算是<del>1200</del><ins>1500</ins>元" in text_of(page)
    assert "This will change 2 rows" in text_of(page)
    assert Batch.everywhere.count() == before
    assert current(one).value == "1200"


def test_apply_does_what_the_preview_showed_and_offers_undo():
    one = budget("1200")
    client = operator()
    sent = previewed(client, one, value="1500")
    answer = client.post(address(one), sent | {"step": "apply"})
    batch = Batch.everywhere.latest("pk")
    assert (current(one).value, current(one).text) == ("1500", "我的预算是1500元")
    assert (batch.verb, batch.reason, batch.actor) == ("correct", "it was misheard", "person:olga")
    page = text_of(client.get(answer["Location"]))
    assert f"/activity/{batch.public_id}/" in page
    assert f"/activity/{batch.public_id}/undo/" in page
    assert "<del>1200</del> → <ins>1500</ins>" in page


def test_what_was_done_can_be_undone_from_the_page():
    one = budget("1200")
    client = operator()
    answer = client.post(address(one), previewed(client, one, value="1500") | {"step": "apply"})
    batch = Batch.everywhere.latest("pk")
    client.post(f"/activity/{batch.public_id}/undo/")
    assert current(one).value == "1200"
    page = text_of(client.get(answer["Location"]))
    assert "undone since" in page
    assert f"/activity/{batch.public_id}/undo/" not in page


def test_without_a_preview_nothing_is_applied():
    one = budget("1200")
    client = operator()
    sent = filled(client.get(address(one))) | {"value": "1500", "reason": "misheard"}
    page = client.post(address(one), sent | {"step": "apply"})
    assert page.context["touched"]
    assert current(one).value == "1200"


def test_a_form_that_changed_after_the_preview_is_previewed_again():
    one = budget("1200")
    client = operator()
    sent = previewed(client, one, value="1500") | {"value": "9000", "step": "apply"}
    page = client.post(address(one), sent)
    assert "<ins>9000</ins>" in text_of(page)
    assert current(one).value == "1200"


def test_a_memory_that_moved_after_the_preview_is_left_alone():
    one = budget("1200")
    client = operator()
    sent = previewed(client, one, value="1500")
    apply(plan_confirm(scope(), one).plan("confirm", ""))
    before = Batch.everywhere.count()
    page = client.post(address(one), sent | {"step": "apply"})
    assert "was changed meanwhile" in text_of(page)
    assert filled(page)["value"] == "1500"
    assert Batch.everywhere.count() == before
    again = client.post(address(one), filled(page) | {"step": "preview"})
    client.post(address(one), filled(again) | {"step": "apply"})
    assert (current(one).value, current(one).confirmations) == ("1500", 0)


def test_a_confirmation_in_between_is_not_taken_back():
    one = budget("1200", confidence=0.5)
    client = operator()
    page = client.get(address(one))
    sent = filled(page) | {"value": "1500", "reason": "misheard", "step": "preview"}
    apply(plan_confirm(scope(), one).plan("confirm", ""))
    stale = client.post(address(one), sent)
    again = client.post(address(one), filled(stale) | {"step": "preview"})
    client.post(address(one), filled(again) | {"step": "apply"})
    assert current(one).confidence == 0.65


def test_one_superseded_after_the_preview_cannot_be_corrected():
    one = budget("1200")
    client = operator()
    sent = previewed(client, one, value="1500")
    budget("2000")
    page = client.post(address(one), sent | {"step": "apply"}, follow=True)
    assert "Only an active memory can be corrected" in text_of(page)
    assert current(one).value == "2000"


def test_a_retracted_memory_has_no_form():
    one = budget("1200")
    apply(plan_retract(scope(), [one]).plan("retract", "wrong"))
    assert operator().get(address(one))["Location"] == f"/memories/{one.public_id}/"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"value": "1500", "reason": ""}, "reason"),
        ({"value": "1500", "reason": "x" * 1001}, "reason"),
        ({}, "value"),
        ({"confidence": "1.5"}, "confidence"),
        ({"confidence": "much"}, "confidence"),
        ({"importance": "9"}, "importance"),
        ({"kind": "thing"}, "kind"),
        ({"entity": ""}, "entity"),
        ({"attribute": "x" * 301}, "attribute"),
        ({"value": "a\x00b"}, "value"),
    ],
)
def test_bad_input_is_told_at_its_field_and_nothing_is_lost(changes, field):
    one = budget("1200")
    client = operator()
    sent = filled(client.get(address(one))) | {"reason": "misheard", "domain": "typed by hand"}
    if not changes:
        sent["domain"] = ""
    page = client.post(address(one), sent | changes | {"step": "preview"})
    assert page.status_code == 200
    assert field in page.context["form"].errors
    assert not page.context["touched"]
    assert filled(page)["domain"] == sent["domain"]
    assert current(one).revision == one.revision


def test_an_objection_of_the_engine_stands_at_its_field():
    one = remember(text="call back tomorrow")
    client = operator()
    sent = filled(client.get(address(one)))
    sent |= {"reason": "more", "value": "noon", "step": "preview"}
    page = client.post(address(one), sent)
    assert "value" in page.context["form"].errors
    assert page.context["form"].more_is_open


def test_a_key_that_another_memory_holds_is_refused():
    remember(entity="user", attribute="city", value="Hamburg")
    one = budget("1200")
    client = operator()
    sent = filled(client.get(address(one)))
    sent |= {"attribute": "city", "reason": "renamed", "step": "preview"}
    page = client.post(address(one), sent)
    assert "Another memory is already current" in text_of(page)
    assert current(one).attribute == "预算"


def test_a_text_without_a_value_is_corrected_as_text():
    one = remember(text="The office is upstairs.\nTurn left.")
    client = operator()
    page = client.get(address(one))
    assert [field.name for field in page.context["form"].main] == ["text", "reason"]
    text = "The office is downstairs.\r\nTurn left."
    sent = filled(page) | {"text": text, "reason": "moved"}
    shown = client.post(address(one), sent | {"step": "preview"})
    client.post(address(one), filled(shown) | {"step": "apply"})
    assert current(one).text == "The office is downstairs.\nTurn left."


def test_fields_that_are_not_sent_are_not_changed():
    one = budget("1200", domain="money", importance=5)
    client = operator()
    sent = {"value": "1500", "reason": "misheard"}
    shown = client.post(address(one), sent | {"step": "preview"})
    client.post(address(one), filled(shown) | {"step": "apply"})
    assert (current(one).value, current(one).domain, current(one).importance) == (
        "1500",
        "money",
        5,
    )


def test_preview_tells_that_the_quote_no_longer_proves_it():
    said = turn(content="我的预算是1200元")
    one = budget("1200", turn_id=said.public_id)
    client = operator()
    sent = filled(client.get(address(one))) | {"value": "1500", "reason": "misheard"}
    touched = client.post(address(one), sent | {"step": "preview"}).context["touched"]
    assert ("我的预算是1200元", "") in [(c.old, c.new) for c in touched[1].changes]


def test_an_amended_text_is_shown_as_plain_text():
    one = remember(text="the office is upstairs")
    client = operator()
    sent = filled(client.get(address(one))) | {"text": "<b>up</b>", "reason": "<i>so</i>"}
    page = text_of(client.post(address(one), sent | {"step": "preview"}))
    assert "<b>up" not in page
    assert "<i>so" not in page


def test_the_form_follows_a_plan_made_elsewhere():
    one = budget("1200")
    apply(plan_amend(scope(), one, {"value": "1300"}).plan("correct", "elsewhere"))
    assert filled(operator().get(address(current(one))))["value"] == "1300"


def test_a_secret_is_refused_on_the_page_and_stored_nowhere():
    one, client = remember(text="钥匙在前台"), operator()
    sent = filled(client.get(address(one))) | {"reason": "moved", "step": "preview"}
    page = client.post(address(one), sent | {"text": "密码是 Blauwal-7731-Kiel"})
    assert "looks like a secret" in text_of(page)
    assert page.context["touched"] == ()
    assert current(one).text == "钥匙在前台"
    assert Memory.everywhere.count() == 1


def test_a_person_may_write_a_phone_number_down():
    one, client = remember(text="钥匙在前台"), operator()
    sent = previewed(client, one, text="钥匙在前台，电话 13900001234")
    client.post(address(one), sent | {"step": "apply"})
    assert current(one).text == "钥匙在前台，电话 13900001234"
