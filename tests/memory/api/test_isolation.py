"""Three people: the owner, a teammate bound to another user, a stranger of another workspace."""

import uuid

import pytest

from memory.models import Batch, Memory, Recall, Turn
from tests.factories import api_key, ask, client_for, remember, scope, turn, workspace
from tests.memory.api.calls import call, get, owner, post

pytestmark = pytest.mark.django_db

MISSING = uuid.UUID(int=9)
BY_ID = [
    ("GET", "/memories/{memory}", None),
    ("PATCH", "/memories/{memory}", {"text": "改了", "reason": "试试"}),
    ("DELETE", "/memories/{memory}", None),
    ("GET", "/memories/{memory}/history", None),
    ("POST", "/memories/{memory}/confirm", {}),
    ("POST", "/memories/{memory}/retract", {}),
    ("POST", "/memories/{memory}/restore", {}),
    ("GET", "/batches/{batch}", None),
    ("POST", "/batches/{batch}/undo", {}),
    ("GET", "/recalls/{recall}", None),
    ("GET", "/turns/{turn}", None),
    ("POST", "/recalls/{recall}/outcome", {"answer": "好"}),
]


def teammate():
    return client_for(api_key(user_id="bob", name="teammate")[1])


def stranger():
    return client_for(api_key(workspace("w2"), name="stranger")[1])


@pytest.fixture
def mine() -> dict[str, uuid.UUID]:
    """What belongs to ann of w1."""
    memory = remember(text="我的门禁卡号是 A-5521", session_id="s1")
    batch = Batch.objects.within(scope()).get()
    recall = ask("门禁卡号").record
    said = turn(content="门禁卡在抽屉里")
    return {
        "memory": memory.public_id,
        "batch": batch.public_id,
        "recall": recall.public_id,
        "turn": said.public_id,
    }


def headers_of(answer) -> dict[str, str]:
    """All but how many requests are left and for how long: that goes down by itself."""
    moving = ("RateLimit-Remaining", "RateLimit-Reset")
    return {name: told for name, told in answer.headers.items() if name not in moving}


@pytest.mark.parametrize("who", [teammate, stranger])
@pytest.mark.parametrize(("method", "path", "body"), BY_ID)
def test_what_is_anothers_is_as_if_it_were_not(mine, who, method, path, body):
    client = who()
    foreign = call(client, method, path.format(**mine), body)
    nothing = dict.fromkeys(mine, MISSING)
    missing = call(client, method, path.format(**nothing), body)
    assert foreign.status_code == (405 if method == "DELETE" else 404)
    assert foreign.content == missing.content
    assert headers_of(foreign) == headers_of(missing)
    row = Memory.objects.within(scope()).get()
    assert (row.status, row.revision) == ("active", 1)
    assert Recall.objects.within(scope()).get().answer == ""


@pytest.mark.parametrize(("method", "path", "body"), BY_ID)
def test_an_id_that_cannot_be_one_is_missing_too(method, path, body):
    nothing = {"memory": "not-an-id", "batch": "7", "recall": "%00", "turn": "-"}
    answer = call(owner(), method, path.format(**nothing), body)
    assert answer.problem == ("method_not_allowed" if method == "DELETE" else "not_found")


@pytest.mark.parametrize("who", [teammate, stranger])
@pytest.mark.parametrize("path", ["/memories", "/recalls", "/batches", "/turns"])
def test_lists_show_only_what_is_theirs(mine, who, path):
    assert get(owner(), path).data["total"] == 1
    assert get(who(), path).data == {"items": [], "next": None, "total": 0, "total_capped": False}


@pytest.mark.parametrize("who", [teammate, stranger])
def test_searching_does_not_reach_over(mine, who):
    client = who()
    assert get(client, "/memories", q="门禁卡号").data["items"] == []
    answer = post(client, "/recall", {"query": "门禁卡号"} | body_user(who))
    assert [answer.data[name] for name in ("items", "turns", "dropped")] == [[], [], []]
    assert get(client, "/recalls", memory_id=mine["memory"]).data["items"] == []


def body_user(who) -> dict:
    return {} if who is teammate else {"user_id": "ann"}


@pytest.mark.parametrize("user_id", ["", " ", "*", ["ann"], ["ann", "bob"], {"ne": "x"}, 0, True])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/memories", {"text": "好"}),
        ("/recall", {"query": "门禁卡号"}),
        ("/turns", {"role": "user", "content": "好"}),
    ],
)
def test_no_strange_user_widens_a_body(mine, path, body, user_id):
    for client in (owner(), teammate(), stranger()):
        answer = post(client, path, body | {"user_id": user_id})
        assert (answer.status_code, answer.problem) == (422, "invalid")
    assert Memory.objects.within(scope()).count() == 1
    assert Turn.objects.within(scope()).count() == 1


@pytest.mark.parametrize("path", ["/memories", "/recalls", "/batches", "/turns"])
@pytest.mark.parametrize(("user_id", "status"), [("", 422), ("*", 422), ("ann", 403), ("bob", 200)])
def test_a_bound_key_lists_its_own_user_or_nobody(mine, path, user_id, status):
    answer = get(teammate(), path, user_id=user_id)
    assert answer.status_code == status
    if status == 200:
        assert answer.data["items"] == []


def test_a_bound_key_writes_only_for_its_user():
    client = teammate()
    refused = post(client, "/memories", {"user_id": "ann", "text": "好"})
    assert (refused.status_code, refused.problem) == (403, "outside_scope")
    for path, body in (("/turns", {"role": "user", "content": "好", "user_id": "ann"}),
                       ("/recall", {"query": "好", "user_id": "ann"})):  # fmt: skip
        assert post(client, path, body).problem == "outside_scope"
    among = {"turns": [{"role": "user", "content": "好", "user_id": "ann"}]}
    assert post(client, "/turns", among).problem == "outside_scope"
    kept = post(client, "/memories", {"text": "好"}).data["results"][0]["memory"]
    assert kept["user_id"] == "bob"


def test_a_bound_key_cannot_give_a_memory_away():
    client = teammate()
    kept = post(client, "/memories", {"text": "好"}).data["results"][0]["memory"]
    answer = call(client, "PATCH", f"/memories/{kept['id']}", {"user_id": "ann"})
    assert (answer.status_code, answer.problem) == (403, "outside_scope")


def test_a_fact_that_was_moved_shows_each_user_the_own_part():
    old = remember(
        text="Ann keeps the spare key", entity="spare key", attribute="keeper", value="Ann"
    )
    moved = call(owner(), "PATCH", f"/memories/{old.public_id}", {"user_id": "bob", "value": "Bob"})
    new = moved.data["results"][0]["memory"]
    assert get(owner(), f"/memories/{new['id']}/history").data["total"] == 3
    seen = get(teammate(), f"/memories/{new['id']}/history")
    assert [entry["memory_id"] for entry in seen.data["items"]] == [new["id"]]


def test_evidence_of_another_user_is_no_turn():
    foreign = turn(content="门禁卡在抽屉里")
    body = {"text": "好", "evidence": {"turn_id": str(foreign.public_id)}}
    answer = post(teammate(), "/memories", body)
    assert answer.data["errors"] == [{"field": "evidence.turn_id", "message": "no such turn"}]


def test_a_recall_always_names_one_user():
    answer = post(owner(), "/recall", {"query": "门禁卡号"})
    assert [error["field"] for error in answer.data["errors"]] == ["user_id"]
