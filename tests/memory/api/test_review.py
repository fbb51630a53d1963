"""Approve and reject over HTTP."""

import pytest

from memory.models import Batch, Memory, Status
from tests import factories as make
from tests.memory.api.calls import get, owner, post, written

pytestmark = pytest.mark.django_db


def candidate(value: str = "780", **fields) -> Memory:
    return make.budget(value, **{"confidence": 0.2} | fields)


def row(memory: Memory) -> Memory:
    return Memory.objects.within(make.scope()).get(pk=memory.pk)


def test_an_approved_memory_is_recalled_and_the_value_before_it_is_history():
    current, waiting = make.budget("640"), candidate()
    client = owner()
    answer = post(client, f"/memories/{waiting.public_id}/approve", {"reason": "asked her"})
    assert answer.status_code == 200
    result = answer.data["results"][0]
    assert (result["action"], result["memory"]["status"]) == ("approved", "active")
    assert result["previous"]["id"] == str(current.public_id)
    assert result["previous"]["status"] == "superseded"
    asked = post(client, "/recall", {"query": "预算是多少", "user_id": "ann"})
    assert [item["memory"]["value"] for item in asked.data["items"]] == ["780"]
    batch = Batch.objects.within(make.scope()).get(public_id=answer.data["batch_id"])
    assert (batch.verb, batch.reason, batch.actor) == ("approve", "asked her", "key:bot")


def test_a_rejected_memory_stays_in_the_history_and_reaches_nobody():
    waiting = candidate()
    client = owner()
    answer = post(client, f"/memories/{waiting.public_id}/reject", {"reason": "a joke"})
    result = answer.data["results"][0]
    assert (result["action"], result["memory"]["status"]) == ("rejected", "rejected")
    assert post(client, "/recall", {"query": "预算", "user_id": "ann"}).data["items"] == []
    history = get(client, f"/memories/{waiting.public_id}/history").data["items"]
    assert [entry["action"] for entry in history] == ["hold", "reject"]


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_both_can_be_undone(verb):
    waiting = candidate()
    held = row(waiting).held_for
    client = owner()
    answer = post(client, f"/memories/{waiting.public_id}/{verb}", {"reason": "a slip"})
    assert row(waiting).held_for == []
    assert post(client, f"/batches/{answer.data['batch_id']}/undo").status_code == 200
    assert (row(waiting).status, row(waiting).held_for) == ("candidate", held)
    assert held


@pytest.mark.parametrize("verb", ["approve", "reject"])
@pytest.mark.parametrize(
    "body",
    [{}, {"reason": ""}, {"reason": "  "}, {"reason": "ok", "reviewer": "root"},
     {"reason": "x" * 2001}, {"reason": "a\u0000b"}],
)  # fmt: skip
def test_a_reason_is_needed_and_nobody_says_who_he_is(verb, body):
    waiting = candidate()
    answer = post(owner(), f"/memories/{waiting.public_id}/{verb}", body)
    assert (answer.status_code, answer.problem) == (422, "invalid")
    assert row(waiting).status == Status.CANDIDATE


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_what_does_not_wait_is_a_conflict(verb):
    client = owner()
    active = written(client, text="Ann prefers aisle seats")
    answer = post(client, f"/memories/{active['id']}/{verb}", {"reason": "why not"})
    assert (answer.status_code, answer.problem) == (409, "conflict")


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_another_workspace_and_another_user_meet_what_was_never_there(verb):
    waiting = candidate()
    path = f"/memories/{waiting.public_id}/{verb}"
    never = post(owner(), f"/memories/{'0' * 8}-0000-7000-8000-{'0' * 12}/{verb}", {"reason": "x"})
    for stranger in (owner(of=make.workspace("w2")), owner(user_id="ben", name="bens")):
        answer = post(stranger, path, {"reason": "x"})
        assert (answer.status_code, answer.content) == (404, never.content)
    assert row(waiting).status == Status.CANDIDATE


def test_of_two_that_compete_only_the_last_approved_is_current():
    first, second = candidate("780"), candidate("910")
    client = owner()
    for waiting in (first, second):
        post(client, f"/memories/{waiting.public_id}/approve", {"reason": "checked"})
    active = Memory.objects.within(make.scope()).filter(status=Status.ACTIVE)
    assert [memory.value for memory in active] == ["910"]
    assert row(first).superseded_by_id == second.public_id


def test_approving_what_is_current_anyway_confirms_that():
    client = owner()
    current = make.budget("780")
    post(client, f"/memories/{current.public_id}/retract", {"reason": "unsure"})
    waiting = candidate("780")
    post(client, f"/memories/{current.public_id}/restore", {"reason": "sure"})
    answer = post(client, f"/memories/{waiting.public_id}/approve", {"reason": "checked"})
    result = answer.data["results"][0]
    assert (result["action"], result["reason"]) == ("confirmed", "exact_repeat")
    assert result["memory"]["id"] == str(current.public_id)
    assert row(current).confirmations == 1
    assert (row(waiting).status, row(waiting).superseded_by_id) == (
        Status.REJECTED,
        current.public_id,
    )
