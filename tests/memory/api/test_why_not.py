"""POST /recall/why-not."""

from uuid import UUID

import pytest

from memory.api.recall import WhyNotAnswer
from memory.models import Recall
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.factories import api_key, client_for, remember, scope, workspace
from tests.memory.api.calls import fields_named, holds_to, owner, post

pytestmark = pytest.mark.django_db
MISSING = UUID(int=9)


def why_not(client, query: str, memory_id, **more):
    body = {"query": query, "memory_id": str(memory_id)}
    return post(client, "/recall/why-not", body | more)


def test_what_is_recalled():
    row = remember(text="灯塔在北岸")
    data = why_not(owner(), "灯塔", row.public_id, user_id="ann").data
    assert holds_to(WhyNotAnswer, data)
    assert (data["found"], data["rank"], data["gate"], data["advice"]) == (True, 1, "", [])
    assert [match["term"] for match in data["shared"]] == ["灯塔"]


@pytest.mark.parametrize(
    ("text", "query", "held"),
    [
        ("灯塔在北岸", "渡船几点开", "灯塔"),
        ("the lighthouse is north", "when does the ferry leave", "lighthous"),
    ],
)
def test_tokens_of_both_sides_and_an_advice_that_works(text, query, held):
    client = owner()
    row = remember(text=text)
    answer = why_not(client, query, row.public_id, user_id="ann")
    assert answer.status_code == 200
    assert holds_to(WhyNotAnswer, answer.data)
    assert (answer.data["gate"], answer.data["shared"]) == ("words", [])
    assert held in answer.data["memory_terms"]["words"]
    (advice,) = answer.data["advice"]
    assert advice["kind"] == "ask_with_term"
    again = post(client, "/recall", {"query": advice["query"], "user_id": "ann"}).data
    assert [item["memory"]["id"] for item in again["items"]] == [str(row.public_id)]


def test_it_takes_the_filters_of_a_recall():
    row = remember(text="灯塔在北岸", kind="fact")
    data = why_not(owner(), "灯塔", row.public_id, user_id="ann", kinds=["rule"]).data
    assert data["gate"] == "kind"
    assert [advice["kind"] for advice in data["advice"]] == ["drop_filter:kinds"]


def test_it_changes_and_records_nothing():
    row = remember(text="灯塔在北岸")
    apply(plan_retract(scope(), [row]).plan("retract", ""))
    data = why_not(owner(), "灯塔", row.public_id, user_id="ann").data
    assert (data["gate"], data["advice"][0]["kind"]) == ("state", "restore")
    assert Recall.everywhere.count() == 0
    row.refresh_from_db()
    assert row.status == "retracted"


def test_another_users_memory_is_named_only_to_who_may_read_it():
    row = remember(text="灯塔在北岸", user_id="ben")
    unbound = why_not(owner(), "灯塔", row.public_id, user_id="ann")
    assert unbound.data["gate"] == "user"
    bound = client_for(api_key(user_id="ann", name="bound")[1])
    foreign, missing = why_not(bound, "灯塔", row.public_id), why_not(bound, "灯塔", MISSING)
    assert (foreign.status_code, foreign.content) == (404, missing.content)
    assert why_not(bound, "灯塔", row.public_id, user_id="ben").problem == "outside_scope"


def test_another_workspaces_memory_is_missing():
    row = remember(text="灯塔在北岸")
    stranger = client_for(api_key(workspace("w2"), name="stranger")[1])
    assert why_not(stranger, "灯塔", row.public_id, user_id="ann").problem == "not_found"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"query": " "}, "query"),
        ({"memory_id": "x"}, "memory_id"),
        ({"memory_id": None}, "memory_id"),
        ({"user_id": None}, "user_id"),
        ({"limit": 0}, "limit"),
        ({"why": 1}, "why"),
    ],
)
def test_a_wrong_question_is_named(wrong, field):
    row = remember(text="灯塔在北岸")
    body = {"query": "灯塔", "user_id": "ann", "memory_id": str(row.public_id)} | wrong
    answer = post(owner(), "/recall/why-not", body)
    assert (answer.status_code, fields_named(answer)) == (422, {field})


def test_reading_is_enough_and_needed():
    row = remember(text="灯塔在北岸")
    reader = client_for(api_key(scopes=["read"], name="reader")[1])
    assert why_not(reader, "灯塔", row.public_id, user_id="ann").status_code == 200
    writer = client_for(api_key(scopes=["write"], name="writer")[1])
    assert why_not(writer, "灯塔", row.public_id, user_id="ann").problem == "missing_scope"
