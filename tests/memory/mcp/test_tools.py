"""Each tool: what it does to the store, what it refuses, and in which words."""

import uuid

import pytest
from mcp import MCPError

from memory import clock
from memory.api import memories
from memory.models import Access, ApiKey, Batch, Memory, Recall, Status
from memory.write.correction.preview import CAP
from tests.factories import api_key, remember, scope, workspace
from tests.memory.mcp.calls import called, listed, refused, told

pytestmark = pytest.mark.django_db

READING = {
    "search_memory", "get_context", "list_memories", "get_memory", "memory_history",
    "explain_recall", "replay_recall", "memory_health",
}  # fmt: skip


def key(**fields) -> str:
    return api_key(**fields)[1]


def stored(memory_id: str) -> Memory:
    return Memory.objects.within(scope()).get(public_id=memory_id)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_tell_what_they_do(mode):
    tools = {tool.name: tool for tool in listed(key(), mode).tools}
    assert set(tools) == READING | {"add_memories", "correct_memory", "delete_memories"}
    for name, tool in tools.items():
        assert tool.annotations.read_only_hint is (name in READING)
        assert tool.annotations.open_world_hint is False
        assert tool.description
        assert tool.output_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
    assert [n for n, t in tools.items() if t.annotations.destructive_hint] == [
        "correct_memory",
        "delete_memories",
    ]


def test_a_key_sees_and_may_call_only_what_its_scopes_allow():
    text = key(scopes=["read"])
    assert {tool.name for tool in listed(text).tools} == READING
    told_no = refused(text, "add_memories", user_id="ann", text="我喜欢茶")
    assert told_no["code"] == "missing_scope"
    assert not Memory.objects.within(scope()).exists()


def test_a_dead_key_is_refused_at_the_next_call():
    text = key()
    ApiKey.objects.update(revoked_at=clock.now())
    assert refused(text, "list_memories", listing=False)["code"] == "unauthorised"


def test_what_is_added_is_found_and_superseded_by_a_new_value():
    text = key()
    first = told(text, "add_memories", user_id="ann", text="我的预算是800元", reason="说的")
    assert first["results"][0]["action"] == "added"
    second = told(text, "add_memories", user_id="ann", text="我的预算是1200元")
    assert second["results"][0]["action"] == "superseded"
    assert second["results"][0]["previous"]["status"] == "superseded"
    found = told(text, "search_memory", user_id="ann", query="我的预算是多少？")
    assert [item["memory"]["text"] for item in found["items"]] == ["我的预算是1200元"]
    batch = Batch.objects.within(scope()).get(public_id=first["batch_id"])
    assert (batch.surface, batch.actor, batch.reason) == ("mcp", "key:bot", "说的")
    record = Recall.objects.within(scope()).get(public_id=found["recall_id"])
    assert (record.surface, record.served) == ("mcp", 1)


def test_a_dialogue_is_read_and_a_secret_refused():
    text = key()
    said = [{"role": "user", "content": "My favourite tea is oolong."}]
    assert told(text, "add_memories", user_id="ann", messages=said)["results"]
    secret = "my password is hunter2-Zx81!q"
    no = refused(text, "add_memories", user_id="ann", text=secret)
    assert no["code"] == "secret_refused"
    assert "hunter2" not in str(no)


def test_wrong_arguments_are_named_and_not_said_back():
    text = key()
    no = refused(text, "list_memories", limit=0, statuss="any")
    assert no["code"] == "invalid"
    assert {error["field"] for error in no["errors"]} == {"limit", "statuss"}
    no = refused(text, "add_memories", user_id="ann", text="好", messages=[])
    assert no["code"] == "invalid"
    mixed = [{"role": "user", "content": "好"}]
    no = refused(text, "add_memories", user_id="ann", text="好", messages=mixed)
    assert no["errors"][0]["field"] == "messages"


def test_scope_comes_from_the_key_and_an_argument_only_narrows_it():
    remember(user_id="ann", text="安喜欢绿茶")
    remember(user_id="bob", text="鲍勃喜欢咖啡")
    bound = key(user_id="ann", name="anns")
    items = told(bound, "list_memories")["items"]
    assert [item["user_id"] for item in items] == ["ann"]
    assert refused(bound, "list_memories", user_id="bob")["code"] == "outside_scope"
    free = key(name="free")
    assert len(told(free, "list_memories")["items"]) == 2
    assert refused(free, "search_memory", query="茶")["errors"][0]["field"] == "user_id"


def test_another_workspace_does_not_exist():
    memory = remember(text="安喜欢绿茶")
    stranger = key(of=workspace("w2"), name="stranger")
    no = refused(stranger, "get_memory", memory_id=str(memory.public_id))
    assert no == refused(stranger, "get_memory", memory_id=str(uuid.uuid4()))
    assert no["code"] == "not_found"
    for name in ("explain_recall", "replay_recall"):
        assert refused(stranger, name, recall_id=str(uuid.uuid4()))["code"] == "not_found"


def test_a_list_goes_on_by_cursor():
    text = key()
    for number in range(5):
        remember(text=f"note number {number}")
    seen, cursor = [], ""
    while cursor is not None:
        page = told(text, "list_memories", limit=2, cursor=cursor)
        seen += [item["text"] for item in page["items"]]
        cursor = page["next"]
    assert seen == [f"note number {number}" for number in (4, 3, 2, 1, 0)]
    assert refused(text, "list_memories", cursor="nonsense")["errors"][0]["field"] == "cursor"


def test_history_and_one_memory_in_full():
    text = key()
    told(text, "add_memories", user_id="ann", text="我的预算是800元")
    now = told(text, "add_memories", user_id="ann", text="我的预算是1200元")["results"][0]
    memory_id = now["memory"]["id"]
    full = told(text, "get_memory", memory_id=memory_id)
    assert (full["value"], full["version"], full["metadata"]) == ("1200元", 2, {})
    history = told(text, "memory_history", memory_id=memory_id, limit=1)
    assert history["total"] == 3
    assert history["items"][0]["before"] is None
    later = told(text, "memory_history", memory_id=memory_id, cursor=history["next"])
    assert len(later["items"]) == 2


def test_a_context_within_its_budget():
    text = key()
    remember(text="我的预算是1200元")
    got = told(text, "get_context", user_id="ann", query="我的预算是多少？", budget_tokens=400)
    assert "1200" in got["text"]
    assert got["tokens"] <= 400
    assert len(got["memories"]) == 1


def test_a_recall_is_explained_by_pages_and_replayed():
    text = key()
    for number in range(4):
        remember(text=f"tea number {number} is green tea")
    found = told(text, "search_memory", user_id="ann", query="green tea")
    first = told(text, "explain_recall", recall_id=found["recall_id"], limit=3)
    rest = told(text, "explain_recall", recall_id=found["recall_id"], cursor=first["next"])
    assert len(first["items"]) + len(rest["items"]) == first["total"] >= 4
    assert rest["next"] is None
    assert all("tea" in item["summary"] for item in first["items"])
    assert refused(text, "explain_recall", recall_id=found["recall_id"], cursor="-1")["code"] == (
        "invalid"
    )
    told(text, "delete_memories", memory_ids=[found["items"][0]["memory"]["id"]])
    again = told(text, "replay_recall", recall_id=found["recall_id"])
    assert again["equal"] is True
    assert [move["cause"] for move in again["moves"] if move["now_rank"] is None] == ["batch"]
    assert Recall.objects.within(scope()).count() == 1


def test_a_correction_is_previewed_then_confirmed():
    text = key()
    memory = remember(entity="甲项目", attribute="预算", value="800", text="甲项目的预算是800")
    said = "甲项目的预算不是800，是1200"
    preview = told(text, "correct_memory", user_id="ann", text=said)
    assert (preview["state"], preview["count"]) == ("open", 1)
    assert preview["targets"][0]["id"] == str(memory.public_id)
    assert stored(str(memory.public_id)).status == Status.ACTIVE
    done = told(text, "correct_memory", confirm=preview["confirm"], reason="用户说的")
    assert done["state"] == "applied"
    assert done["confirm"] is None
    assert [r["action"] for r in done["results"]] == ["superseded"]
    assert done["results"][0]["memory"]["value"] == "1200"
    assert done["undo"].endswith(f"/{done['batch_id']}/undo")
    again = refused(text, "correct_memory", confirm=preview["confirm"])
    assert again["code"] == "already_applied"


def test_a_correction_that_moved_or_is_none_changes_nothing():
    text = key()
    memory = remember(entity="甲项目", attribute="预算", value="800", text="甲项目的预算是800")
    preview = told(text, "correct_memory", user_id="ann", text="甲项目的预算不是800，是1200")
    remember(entity="甲项目", attribute="预算", value="900", text="甲项目的预算是900")
    no = refused(text, "correct_memory", confirm=preview["confirm"])
    assert (no["code"], no["memories"]) == ("stale_plan", [str(memory.public_id)])
    none = told(text, "correct_memory", user_id="ann", text="今天天气不错")
    assert (none["verdict"], none["confirm"]) == ("not_a_correction", None)
    assert refused(text, "correct_memory", confirm="x.y")["errors"][0]["field"] == "confirm"
    assert refused(text, "correct_memory")["code"] == "invalid"


def test_deleting_retracts_and_the_history_stays():
    text = key()
    memory = remember(text="安喜欢绿茶")
    done = told(text, "delete_memories", memory_ids=[str(memory.public_id)], reason="错了")
    assert [r["action"] for r in done["results"]] == ["retracted"]
    assert stored(str(memory.public_id)).status == Status.RETRACTED
    assert told(text, "search_memory", user_id="ann", query="绿茶")["items"] == []
    assert told(text, "memory_history", memory_id=str(memory.public_id))["total"] == 2


def test_deleting_more_than_the_cap_is_refused_with_the_count():
    text = key()
    rows = [remember(text=f"note number {n}") for n in range(CAP + 1)]
    no = refused(text, "delete_memories", memory_ids=[str(row.public_id) for row in rows])
    assert (no["code"], no["count"]) == ("over_the_cap", CAP + 1)
    assert "confirm_token" not in no
    assert not Memory.objects.within(scope()).filter(status=Status.RETRACTED).exists()


def test_deleting_is_all_or_nothing():
    text = key()
    memory = remember(text="安喜欢绿茶")
    ids = [str(memory.public_id), str(uuid.uuid4())]
    assert refused(text, "delete_memories", memory_ids=ids)["code"] == "not_found"
    assert stored(str(memory.public_id)).status == Status.ACTIVE


def test_health_is_of_the_whole_store():
    remember(text="安喜欢绿茶")
    report = told(key(), "memory_health", fresh=True)
    assert report["checks"]
    bound = key(user_id="ann", name="anns")
    assert refused(bound, "memory_health")["code"] == "outside_scope"


def test_a_fault_is_logged_and_not_told(monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("inner words")

    monkeypatch.setattr(memories, "list_memories", broken)
    no = refused(key(), "list_memories")
    assert no["code"] == "internal"
    assert "inner words" not in str(no)
    assert "inner words" in caplog.text


def test_an_unknown_tool_is_an_error_of_the_protocol():
    wrong = pytest.RaisesExc(MCPError, match="Unknown tool")
    with pytest.RaisesGroup(wrong, flatten_subgroups=True):
        called(key(), "erase_everything")


def test_reading_is_noted_as_through_this_door():
    text, memory = key(), remember(text="安喜欢绿茶")
    told(text, "list_memories")
    told(text, "get_memory", memory_id=str(memory.public_id))
    told(text, "memory_history", memory_id=str(memory.public_id))
    notes = Access.objects.within(scope()).order_by("id").values_list("surface", "actor", "how")
    assert list(notes) == [("mcp", "key:bot", how) for how in ("list", "one", "history")]
