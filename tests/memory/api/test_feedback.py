"""Feedback after a recall: it doubts or corrects what was given, and never by a guess."""

import pytest

from memory.api.recalls import FeedbackKept
from memory.models import Change, Correction, Memory
from tests import factories as make
from tests.memory.api.calls import fields_named, get, holds_to, owner, post, written

pytestmark = pytest.mark.django_db


def fact(client, entity, attribute, value, **more):
    body = {"entity": entity, "attribute": attribute, "value": value, "session_id": "s1"}
    return written(client, **body | {"source": "user_said"} | more)


def asked(client, query="白鹭组 差旅上限", served=1) -> str:
    answer = post(client, "/recall", {"query": query, "user_id": "ann", "turns": 0}).data
    assert len(answer["items"]) == served
    return answer["recall_id"]


def told(client, recall, **body):
    answer = post(client, f"/recalls/{recall}/feedback", body)
    assert answer.status_code == 201, answer.data
    assert holds_to(FeedbackKept, answer.data)
    return answer.data


def confidence(memory) -> float:
    return Memory.everywhere.get(public_id=memory["id"]).confidence


@pytest.mark.parametrize("body", [
    {"verdict": "wrong"}, {"verdict": "stale"}, {"text": "不对"}, {"text": "错了"},
    {"text": "That's wrong."}, {"verdict": "wrong", "text": "I do not like this answer"},
])  # fmt: skip
def test_the_only_memory_given_is_doubted_and_the_doubt_can_be_undone(body):
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    other = fact(client, "蓝湾店", "店长", "小潘")
    answer = told(client, asked(client), **body)
    assert answer["correction_id"] is None
    assert (confidence(memory), confidence(other)) == (0.45, 0.9)
    assert get(client, f"/memories/{memory['id']}").data["status"] == "active"
    batch = get(client, f"/batches/{answer['batch_id']}").data
    assert (batch["verb"], [item["action"] for item in batch["items"]]) == ("doubt", ["doubt"])
    post(client, f"/batches/{answer['batch_id']}/undo")
    assert confidence(memory) == 0.9


def test_a_doubt_counts_once_a_recall():
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    recall = asked(client)
    told(client, recall, verdict="wrong")
    assert told(client, recall, verdict="stale")["batch_id"] is None
    assert confidence(memory) == 0.45
    told(client, asked(client), verdict="wrong")
    assert confidence(memory) == 0.225


@pytest.mark.parametrize("text", ["错了，是1800", "不对，差旅上限是1800", "No, 1800."])
def test_what_says_what_is_right_opens_a_correction(text):
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    answer = told(client, asked(client), text=text)
    assert (answer["verdict"], answer["batch_id"]) == ("wrong", None)
    opened = get(client, f"/corrections/{answer['correction_id']}").data
    assert [target["id"] for target in opened["targets"]] == [memory["id"]]
    assert opened["change"] == {"action": "replace", "value": "1800"}
    assert confidence(memory) == 0.9
    assert post(client, f"/corrections/{opened['id']}/apply").status_code == 200


def test_told_again_it_is_the_same_correction():
    client = owner()
    fact(client, "白鹭组", "差旅上限", "1500")
    recall = asked(client)
    first, second = (told(client, recall, text="错了，是1800") for _ in range(2))
    assert first["correction_id"] == second["correction_id"]


def two_given(client):
    one = fact(client, "白鹭组", "差旅上限", "1500")
    two = fact(client, "白鹭组", "差旅负责人", "小潘")
    return one, two, asked(client, "白鹭组 差旅", served=2)


@pytest.mark.parametrize("body", [{"verdict": "wrong"}, {"text": "不对"}])
def test_of_several_given_none_is_guessed(body):
    client = owner()
    one, two, recall = two_given(client)
    answer = told(client, recall, **body)
    assert answer["batch_id"] is None
    assert not Change.objects.filter(action="doubt").exists()
    opened = get(client, f"/corrections/{answer['correction_id']}").data
    assert opened["verdict"] == "ambiguous"
    assert {row["id"] for row in opened["candidates"]} == {one["id"], two["id"]}
    silent = post(client, f"/corrections/{opened['id']}/apply", {"memory_id": one["id"]})
    assert (silent.status_code, fields_named(silent)) == (422, {"value"})
    done = post(
        client, f"/corrections/{opened['id']}/apply", {"memory_id": one["id"], "value": "1800"}
    )
    assert done.data["results"][0]["previous"]["id"] == one["id"]


def test_the_one_that_is_named_is_doubted():
    client = owner()
    one, two, recall = two_given(client)
    answer = told(client, recall, verdict="wrong", memory_id=two["id"])
    assert answer["batch_id"] is not None
    assert (confidence(one), confidence(two)) == (0.9, 0.45)


def test_what_was_not_given_cannot_be_named():
    client = owner()
    fact(client, "白鹭组", "差旅上限", "1500")
    other = fact(client, "蓝湾店", "店长", "小潘")
    answer = post(client, f"/recalls/{asked(client)}/feedback",
                  {"verdict": "wrong", "memory_id": other["id"]})  # fmt: skip
    assert (answer.status_code, fields_named(answer)) == (422, {"memory_id"})
    assert get(client, "/batches").data["total"] == 2


@pytest.mark.parametrize("body", [{"verdict": "good"}, {"verdict": "missing", "text": "不对"}])
def test_what_does_not_blame_a_memory_moves_none(body):
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    answer = told(client, asked(client), **body)
    assert (answer["correction_id"], answer["batch_id"]) == (None, None)
    assert confidence(memory) == 0.9
    assert not Correction.everywhere.exists()


@pytest.mark.parametrize("body", [{}, {"text": "谢谢，很有用"}, {"text": "不" * 500}])
def test_a_text_that_blames_nothing_needs_a_verdict(body):
    client = owner()
    fact(client, "白鹭组", "差旅上限", "1500")
    answer = post(client, f"/recalls/{asked(client)}/feedback", body)
    assert (answer.status_code, fields_named(answer)) == (422, {"verdict"})


def test_a_memory_that_moved_since_is_not_doubted():
    client = owner()
    fact(client, "白鹭组", "差旅上限", "1500")
    recall = asked(client)
    newer = fact(client, "白鹭组", "差旅上限", "1800")
    answer = told(client, recall, verdict="wrong")
    assert (answer["correction_id"], answer["batch_id"]) == (None, None)
    assert confidence(newer) == 0.9


def test_where_nothing_was_given_nothing_moves():
    client = owner()
    recall = asked(client, "没有人记得的事", served=0)
    answer = told(client, recall, verdict="wrong")
    assert (answer["correction_id"], answer["batch_id"]) == (None, None)


def test_a_secret_in_it_is_masked_and_corrects_nothing():
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    answer = told(client, asked(client), verdict="wrong", text=f"不对，差旅上限是{secret}")
    assert secret not in answer["text"]
    assert answer["correction_id"] is None
    assert confidence(memory) == 0.45


def test_another_owners_recall_is_not_there():
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    recall = asked(client)
    ben = make.client_for(make.api_key(user_id="ben", name="of ben")[1])
    elsewhere = owner(of=make.workspace("w2"), name="elsewhere")
    for stranger in (ben, elsewhere):
        answer = post(stranger, f"/recalls/{recall}/feedback", {"verdict": "wrong"})
        assert (answer.status_code, answer.problem) == (404, "not_found")
    assert confidence(memory) == 0.9


def said_in_chat(client, text: str, session: str) -> dict:
    said = [{"role": "user", "content": text}]
    body = {"user_id": "ann", "session_id": session, "messages": said}
    answer = post(client, "/memories", body)
    assert answer.status_code == 201, answer.data
    return answer.data


def test_no_in_the_dialogue_after_a_recall_opens_a_correction_of_what_was_given():
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    query = {"query": "白鹭组 差旅上限", "user_id": "ann", "session_id": "s1"}
    assert len(post(client, "/recall", query).data["items"]) == 1
    (result,) = said_in_chat(client, "不对", "s1")["results"]
    assert (result["action"], result["memory"]) == ("skipped", None)
    correction = result["reason"].removeprefix("correction_open: ")
    opened = get(client, f"/corrections/{correction}").data
    assert [row["id"] for row in opened["candidates"]] == [memory["id"]]
    assert (opened["verdict"], confidence(memory)) == ("ambiguous", 0.45)


def test_and_in_another_session_it_is_only_a_turn():
    client = owner()
    memory = fact(client, "白鹭组", "差旅上限", "1500")
    post(client, "/recall", {"query": "白鹭组 差旅上限", "user_id": "ann", "session_id": "s1"})
    said_in_chat(client, "不对", "s2")
    assert confidence(memory) == 0.9
    assert not Correction.everywhere.exists()
