"""What comes along with an answer: included parts, links, ids, the way back."""

import pytest

from tests.factories import api_key, budget, client_for, remember, turn
from tests.memory.api.calls import call, get, owner, post, written

pytestmark = pytest.mark.django_db


def test_a_memory_brings_what_was_asked_for_and_no_more():
    said = turn(content="预算现在是1200元")
    budget("640")
    row = budget("1200", turn_id=said.public_id)
    client, path = owner(), f"/memories/{row.public_id}"
    assert "included" not in get(client, path).data
    more = get(client, path, include="superseded,history,evidence").data["included"]
    assert [old["value"] for old in more["superseded"]] == ["640"]
    assert more["evidence"]["content"] == "预算现在是1200元"
    assert [entry["action"] for entry in more["history"]] == ["add", "supersede", "add"]
    only = get(client, path, include="superseded").data["included"]
    assert set(only) == {"superseded"}


def test_without_evidence_or_versions_the_parts_are_empty():
    row = remember(text="Tea is to be hot")
    more = get(owner(), f"/memories/{row.public_id}", include="superseded,evidence").data
    assert more["included"] == {"superseded": [], "evidence": None}


def test_an_unknown_part_is_refused():
    row = budget("1200")
    answer = get(owner(), f"/memories/{row.public_id}", include="superseded,secrets")
    assert (answer.status_code, answer.problem) == (422, "invalid")


def test_a_former_version_of_another_user_does_not_come_along():
    row = budget("1200")
    mine = client_for(api_key(user_id="ann", name="ann")[1])
    other = client_for(api_key(user_id="bo", name="bo")[1])
    path = f"/memories/{row.public_id}?include=superseded,history"
    assert get(mine, path).status_code == 200
    assert get(other, path).status_code == 404


def test_a_list_s_answer_links_to_the_next_page_which_keeps_the_filters():
    for number in range(3):
        remember(text=f"茶要热的，第{number}种", user_id="ann")
    remember(text="coffee", user_id="bo")
    client = owner()
    first = get(client, "/memories", user_id="ann", limit=2)
    address, rel = first["Link"].split("; ")
    assert rel == 'rel="next"'
    second = client.get(address.strip("<>"))
    assert [item["user_id"] for item in second.json()["items"]] == ["ann"]
    assert "Link" not in second


def test_a_recall_says_its_id_in_a_header():
    budget("1200")
    answer = post(owner(), "/recall", {"query": "我的预算是多少", "user_id": "ann"})
    assert answer["X-Recall-Id"] == answer.data["recall_id"]


def test_every_change_says_how_to_take_it_back():
    client = owner()
    row = written(client, entity="user", attribute="预算", value="640")
    changed = call(client, "PATCH", f"/memories/{row['id']}", {"value": "1200"}).data
    assert changed["undo_url"] == f"/api/v1/batches/{changed['batch_id']}/undo"
    assert client.post(changed["undo_url"], "{}", "application/json").status_code == 200
    assert get(client, "/memories").data["items"][0]["value"] == "640"
    again = post(client, "/memories/bulk", {"items": [{
        "user_id": "ann", "entity": "库存", "attribute": "余量", "value": "38"}]}).data  # fmt: skip
    assert again["undo_url"].endswith(f"{again['batch_id']}/undo")


def test_if_match_of_another_state_is_412_and_changes_nothing():
    client, row = owner(), budget("640")
    path = f"/memories/{row.public_id}"
    tag = get(client, path)["ETag"]
    assert call(client, "PATCH", path, {"value": "700"}, if_match=tag).status_code == 200
    late = call(client, "PATCH", path, {"value": "800"}, if_match=tag)
    assert (late.status_code, late.problem) == (412, "precondition_failed")
    assert [item["value"] for item in get(client, "/memories").data["items"]] == ["700"]
