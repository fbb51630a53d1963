"""Diagnosis over HTTP."""

from uuid import uuid4

import pytest

from memory.models import Recall
from tests import factories as make
from tests.audit.diagnose.cases import answered
from tests.memory.api.calls import call, owner

pytestmark = pytest.mark.django_db


def ask(client, **body):
    return call(client, "POST", "/diagnose", body)


def test_a_question_gets_the_chain_with_its_cause():
    memory = make.budget("4500")
    answer = ask(
        owner(), symptom="unused", query="我的预算是多少？", user_id="ann",
        memory_id=str(memory.public_id), answer="我不清楚。",
    )  # fmt: skip
    assert answer.status_code == 200
    told = answer.json()
    assert told["cause"] == "model"
    assert told["sentence"].startswith("Model: ")
    assert [step["link"] for step in told["steps"]] == [
        "retrieval", "rank", "freshness", "context", "model",
    ]  # fmt: skip
    assert {step["verdict"] for step in told["steps"]} == {"fine", "cause"}
    assert told["memory_id"] == str(memory.public_id)
    cause = told["steps"][-1]
    assert {fix["kind"] for fix in cause["fixes"]} == {"question", "correct"}
    assert all(fix["url"] for fix in cause["fixes"])


def test_a_record_brings_its_question_and_its_answer():
    make.budget("4500")
    record = answered("我的预算是多少？", "您的预算是4500元。")
    told = ask(owner(), symptom="stale_answer", recall_id=str(record.public_id)).json()
    assert told["recall_id"] == str(record.public_id)
    assert told["query"] == record.query
    assert told["cause"] is None
    assert "No cause" in told["sentence"]


def test_advice_comes_as_why_not_gives_it():
    memory = make.remember(text="缆绳存放在三号仓")
    told = ask(
        owner(), symptom="irrelevant", query="灯塔几点亮", user_id="ann",
        memory_id=str(memory.public_id),
    ).json()  # fmt: skip
    (fix,) = told["steps"][0]["fixes"]
    assert fix["advice"]["kind"] == fix["kind"] == "ask_with_term"


def test_nothing_is_recorded():
    make.budget("4500")
    ask(owner(), symptom="guess", query="我的预算是多少？", user_id="ann")
    assert not Recall.everywhere.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"user_id": "ann"}, "query"),
        ({"query": "好"}, "user_id"),
        ({"query": "  ", "user_id": "ann"}, "query"),
        ({"query": "好", "user_id": "ann", "symptom": "tired"}, "body.symptom"),
        ({"query": "好", "user_id": "ann", "more": 1}, "body.more"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_its_field(body, field):
    answer = ask(owner(), **{"symptom": "unused"} | body)
    assert answer.status_code == 422
    assert field.rpartition(".")[2] in answer.content.decode()


def test_a_record_has_its_own_question():
    record = answered("我的预算是多少？")
    answer = ask(owner(), symptom="unused", query="好", recall_id=str(record.public_id))
    assert answer.status_code == 422


def test_a_bound_key_sees_only_its_users_records_and_memories():
    other = make.budget("4500", user_id="bo")
    record = make.ask("我的预算是多少？", make.scope(user_id="bo")).record
    bound = make.client_for(make.api_key(user_id="ann")[1])
    missing = ask(bound, symptom="unused", recall_id=str(uuid4()))
    foreign = ask(bound, symptom="unused", recall_id=str(record.public_id))
    assert (missing.status_code, foreign.status_code) == (404, 404)
    assert missing.content == foreign.content
    told = ask(bound, symptom="unused", query="好", memory_id=str(other.public_id))
    assert told.status_code == 404
    assert ask(bound, symptom="unused", query="好", user_id="bo").status_code == 403


def test_another_workspaces_record_is_as_missing_as_none():
    make.remember(make.scope(make.workspace("w2")), text="别家的灯塔")
    record = make.ask("灯塔", make.scope(make.workspace("w2"), user_id="ann")).record
    answer = ask(owner(), symptom="unused", recall_id=str(record.public_id))
    assert answer.status_code == 404
    assert "别家" not in answer.content.decode()
