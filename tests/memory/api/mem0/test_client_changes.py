"""What mem0's own client updates and deletes, one or many, and what is then in the store."""

import uuid

import pytest
from mem0.exceptions import MemoryNotFoundError, ValidationError

from memory.models import Status
from memory.write.correction.preview import CAP
from tests.factories import remember
from tests.memory.api.mem0.client import ANN, add, mem0, rows, texts

pytestmark = pytest.mark.django_db


def test_an_update_supersedes_and_the_id_stays():
    client = mem0()
    first = add(client, "我的预算是800元", metadata={"topic": "money"}, app_id="shop")
    done = client.update(first["id"], text="我的预算是1200元", metadata={"topic": "budget"})
    assert (done["id"], done["memory"], done["version"]) == (first["id"], "我的预算是1200元", 2)
    assert done["version_id"] != first["id"]
    assert client.get(first["id"])["memory"] == "我的预算是1200元"
    assert client.get(done["version_id"])["id"] == first["id"]
    assert (done["metadata"], done["app_id"]) == ({"topic": "budget"}, "shop")
    assert [r.status for r in rows()] == [Status.SUPERSEDED, Status.ACTIVE]
    assert texts(client.get_all(filters=ANN)) == ["我的预算是1200元"]
    every = client.get_all(filters=ANN, latest_only=False)["results"]
    assert [(r["lifecycle_state"], r["replaced_by"]) for r in every] == [
        ("active", None),
        ("superseded", first["id"]),
    ]


def test_an_update_of_a_value_and_of_something_else():
    client = mem0()
    memory = remember(entity="甲项目", attribute="预算", value="800", text="甲项目的预算是800")
    client.update(str(memory.fact), text="甲项目的预算是1200")
    assert rows(status=Status.ACTIVE).get().value == "1200"
    client.update(str(memory.fact), text="甲项目已经取消")
    row = rows(status=Status.ACTIVE).get()
    assert (row.text, row.value, row.fact) == ("甲项目已经取消", "", memory.fact)


def test_an_update_that_says_nothing_new_changes_nothing():
    client = mem0()
    first = add(client, "我喜欢绿茶")
    assert client.update(first["id"], text="我喜欢绿茶")["version"] == 1
    assert rows().count() == 1


def test_an_expiration_date_is_set_and_cleared():
    client = mem0()
    first = add(client, "我喜欢绿茶")
    assert client.update(first["id"], expiration_date="2099-01-01")["expiration_date"] == (
        "2099-01-01"
    )
    assert client.update(first["id"], expiration_date=None)["expiration_date"] is None


def test_a_delete_retracts_and_history_tells():
    client = mem0()
    first = add(client, "我喜欢绿茶")
    client.update(first["id"], text="我喜欢红茶")
    done = client.delete(first["id"])
    assert done["message"] == "Memory deleted successfully!"
    assert [r.status for r in rows()] == [Status.SUPERSEDED, Status.RETRACTED]
    with pytest.raises(MemoryNotFoundError):
        client.get(first["id"])
    with pytest.raises(MemoryNotFoundError):
        client.delete(first["id"])
    told = client.history(first["id"])
    assert [(h["event"], h["old_memory"], h["new_memory"]) for h in told] == [
        ("ADD", None, "我喜欢绿茶"),
        ("UPDATE", "我喜欢绿茶", "我喜欢红茶"),
        ("DELETE", "我喜欢红茶", None),
    ]
    assert {h["memory_id"] for h in told} == {first["id"]}
    assert told[-1]["is_deleted"] is True


def test_delete_all_of_one_user():
    client = mem0()
    for number in range(3):
        add(client, f"note number {number}")
    add(client, "Bob's note", user_id="bob")
    done = client.delete_all(user_id="ann")
    assert (done["count"], len(done["batch_ids"])) == (3, 1)
    assert texts(client.get_all(filters={"user_id": "*"})) == ["Bob's note"]
    assert rows(status=Status.RETRACTED).count() == 3
    assert client.delete_all(user_id="ann")["count"] == 0


def test_delete_all_over_the_cap_needs_what_the_refusal_says():
    client = mem0()
    for number in range(CAP + 1):
        remember(text=f"note number {number}")
    with pytest.raises(ValidationError) as refused:
        client.delete_all(user_id="ann")
    told = refused.value.details
    assert refused.value.debug_info["status_code"] == 409
    assert (told["code"], told["count"], len(told["sample"])) == ("over_the_cap", CAP + 1, 10)
    assert rows(status=Status.RETRACTED).count() == 0
    token = told["confirm_token"]
    with pytest.raises(ValidationError):
        client.delete_all(user_id="ann", confirm_token=token[:-1])
    remember(text="one more meanwhile")
    with pytest.raises(ValidationError) as moved:
        client.delete_all(user_id="ann", confirm_token=token)
    assert moved.value.details["count"] == CAP + 2
    fresh = moved.value.details["confirm_token"]
    with pytest.raises(ValidationError):
        mem0(name="another").delete_all(user_id="ann", confirm_token=fresh)
    assert client.delete_all(user_id="ann", confirm_token=fresh)["count"] == CAP + 2
    assert rows(status=Status.ACTIVE).count() == 0


@pytest.mark.parametrize(
    "wanted", [{}, {"user_id": ""}, {"user_id": "*"}, {"usr_id": "ann"}, {"user_id": "ann", "x": 1}]
)
def test_delete_all_of_everything_or_of_a_slip_is_refused(wanted):
    client = mem0(user_id="ann")
    remember(text="我喜欢绿茶")
    with pytest.raises(ValidationError):
        client.delete_all(**wanted)
    assert rows(status=Status.ACTIVE).count() == 1


def test_updates_by_the_batch_are_all_or_none():
    client = mem0()
    ids = [add(client, f"note number {n}")["id"] for n in range(2)]
    new = [{"memory_id": pk, "text": f"new {at}"} for at, pk in enumerate(ids)]
    assert client.batch_update(new)["message"] == "Successfully updated 2 memories"
    assert sorted(texts(client.get_all(filters=ANN))) == ["new 0", "new 1"]
    lost = [{"memory_id": ids[0], "text": "x"}, {"memory_id": str(uuid.uuid4()), "text": "y"}]
    with pytest.raises(MemoryNotFoundError):
        client.batch_update(lost)
    assert sorted(texts(client.get_all(filters=ANN))) == ["new 0", "new 1"]


def test_deletions_by_the_batch_have_the_cap_too():
    client = mem0()
    ids = [add(client, f"note number {n}")["id"] for n in range(2)]
    client.batch_delete([{"memory_id": pk} for pk in ids])
    assert rows(status=Status.RETRACTED).count() == 2
    many = [remember(text=f"other {n}").public_id for n in range(CAP + 1)]
    with pytest.raises(ValidationError) as refused:
        client.batch_delete([{"memory_id": str(pk)} for pk in many])
    assert refused.value.details["code"] == "over_the_cap"


def test_entities_and_their_end():
    client = mem0()
    add(client, "我喜欢绿茶", agent_id="bot", run_id="r1")
    add(client, "I like coffee", user_id="bob")
    told = {(e["type"], e["name"]): e["total_memories"] for e in client.users()["results"]}
    assert told == {
        ("user", "ann"): 1, ("user", "bob"): 1, ("agent", "bot"): 1, ("run", "r1"): 1,
    }  # fmt: skip
    client.delete_users(user_id="bob")
    assert texts(client.get_all(filters={"user_id": "*"})) == ["我喜欢绿茶"]
