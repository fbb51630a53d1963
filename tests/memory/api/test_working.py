"""Working memory over HTTP."""

import pytest

from memory.api.recall import RecallAnswer
from memory.api.replay_forms import ReplayForm
from memory.api.working import WorkingForm
from tests import factories as make
from tests.memory.api.calls import call, fields_named, get, holds_to, owner, post

pytestmark = pytest.mark.django_db


def put(client, path: str, **body):
    return call(client, "PUT", f"/working/{path}", {"user_id": "ann"} | body)


def delete(client, path: str, user_id: str = "ann"):
    return call(client, "DELETE", f"/working/{path}?user_id={user_id}")


def test_a_value_is_kept_read_and_forgotten():
    client = owner()
    told = put(client, "s1/步骤", value={"n": 1}, ttl_seconds=60).data
    assert holds_to(WorkingForm, told)
    assert (told["key"], told["value"], told["held"]) == ("步骤", {"n": 1}, False)
    assert 50 < told["expires_in"] <= 60
    assert get(client, "/working/s1/步骤", user_id="ann").data["id"] == told["id"]
    page = get(client, "/working/s1", user_id="ann").data
    assert ([item["key"] for item in page["items"]], page["total"]) == (["步骤"], 1)
    assert delete(client, "s1/步骤").data == {"removed": 1}
    assert get(client, "/working/s1/步骤", user_id="ann").status_code == 404
    assert delete(client, "s1/步骤").status_code == 404


def test_a_session_is_listed_by_pages_and_forgotten_as_a_whole():
    client = owner()
    for key in "cab":
        put(client, f"s1/{key}", value=None)
    first = get(client, "/working/s1", user_id="ann", limit=2).data
    assert ([item["key"] for item in first["items"]], first["next"]) == (["a", "b"], "b")
    rest = get(client, "/working/s1", user_id="ann", limit=2, cursor=first["next"]).data
    assert ([item["key"] for item in rest["items"]], rest["next"]) == (["c"], None)
    assert delete(client, "s1").data == {"removed": 3}
    assert get(client, "/working/s1", user_id="ann").data["items"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"value": "x" * 17_000}, "value"),
        ({"value": 1, "ttl_seconds": 0}, "ttl_seconds"),
        ({"value": 1, "ttl_seconds": 604_801}, "ttl_seconds"),
        ({"value": 1, "ttl": 5}, "ttl"),
        ({}, "value"),
    ],
)
def test_what_cannot_be_kept_is_told_by_field(body, field):
    answer = put(owner(), "s1/k", **body)
    assert (answer.status_code, fields_named(answer)) == (422, {field})


def test_a_secret_is_refused_as_everywhere():
    answer = put(owner(), "s1/login", value={"password": "Qx7#pLm2vW9"})
    assert (answer.status_code, answer.problem) == (422, "secret_refused")
    assert "Qx7" not in answer.content.decode()


def test_without_a_user_nothing_is_kept_or_told():
    client = owner()
    assert get(client, "/working/s1").status_code == 422
    assert call(client, "PUT", "/working/s1/k", {"value": 1}).status_code == 422


def test_a_key_of_one_user_reaches_no_other():
    put(owner(name="all"), "s1/k", value=1, user_id="bob")
    client = owner(user_id="ann", name="ann")
    assert get(client, "/working/s1").data["items"] == []
    assert get(client, "/working/s1/k").status_code == 404
    assert get(client, "/working/s1/k", user_id="bob").problem == "outside_scope"
    assert call(client, "PUT", "/working/s1/k", {"value": 2}).data["value"] == 2
    elsewhere = owner(of=make.workspace("w2"), name="else")
    assert get(elsewhere, "/working/s1/k", user_id="bob").status_code == 404


def test_a_recall_of_the_session_gives_it_and_a_replay_tells_of_it():
    client = owner()
    make.remember(text="我对海鲜过敏")
    kept = put(client, "s1/步骤", value="3").data
    body = {"query": "海鲜能吃吗", "user_id": "ann", "session_id": "s1"}
    told = post(client, "/recall", body).data
    assert holds_to(RecallAnswer, told)
    assert told["context"]["working"] == [{"id": kept["id"], "key": "步骤"}]
    assert told["context"]["blocks"]["immediate"] == [kept["id"]]
    again = post(client, f"/recalls/{told['recall_id']}/replay").data
    assert holds_to(ReplayForm, again)
    assert (again["equal"], again["working"]["then"]) == (True, ["步骤"])


def test_a_value_is_changed_only_in_place_of_the_one_that_was_seen():
    client = owner()
    first = put(client, "s1/step", value=1)
    seen = first["ETag"]
    assert get(client, "/working/s1/step", user_id="ann")["ETag"] == seen
    body = {"user_id": "ann", "value": 2}
    second = call(client, "PUT", "/working/s1/step", body, if_match=seen)
    assert (second.status_code, second["ETag"] != seen) == (200, True)
    late = call(client, "PUT", "/working/s1/step", body, if_match=seen)
    assert (late.status_code, late.problem) == (412, "precondition_failed")
    new = call(client, "PUT", "/working/s1/other", body, if_match=seen)
    assert new.status_code == 412
    gone = "/working/s1/step?user_id=ann"
    assert call(client, "DELETE", gone, if_match=seen).status_code == 412
    assert call(client, "DELETE", gone, if_match=second["ETag"]).status_code == 200
