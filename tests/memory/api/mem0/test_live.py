"""mem0's own clients, the blocking and the asynchronous one, against the served site."""

import asyncio

import pytest
from mem0 import AsyncMemoryClient, MemoryClient
from mem0.exceptions import MemoryError as Refused
from mem0.exceptions import MemoryNotFoundError

ANN = {"user_id": "ann.of.mem0"}


def test_the_whole_life_of_a_memory(live):
    client = MemoryClient(api_key=live.key, host=live.url)
    (first,) = client.add("我喜欢绿茶", **ANN, infer=False)["results"]
    assert client.get(first["id"])["memory"] == "我喜欢绿茶"
    assert client.get_all(filters=ANN)["count"] == 1
    client.update(first["id"], text="我喜欢红茶")
    found = client.search("我喜欢什么茶", filters=ANN)["results"]
    assert [row["memory"] for row in found] == ["我喜欢红茶"]
    client.delete(first["id"])
    assert [h["event"] for h in client.history(first["id"])] == ["ADD", "UPDATE", "DELETE"]
    client.add("I like coffee", **ANN, infer=False)
    assert client.delete_all(**ANN)["count"] == 1
    assert client.get_all(filters=ANN)["results"] == []


def test_what_else_the_client_can_call(live):
    client = MemoryClient(api_key=live.key, host=live.url)
    ids = [client.add(f"note {n}", user_id="cleo", infer=False)["results"][0]["id"] for n in (1, 2)]
    client.batch_update([{"memory_id": pk, "text": f"new {n}"} for n, pk in enumerate(ids)])
    assert "cleo" in {row["name"] for row in client.users()["results"]}
    client.search("new", filters={"user_id": "cleo"})
    assert client.feedback(ids[0], "POSITIVE")["feedback"] == "POSITIVE"
    assert client.get_project()["id"] == client.project_id
    client.batch_delete([{"memory_id": ids[0]}])
    client.delete_users(user_id="cleo")
    assert client.get_all(filters={"user_id": "cleo"})["count"] == 0
    with pytest.raises(Refused) as refused:
        client.get_summary(filters={"user_id": "cleo"})
    assert refused.value.details["code"] == "not_served"


def test_the_asynchronous_client(live):
    async def life():
        async with AsyncMemoryClient(api_key=live.key, host=live.url) as client:
            added = await client.add("Bob likes rye bread", user_id="bob", infer=False)
            memory_id = added["results"][0]["id"]
            await client.update(memory_id, text="Bob likes white bread")
            found = await client.search("which bread", filters={"user_id": "bob"})
            assert [row["memory"] for row in found["results"]] == ["Bob likes white bread"]
            every = await client.get_all(filters={"user_id": "bob"})
            assert every["count"] == 1
            assert len(await client.history(memory_id)) == 2
            await client.delete(memory_id)
            with pytest.raises(MemoryNotFoundError):
                await client.get(memory_id)
            assert (await client.delete_all(user_id="bob"))["count"] == 0

    asyncio.run(life())
