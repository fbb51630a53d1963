"""A request that is sent again."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import ApiKey, Batch, GivenAnswer, Memory
from memory.write import answers
from memory.write.erase.road import erase
from memory.write.queue import QueueTimeout
from tests.factories import api_key, client_for, scope, workspace
from tests.memory.api.calls import get, owner, post

pytestmark = pytest.mark.django_db
FACT = {"user_id": "ann", "entity": "user", "attribute": "预算", "value": "1200", "reason": "said"}


def again(client, body=FACT, name="a-1", path="/memories"):
    return post(client, path, body, idempotency_key=name)


def test_the_same_request_gets_the_same_answer_and_is_done_once():
    client = owner()
    first, second = again(client), again(client)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert "Idempotent-Replayed" not in first
    assert second["Idempotent-Replayed"] == "true"
    assert second["Content-Type"] == "application/json"
    assert Batch.everywhere.count() == 1


def test_another_name_or_none_is_another_request():
    client = owner()
    again(client)
    assert again(client, name="a-2").data["results"][0]["action"] == "confirmed"
    assert post(client, "/memories", FACT).data["results"][0]["action"] == "confirmed"


@pytest.mark.parametrize(
    ("body", "path"), [(FACT | {"value": "1300"}, "/memories"), (FACT, "/memories/bulk")]
)
def test_another_request_under_the_same_name_is_refused(body, path):
    client = owner()
    again(client)
    answer = again(client, body, path=path)
    assert (answer.status_code, answer.problem) == (422, "idempotency_mismatch")
    assert Memory.everywhere.count() == 1


def test_while_the_first_is_still_at_it_the_second_waits():
    client = owner()
    again(client)
    GivenAnswer.objects.update(status=None)
    answer = again(client)
    assert (answer.status_code, answer.problem) == (409, "still_running")
    assert int(answer["Retry-After"]) >= 1
    # A process that was killed does not answer any more.
    with clock.at(clock.now() + timedelta(seconds=61)):
        assert again(client).status_code == 201


def test_a_refusal_is_not_kept_so_that_it_can_be_put_right():
    client = owner()
    assert again(client, FACT | {"value": ""}).status_code == 422
    assert again(client).status_code == 201
    assert again(client)["Idempotent-Replayed"] == "true"


def test_names_belong_to_their_key():
    one, other = owner(), client_for(api_key(name="other")[1])
    again(one)
    answer = again(other)
    assert "Idempotent-Replayed" not in answer
    assert answer.data["results"][0]["action"] == "confirmed"


def test_a_dead_key_gets_no_kept_answer():
    client = owner()
    again(client)
    ApiKey.objects.update(revoked_at=clock.now())
    assert again(client).status_code == 401


def test_repeating_costs_a_request_of_the_rate(settings):
    settings.RATE_PER_MINUTE = 2
    client = owner()
    with clock.at(clock.now()):
        statuses = [again(client).status_code for _ in range(3)]
    assert statuses == [201, 201, 429]


@pytest.mark.parametrize("name", ["", " ", "n" * 256, "schlüssel", "a\tb"])
def test_a_name_that_is_none_is_refused(name):
    answer = again(owner(), name=name.encode().decode("latin-1"))
    assert (answer.status_code, answer.problem) == (422, "invalid")
    assert not Memory.everywhere.exists()


def test_other_verbs_take_no_notice():
    client = owner()
    assert get(client, "/memories").status_code == 200
    client.get("/api/v1/memories", headers={"idempotency-key": "a-1"})
    assert not GivenAnswer.objects.exists()


def test_recalls_can_be_repeated_with_their_id():
    client = owner()
    again(client)
    body = {"query": "我的预算是多少", "user_id": "ann"}
    first, second = (again(client, body, "r-1", "/recall") for _ in range(2))
    assert first.data["recall_id"] == second.data["recall_id"] == second["X-Recall-Id"]


def test_after_a_day_the_name_is_free_and_the_answer_gone():
    client = owner()
    again(client)
    with clock.at(clock.now() + timedelta(hours=23)):
        assert answers.forget_old() == 0
    with clock.at(clock.now() + timedelta(days=1, seconds=1)):
        assert again(client).data["results"][0]["action"] == "confirmed"
    with clock.at(clock.now() + timedelta(days=3)):
        assert answers.forget_old() == 1


def test_an_erased_memory_is_in_no_kept_answer_and_does_not_come_back():
    client = owner()
    again(client)
    again(client, {"query": "我的预算是多少", "user_id": "ann"}, "r-1", "/recall")
    row = Memory.everywhere.get()
    erased = erase(scope(), row, "asked", seen=row.revision).erasure
    assert erased.removed["answers"] == 2
    assert not GivenAnswer.objects.exclude(body="").exists()
    answer = again(client)
    assert (answer.status_code, answer.problem) == (410, "erased")
    assert not Memory.everywhere.exists()


def test_a_workspace_s_answers_can_be_forgotten():
    client, other = owner(), client_for(api_key(workspace("w2"), name="other")[1])
    again(client), again(other)
    assert answers.forget(workspace()) == 1
    assert GivenAnswer.objects.get().key.name == "other"


def test_a_full_queue_at_the_end_does_not_take_the_answer_away(monkeypatch, caplog):
    def full(*args):
        raise QueueTimeout("full")

    monkeypatch.setattr(answers, "keep", full)
    answer = again(owner())
    assert answer.status_code == 201
    assert "was not noted" in caplog.text
