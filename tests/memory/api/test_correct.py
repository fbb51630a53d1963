"""PATCH, confirm, retract, restore, history: correcting one memory."""

import pytest

from memory.api.changed import Changed
from memory.api.history import ChangeForm
from memory.api.paging import Page
from memory.models import Batch, Memory, Status
from tests.factories import budget, remember, scope
from tests.memory.api.calls import call, fields_named, get, holds_to, owner, post

pytestmark = pytest.mark.django_db


def patch(client, memory_id, body, **headers):
    return call(client, "PATCH", f"/memories/{memory_id}", body, **headers)


def test_a_new_value_supersedes_and_restates_the_text():
    kept = budget("800")
    answer = patch(owner(), kept.public_id, {"value": "1500", "reason": "老板批了"})
    assert answer.status_code == 200
    assert holds_to(Changed, answer.data)
    result = answer.data["results"][0]
    assert (result["action"], result["memory"]["text"]) == ("superseded", "我的预算是1500元")
    assert result["previous"]["id"] == str(kept.public_id)
    assert result["previous"]["status"] == "superseded"
    assert answer["ETag"] == '"1"'
    batch = Batch.objects.within(scope()).get(public_id=answer.data["batch_id"])
    assert (batch.verb, batch.reason) == ("correct", "老板批了")


def test_any_field_can_be_corrected_and_null_clears():
    kept = remember(text="Ann sits by the window", confidence=0.9, importance=2)
    body = {"importance": 5, "confidence": None, "tags": ["desk"], "domain": "office"}
    new = patch(owner(), kept.public_id, body).data["results"][0]["memory"]
    assert {name: new[name] for name in body} == body
    assert new["text"] == "Ann sits by the window"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ""),
        ({"reason": "只有理由"}, ""),
        ({"status": "retracted"}, "status"),
        ({"layer": "episodic"}, "layer"),
        ({"value": " "}, "value"),
        ({"value": None}, "value"),
        ({"text": ""}, "text"),
        ({"importance": None}, "importance"),
        ({"confidence": 2}, "confidence"),
        ({"user_id": ""}, "user_id"),
        ({"expires_at": None, "ttl_seconds": 5}, ""),
    ],
)
def test_a_wrong_correction_changes_nothing(body, field):
    kept = budget("800")
    answer = patch(owner(), kept.public_id, body)
    assert (answer.status_code, fields_named(answer)) == (422, {field})
    assert Memory.objects.within(scope()).get().revision == 1


@pytest.mark.parametrize("match", ['"1"', "*", '"7", "1"'])
def test_if_match_lets_through_what_was_seen(match):
    kept = budget("800")
    assert patch(owner(), kept.public_id, {"value": "9"}, if_match=match).status_code == 200


@pytest.mark.parametrize("match", ['"2"', "1", 'W/"1"', '""'])
def test_if_match_stops_what_was_not_seen(match):
    kept = budget("800")
    answer = patch(owner(), kept.public_id, {"value": "9"}, if_match=match)
    assert (answer.status_code, answer.problem) == (412, "precondition_failed")
    assert Memory.objects.within(scope()).get().value == "800"


@pytest.mark.parametrize(("headers", "status", "code"), [
    ({}, 409, "stale"), ({"if_match": '"1"'}, 412, "precondition_failed"),
])  # fmt: skip
def test_a_row_that_moves_meanwhile_stops_the_correction(monkeypatch, headers, status, code):
    from memory.api import memories

    kept = budget("800")
    client = owner()
    draw_up = memories.plan_amend

    def slowly(*args):
        planner = draw_up(*args)
        budget("800", session_id="s2")
        return planner

    monkeypatch.setattr(memories, "plan_amend", slowly)
    answer = patch(client, kept.public_id, {"value": "9"}, **headers)
    assert (answer.status_code, answer.problem) == (status, code)
    assert Memory.objects.within(scope()).get().value == "800"


def test_history_is_not_corrected():
    old = budget("800")
    budget("1200")
    answer = patch(owner(), old.public_id, {"value": "9"})
    assert (answer.status_code, answer.problem) == (409, "conflict")


def test_a_correction_does_not_take_anothers_place():
    one = remember(entity="甲项目", attribute="交付", value="周三", kind="fact")
    remember(entity="乙项目", attribute="交付", value="周五", kind="fact")
    answer = patch(owner(), one.public_id, {"entity": "乙项目"})
    assert (answer.status_code, answer.problem) == (409, "conflict")


def test_confirm_raises_confidence_and_makes_no_version():
    kept = remember(text="Ann sits by the window", confidence=0.5)
    answer = post(owner(), f"/memories/{kept.public_id}/confirm", {"reason": "asked her"})
    result = answer.data["results"][0]
    assert holds_to(Changed, answer.data)
    assert (result["action"], result["memory"]["version"]) == ("confirmed", 1)
    assert result["memory"]["confidence"] == 0.65


def test_retract_then_restore_in_place():
    kept = budget("800")
    client = owner()
    path = f"/memories/{kept.public_id}"
    gone = post(client, f"{path}/retract", {"reason": "说错了"}).data["results"][0]
    assert (gone["action"], gone["memory"]["status"]) == ("retracted", "retracted")
    assert get(client, "/memories").data["total"] == 0
    assert get(client, path).data["status"] == "retracted"
    back = post(client, f"{path}/restore").data["results"][0]
    assert (back["action"], back["memory"]["id"]) == ("restored", str(kept.public_id))
    assert (back["memory"]["status"], back["previous"]) == ("active", None)


def test_restoring_an_old_value_supersedes_the_new():
    old = budget("800")
    new = budget("1200")
    back = post(owner(), f"/memories/{old.public_id}/restore").data["results"][0]
    assert (back["memory"]["value"], back["memory"]["version"]) == ("800", 3)
    assert back["previous"]["id"] == str(new.public_id)
    active = Memory.objects.within(scope()).filter(status=Status.ACTIVE)
    assert [row.value for row in active] == ["800"]


@pytest.mark.parametrize(("verb", "state"), [("confirm", "retracted"), ("restore", "active")])
def test_a_verb_that_the_state_does_not_allow(verb, state):
    kept = budget("800")
    client = owner()
    if state == "retracted":
        post(client, f"/memories/{kept.public_id}/retract")
    answer = post(client, f"/memories/{kept.public_id}/{verb}")
    assert (answer.status_code, answer.problem) == (409, "conflict")


def test_a_move_that_the_table_forbids(monkeypatch):
    kept = budget("800")
    Memory.everywhere.filter(pk=kept.pk).update(status=Status.REJECTED)
    answer = post(owner(), f"/memories/{kept.public_id}/retract")
    assert (answer.status_code, answer.problem) == (409, "forbidden_move")


def test_verbs_take_no_body_and_no_other_field():
    kept = budget("800")
    client = owner()
    assert call(client, "POST", f"/memories/{kept.public_id}/confirm").status_code == 200
    answer = post(client, f"/memories/{kept.public_id}/confirm", {"why": "x"})
    assert fields_named(answer) == {"why"}
    long = post(client, f"/memories/{kept.public_id}/confirm", {"reason": "长" * 2001})
    assert fields_named(long) == {"reason"}


def test_history_tells_every_change_in_order():
    budget("800")
    client = owner()
    new = budget("1200", reason="上调预算")
    post(client, f"/memories/{new.public_id}/confirm", {"reason": "核对过"})
    data = get(client, f"/memories/{new.public_id}/history").data
    assert holds_to(Page[ChangeForm], data)
    told = [
        (e["action"], (e["before"] or {}).get("status"), e["after"]["status"], e["after"]["value"])
        for e in data["items"]
    ]
    assert told == [
        ("add", None, "active", "800"),
        ("supersede", "active", "superseded", "800"),
        ("add", None, "active", "1200"),
        ("confirm", "active", "active", "1200"),
    ]
    assert [e["version"] for e in data["items"]] == [1, 1, 2, 2]
    assert [e["reason"] for e in data["items"]] == ["", "上调预算", "上调预算", "核对过"]
    assert {e["actor"] for e in data["items"]} == {"person:ann", "key:bot"}
    assert data["items"][1]["batch_id"] == data["items"][2]["batch_id"]


def test_history_comes_by_pages():
    kept = budget("800")
    client = owner()
    for _ in range(4):
        post(client, f"/memories/{kept.public_id}/confirm")
    path, seen, cursor = f"/memories/{kept.public_id}/history", [], None
    for _ in range(3):
        data = get(client, path, limit=2, cursor=cursor).data
        seen += [entry["after"]["confirmations"] for entry in data["items"]]
        cursor = data["next"]
    assert (seen, cursor, data["total"]) == ([0, 1, 2, 3, 4], None, 5)


@pytest.mark.parametrize("verb", ["confirm", "retract"])
def test_every_verb_refuses_what_was_not_seen(verb):
    client, kept = owner(), budget("800")
    late = post(client, f"/memories/{kept.public_id}/{verb}", {}, if_match='"99"')
    assert (late.status_code, late.problem) == (412, "precondition_failed")
    seen = get(client, f"/memories/{kept.public_id}")["ETag"]
    done = post(client, f"/memories/{kept.public_id}/{verb}", {}, if_match=seen)
    assert done.status_code == 200
    assert done["ETag"] == get(client, f"/memories/{kept.public_id}")["ETag"] != seen


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_a_decision_is_about_what_was_seen(verb):
    client = owner()
    waiting = remember(text="也许喜欢爬山", confidence=0.2, source="inferred")
    path, why = f"/memories/{waiting.public_id}/{verb}", {"reason": "asked"}
    assert post(client, path, why, if_match='"99"').status_code == 412
    assert post(client, path, why, if_match=f'"{waiting.revision}"').status_code == 200


def test_a_memory_is_restored_as_it_was_seen():
    client, kept = owner(), budget("800")
    gone = post(client, f"/memories/{kept.public_id}/retract", {})
    path = f"/memories/{kept.public_id}/restore"
    assert post(client, path, {}, if_match='"99"').status_code == 412
    assert post(client, path, {}, if_match=gone["ETag"]).status_code == 200
