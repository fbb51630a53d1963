"""What mem0's own client adds, finds and is told, and what it may not do."""

import uuid

import pytest
from mem0.exceptions import (
    AuthenticationError,
    MemoryNotFoundError,
    RateLimitError,
    ValidationError,
)
from mem0.exceptions import MemoryError as Refused

from memory.models import Access, ApiKey, Batch, Recall, RecallFeedback, Status, Turn
from tests.factories import scope, workspace
from tests.memory.api.mem0.client import ANN, add, mem0, rows, texts

pytestmark = pytest.mark.django_db


def test_it_only_talks_once_the_key_is_live():
    client = mem0(name="helper", scopes=["write"])
    assert (client.org_id, client.project_id) == ("w1", "w1")
    assert client.user_email == "helper"
    with pytest.raises(ValueError, match="live API key"):
        mem0("mase_00000000_abc")


def test_what_is_added_as_it_stands():
    answer = mem0().add(
        [{"role": "user", "content": "我喜欢绿茶"}, {"role": "assistant", "content": "好的"}],
        user_id="ann", agent_id="bot", run_id="r1", app_id="shop", infer=False,
        metadata={"topic": "tea"}, timestamp=1767225600, expiration_date="2099-12-31",
    )  # fmt: skip
    assert answer["status"] == "SUCCEEDED"
    (told,) = answer["results"]
    assert (told["event"], told["memory"]) == ("ADD", "我喜欢绿茶")
    assert told["metadata"] == {"topic": "tea"}
    assert (told["user_id"], told["agent_id"], told["run_id"], told["app_id"]) == (
        "ann", "bot", "r1", "shop",
    )  # fmt: skip
    assert told["expiration_date"] == "2099-12-31"
    (row,) = rows()
    assert str(row.public_id) == told["id"] == told["version_id"]
    assert row.occurred_at.isoformat() == "2026-01-01T00:00:00+00:00"
    assert row.expires_at.isoformat() == "2100-01-01T00:00:00+00:00"
    assert Turn.objects.within(scope()).count() == 2


def test_what_is_inferred_goes_by_the_gate():
    client = mem0()
    said = client.add("My favourite tea is oolong.", user_id="ann")
    assert [r["event"] for r in said["results"]] == ["ADD"]
    assert client.add("haha ok", user_id="ann")["results"] == []
    changed = client.add("My favourite tea is sencha.", user_id="ann")["results"][0]
    assert changed["event"] == "UPDATE"
    assert changed["id"] == said["results"][0]["id"]
    assert "oolong" in changed["previous_memory"]
    assert [r.status for r in rows()] == [Status.SUPERSEDED, Status.ACTIVE]


def test_a_secret_is_masked_in_what_is_said_and_not_remembered():
    answer = mem0().add("my password is hunter2-Zx81!q", user_id="ann", infer=False)
    assert "hunter2" not in str(answer)
    assert not rows(text__contains="hunter2").exists()


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({}, "user_id"),
        ({"user_id": " "}, "user_id"),
        ({"user_id": "ann", "timestamp": "soon"}, "timestamp"),
        ({"user_id": "ann", "expiration_date": "2099-13-01"}, "expiration_date"),
    ],
)
def test_what_cannot_be_added_is_named(more, field):
    with pytest.raises(ValidationError) as refused:
        mem0().add("我喜欢绿茶", infer=False, **more)
    assert refused.value.details["code"] == "invalid"
    assert refused.value.details["errors"][0]["field"] == field
    assert refused.value.details["error"] == refused.value.details["detail"]
    assert not rows().exists()


def test_a_picture_is_not_taken_and_parts_of_text_are():
    parts = [{"type": "text", "text": "我喜欢"}, {"type": "text", "text": "绿茶"}]
    answer = mem0().add([{"role": "user", "content": parts}], user_id="ann", infer=False)
    assert texts(answer) == ["我喜欢\n绿茶"]
    picture = [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]
    with pytest.raises(ValidationError):
        mem0(name="b").add([{"role": "user", "content": picture}], user_id="ann")


def test_search_finds_what_is_true_now():
    client = mem0()
    client.add("My budget is 800 euros.", user_id="ann")
    client.add("My budget is 1200 euros.", user_id="ann")
    add(client, "Bob's budget is 10 euros.", user_id="bob")
    answer = client.search("what is my budget", filters=ANN)
    assert texts(answer) == ["My budget is 1200 euros"]
    (found,) = answer["results"]
    assert found["score"] == pytest.approx(sum(found["score_details"]["parts"].values()), abs=1e-5)
    assert found["lifecycle_state"] == "active"
    record = Recall.objects.within(scope()).get(public_id=answer["recall_id"])
    assert record.served == 1
    every = {"AND": [ANN]}
    assert texts(client.search("what is my budget", filters=every)) == texts(answer)


def test_search_narrows_by_metadata_and_keeps_to_top_k():
    client = mem0()
    for number in range(4):
        add(client, f"green tea number {number}", metadata={"n": number, "topic": "tea"})
    assert len(client.search("green tea", filters=ANN, top_k=2)["results"]) == 2
    wanted = {"AND": [ANN, {"metadata": {"n": {"gte": 3}}}]}
    assert texts(client.search("green tea", filters=wanted)) == ["green tea number 3"]
    assert client.search("green tea", filters=ANN, threshold=99.0)["results"] == []
    (one,) = client.search("green tea", filters=ANN, top_k=1, fields=["memory"])["results"]
    assert set(one) == {"id", "memory"}


@pytest.mark.parametrize("filters", [None, {}, {"user_id": "*"}, {"agent_id": "bot"}])
def test_a_search_is_for_one_user(filters):
    with pytest.raises(ValidationError):
        mem0().search("tea", filters=filters)
    bound = mem0(user_id="ann", name="anns")
    if filters:
        assert bound.search("tea", filters=filters)["results"] == []


def test_all_by_pages():
    client = mem0()
    for number in range(5):
        add(client, f"note number {number}")
    page = client.get_all(filters=ANN, page=2, page_size=2)
    assert (page["count"], texts(page)) == (5, ["note number 2", "note number 1"])
    assert (page["previous"], page["next"]) == ("?page=1&page_size=2", "?page=3&page_size=2")
    whole = client.get_all(filters=ANN)
    assert (len(whole["results"]), whole["next"]) == (5, None)
    with pytest.raises(ValidationError):
        client.get_all()


def test_feedback_goes_to_the_recall_that_gave_it():
    client = mem0()
    first = add(client, "my budget is 800 euros")
    with pytest.raises(ValidationError):
        client.feedback(first["id"], "NEGATIVE")
    assert client.feedback(first["id"], "POSITIVE")["feedback"] == "POSITIVE"
    assert rows().get().confirmations >= 1
    client.search("what is my budget", filters=ANN)
    client.feedback(first["id"], "VERY_NEGATIVE", "that is old")
    (said,) = RecallFeedback.objects.all()
    assert (said.verdict, said.text) == ("wrong", "that is old")


def test_an_event_is_done_or_unknown():
    client = mem0()
    answer = client.add("我喜欢绿茶", user_id="ann", infer=False)
    path = f"/v1/event/{answer['event_id']}/"
    assert client.client.get(path).json()["status"] == "SUCCEEDED"
    assert Batch.objects.within(scope()).get(public_id=answer["event_id"]).actor == "key:bot"
    assert client.client.get(f"/v1/event/{uuid.uuid4()}/").status_code == 404


def test_events_are_what_was_changed_newest_first():
    client = mem0()
    first = add(client, "我喜欢绿茶")
    client.update(first["id"], text="我喜欢红茶")
    client.delete(first["id"])
    told = client.client.get("/v1/events/?page=1&page_size=2").json()
    assert [one["event_type"] for one in told["results"]] == ["DELETE", "UPDATE"]
    assert (told["count"], told["next"]) == (3, "?page=2&page_size=2")
    assert told["results"][0]["changes"] == 1
    other = mem0(of=workspace("w2"), name="other")
    assert other.client.get("/v1/events/").json()["results"] == []


def test_stats_and_the_project_are_real():
    client = mem0()
    add(client, "我喜欢绿茶", agent_id="bot")
    client.delete(add(client, "I like coffee", user_id="bob")["id"])
    client.search("绿茶", filters=ANN)
    told = client.client.get("/v1/stats/").json()
    assert (told["total_memories"], told["total_users"], told["total_agents"]) == (1, 1, 1)
    assert told["total_search_events"] == 1
    assert told["lifecycle_states"] == {"active": 1, "retracted": 1}
    project = client.get_project()
    assert (project["id"], project["custom_categories"]) == ("w1", [])
    assert {row["kind"] for row in project["policies"]} >= {"fact", "preference"}
    assert set(client.get_project(fields=["name"])) == {"name"}
    client.project_id = "w2"
    with pytest.raises(MemoryNotFoundError):
        client.get_project()


def test_what_is_not_served_says_so_to_the_client():
    client = mem0()
    for act in (
        lambda: client.create_memory_export(schema="{}"),
        lambda: client.get_memory_export(user_id="ann"),
        lambda: client.get_summary(),
        lambda: client.get_profile("ann"),
        lambda: client.generate_profile("ann"),
        lambda: client.get_webhooks("w1"),
        lambda: client.update_project(custom_instructions="x"),
        lambda: client.project.get_members(),
    ):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.details["code"] == "not_served"


def test_an_addition_that_is_sent_again_is_not_carried_out_again():
    client = mem0()
    client.client.headers["Idempotency-Key"] = "one"
    first = client.add("我喜欢绿茶", user_id="ann", infer=False)
    assert client.add("我喜欢绿茶", user_id="ann", infer=False) == first
    assert (Turn.objects.within(scope()).count(), Batch.objects.within(scope()).count()) == (1, 1)
    with pytest.raises(ValidationError) as refused:
        client.add("我喜欢红茶", user_id="ann", infer=False)
    assert refused.value.details["code"] == "idempotency_mismatch"


def test_strangers_see_nothing_and_cannot_tell():
    first = add(mem0(), "我喜欢绿茶")
    for stranger in (mem0(of=workspace("w2"), name="s"), mem0(user_id="bob", name="bobs")):
        for act in (stranger.get, stranger.delete, stranger.history):
            with pytest.raises(MemoryNotFoundError) as refused:
                act(first["id"])
            with pytest.raises(MemoryNotFoundError) as missing:
                act(str(uuid.uuid4()))
            assert refused.value.details == missing.value.details
        assert stranger.users()["results"] == []
    with pytest.raises(AuthenticationError):
        mem0(user_id="bob", name="bob2").get_all(filters=ANN)


def test_a_key_does_only_what_its_scopes_allow():
    first = add(mem0(), "我喜欢绿茶")
    reader = mem0(scopes=["read"], name="reader")
    for act in (
        lambda: reader.add("好", user_id="ann"),
        lambda: reader.update(first["id"], text="好"),
        lambda: reader.delete(first["id"]),
        lambda: reader.delete_all(user_id="ann"),
    ):
        with pytest.raises(AuthenticationError) as refused:
            act()
        assert refused.value.details["code"] == "missing_scope"


def test_it_counts_against_the_rate_of_the_key():
    client = mem0()
    ApiKey.objects.update(rate=1)
    # The handshake was the one.
    with pytest.raises(RateLimitError) as refused:
        client.get_all(filters=ANN)
    assert refused.value.debug_info["retry_after"] >= 1


def test_reading_is_noted():
    client = mem0()
    first = add(client, "我喜欢绿茶")
    client.get(first["id"])
    client.get_all(filters=ANN)
    client.history(first["id"])
    notes = Access.objects.within(scope()).order_by("id").values_list("actor", "how")
    assert list(notes) == [("key:bot", how) for how in ("one", "list", "history")]
