"""POST /memories in its three forms."""

import pytest

from memory.models import Batch, Memory, Status, Turn
from tests.factories import scope, turn
from tests.memory.api.calls import fields_named, owner, post

pytestmark = pytest.mark.django_db


def one(answer) -> dict:
    assert answer.status_code == 201, answer.data
    assert len(answer.data["results"]) == 1
    return answer.data["results"][0]


def test_a_structured_memory_keeps_what_it_was_given():
    said = {
        "user_id": "ann",
        "agent_id": "planner",
        "session_id": "s7",
        "entity": "秋季展台",
        "attribute": "面积",
        "value": "36 平方米",
        "text": "秋季展台定了 36 平方米。两面敞开。",
        "kind": "fact",
        "domain": "展会",
        "tags": ["展台", "合同"],
        "links": ["主办方"],
        "source": "user_said",
        "importance": 5,
        "confidence": 0.75,
        "occurred_at": "2026-03-01T09:00:00+08:00",
        "metadata": {"合同": {"号": 7}},
        "external_id": "crm-19",
        "reason": "签了合同",
    }
    answer = post(owner(), "/memories", said)
    result = one(answer)
    memory = result["memory"]
    same = set(said) - {"occurred_at", "reason"}
    assert {name: memory[name] for name in same} == {name: said[name] for name in same}
    assert result["action"] == "added"
    assert result["previous"] is None
    assert memory["occurred_at"] == "2026-03-01T01:00:00+00:00"
    assert memory["summary"] == "秋季展台定了 36 平方米。"
    assert (memory["workspace"], memory["status"], memory["version"]) == ("w1", "active", 1)
    batch = Batch.objects.within(scope()).get(public_id=answer.data["batch_id"])
    assert (batch.reason, batch.actor, batch.surface) == ("签了合同", "key:bot", "api")


def test_a_number_is_taken_as_a_value():
    body = {"user_id": "ann", "entity": "B 型号", "attribute": "库存", "value": 38}
    assert one(post(owner(), "/memories", body))["memory"]["value"] == "38"


def test_a_text_without_a_statement_is_kept_whole():
    memory = one(post(owner(), "/memories", {"user_id": "ann", "text": "Ann prefers trains"}))[
        "memory"
    ]
    assert (memory["text"], memory["entity"], memory["value"]) == ("Ann prefers trains", "", "")


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        ("我的差旅额度是800", "我的差旅额度是1200", ("800", "1200")),
        ("My travel allowance is 800", "My travel allowance is 1200", ("800", "1200")),
    ],
)
def test_a_changed_value_supersedes(first, second, values):
    client = owner()
    post(client, "/memories", {"user_id": "ann", "text": first})
    result = one(post(client, "/memories", {"user_id": "ann", "text": second, "reason": "上调"}))
    assert result["action"] == "superseded"
    assert (result["previous"]["value"], result["memory"]["value"]) == values
    assert result["previous"]["status"] == "superseded"
    assert result["previous"]["superseded_by"] == result["memory"]["id"]
    assert result["memory"]["supersedes"] == result["previous"]["id"]
    assert result["memory"]["version"] == 2


def test_infer_off_reads_no_statement():
    body = {"user_id": "ann", "text": "我的差旅额度是800", "infer": False}
    assert one(post(owner(), "/memories", body))["memory"]["value"] == ""


def test_an_exact_repeat_confirms():
    client = owner()
    body = {"user_id": "ann", "text": "我的差旅额度是800"}
    post(client, "/memories", body)
    result = one(post(client, "/memories", body))
    assert (result["action"], result["reason"]) == ("confirmed", "exact_repeat")
    assert result["memory"]["confirmations"] == 1
    assert Memory.objects.within(scope()).count() == 1


def test_an_older_observation_goes_to_history():
    client = owner()
    budget = {"user_id": "ann", "entity": "展会", "attribute": "预算"}
    new = {"value": "1200", "occurred_at": "2026-03-05T09:00:00Z"}
    old = {"value": "800", "occurred_at": "2026-03-01T09:00:00Z"}
    post(client, "/memories", budget | new)
    result = one(post(client, "/memories", budget | old))
    assert (result["action"], result["reason"]) == ("superseded", "older_observation")
    assert (result["previous"], result["memory"]["status"]) == (None, "superseded")


def test_a_dialogue_becomes_turns_and_its_statements_memories():
    body = {
        "user_id": "ann",
        "session_id": "s9",
        "messages": [
            {"role": "user", "content": "我的差旅额度是800"},
            {"role": "assistant", "content": "Your travel allowance is 900"},
            {"role": "user", "content": "谢谢"},
            {"role": "user", "content": "My desk is D-14"},
        ],
    }
    answer = post(owner(), "/memories", body)
    results = answer.data["results"]
    assert [r["action"] for r in results] == ["added", "skipped", "skipped", "added"]
    assert (results[1]["memory"], results[1]["reason"]) == (None, "not_the_user")
    turns = list(Turn.objects.within(scope()).order_by("id"))
    assert [t.content for t in turns] == [m["content"] for m in body["messages"]]
    evidence = results[0]["memory"]["evidence"]
    assert evidence == {
        "turn_id": str(turns[0].public_id),
        "start": 0,
        "end": len("我的差旅额度是800"),
        "quote": "我的差旅额度是800",
    }
    assert results[0]["memory"]["source"] == "user_said"
    assert results[3]["memory"]["session_id"] == "s9"
    assert Memory.objects.within(scope()).count() == 2


def test_a_dialogue_that_says_nothing_leaves_only_turns():
    body = {"user_id": "ann", "messages": [{"role": "user", "content": "好的"}]}
    answer = post(owner(), "/memories", body)
    assert answer.status_code == 201
    assert answer.data["batch_id"] is None
    assert Turn.objects.within(scope()).count() == 1


def test_a_dialogue_is_kept_as_it_stands_without_infer():
    body = {
        "user_id": "ann",
        "infer": False,
        "messages": [
            {"role": "user", "content": "我想坐火车去"},
            {"role": "assistant", "content": "好的"},
        ],
    }
    results = post(owner(), "/memories", body).data["results"]
    assert [r["action"] for r in results] == ["added", "skipped"]
    assert results[0]["memory"]["text"] == "我想坐火车去"


def test_a_dialogue_with_a_bad_message_leaves_nothing():
    messages = [{"role": "user", "content": "我的差旅额度是800"}, {"role": "user", "content": " "}]
    answer = post(owner(), "/memories", {"user_id": "ann", "messages": messages})
    assert (answer.status_code, fields_named(answer)) == (422, {"content"})
    assert Turn.objects.within(scope()).count() == 0
    assert Memory.objects.within(scope()).count() == 0


def test_evidence_names_the_span_in_its_turn():
    said = turn(content="开会说了：额度改成 1200。")
    body = {
        "user_id": "ann",
        "entity": "user",
        "attribute": "额度",
        "value": "1200",
        "evidence": {"turn_id": str(said.public_id), "quote": "额度改成 1200"},
    }
    evidence = one(post(owner(), "/memories", body))["memory"]["evidence"]
    assert (evidence["start"], evidence["end"]) == (5, 14)
    wrong = body | {"evidence": {"turn_id": str(said.public_id), "quote": "额度改成 1300"}}
    assert fields_named(post(owner(), "/memories", wrong)) == {"evidence.quote"}


def test_ttl_counts_from_when_it_happened():
    body = {"user_id": "ann", "text": "验证码 4471", "ttl_seconds": 600}
    body["occurred_at"] = "2026-03-01T09:00:00Z"
    memory = one(post(owner(), "/memories", body))["memory"]
    assert memory["expires_at"] == "2026-03-01T09:10:00+00:00"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"text": "   "}, "text"),
        ({"text": None}, "text"),
        ({"text": 5}, "text"),
        ({"value": "7"}, "value"),
        ({"text": "好", "importance": 6}, "importance"),
        ({"text": "好", "importance": True}, "importance"),
        ({"text": "好", "confidence": 1.01}, "confidence"),
        ({"text": "好", "confidence": "0.9"}, "confidence"),
        ({"text": "好", "confidence": True}, "confidence"),
        ({"text": "好", "kind": "mood"}, "kind"),
        ({"text": "好", "source": "rumour"}, "source"),
        ({"text": "好", "occurred_at": "2026-03-01T09:00:00"}, "occurred_at"),
        ({"text": "好", "occurred_at": "2026-03-01"}, "occurred_at"),
        ({"text": "好", "occurred_at": 1772000000}, "occurred_at"),
        ({"text": "好", "occurred_at": "0001-01-01T00:00:00+14:00"}, "occurred_at"),
        ({"text": "好", "expires_at": "9999-12-31T23:59:59-12:00"}, "expires_at"),
        ({"text": "好", "ttl_seconds": 0}, "ttl_seconds"),
        ({"text": "好", "tags": "展台"}, "tags"),
        ({"text": "好", "metadata": {"x": "y" * 40_000}}, "metadata"),
        ({"text": "好", "unknown_field": 1}, "unknown_field"),
        ({"text": "好", "user_id": ""}, "user_id"),
        ({"text": "好", "user_id": "*"}, "user_id"),
        ({"text": "好", "user_id": ["ann", "bob"]}, "user_id"),
        ({"text": "好", "evidence": {"turn_id": "x"}}, "evidence.turn_id"),
        ({"text": "好", "messages": []}, "messages"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role"),
        ({"text": "好", "messages": [{"role": "user", "content": "x"}]}, ""),
        ({"text": "好", "ttl_seconds": 5, "expires_at": "2027-01-01T00:00:00Z"}, ""),
        ({"text": "x" * 20_001}, "text"),
        ({"text": "好", "infer": "no"}, "infer"),
    ],
)
def test_a_wrong_field_is_named(wrong, field):
    answer = post(owner(), "/memories", {"user_id": "ann"} | wrong)
    assert (answer.status_code, answer.problem) == (422, "invalid")
    assert fields_named(answer) == {field}
    assert Memory.objects.within(scope()).count() == 0


def test_two_active_values_of_one_key_never_stand_side_by_side():
    client = owner()
    for value in ("一", "二", "三"):
        post(
            client, "/memories", {"user_id": "ann", "entity": "e", "attribute": "a", "value": value}
        )
    rows = Memory.objects.within(scope()).filter(status=Status.ACTIVE)
    assert [row.value for row in rows] == ["三"]
