"""The formats of other programs: found by themselves, read with what is particular to each."""

import json
import os

import pytest

from memory.exchange.formats import chosen, formats
from memory.exchange.source import FormatError, Source
from memory.models import Memory, Recall, RecallCandidate, Status, Turn
from tests.factories import instant, scope

from .files import (
    DATA,
    bring,
    chain,
    mem0,
    openmemory_archive,
    openmemory_database,
    row,
    tried,
    write_json,
    write_zip,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "document",
    [
        [row(1, "likes tea")],
        {"results": [row(1, "likes tea")]},
        {"memories": [{"id": "m1", "content": "likes tea"}]},
        {"count": 1, "next": None, "previous": None, "results": [row(1, "likes tea")]},
        {"data": {"results": [{"id": "m1", "text": "likes tea"}]}},
        [{"id": "m1", "payload": {"data": "likes tea", "hash": "x", "text_lemmatized": "like"}}],
    ],
)
def test_mem0_in_its_wrappers(tmp_path, document):
    report = bring(write_json(tmp_path / "m.json", document))
    assert (report.format, report.counts) == ("mem0", {"added": 1})
    memory = Memory.everywhere.get()
    assert (memory.text, memory.external_id) == ("likes tea", "m1")


def test_mem0_names_in_the_field(tmp_path):
    one = row(1, "likes tea", agent_id="bot", run_id="r7", categories=["food"], hash="h",
              expiration_date="2099-01-01", metadata={"n": 1})  # fmt: skip
    bring(write_json(tmp_path / "m.json", mem0(one)))
    memory = Memory.everywhere.get()
    assert (memory.agent_id, memory.session_id, memory.tags) == ("bot", "r7", ["food"])
    assert memory.expires_at == instant("2099-01-02 00:00")
    assert memory.metadata["n"] == 1
    assert memory.metadata["mem0"]["hash"] == "h"


def written_by_mem0(path):
    """What mem0's own library writes; it says nothing to anybody outside meanwhile."""
    os.environ["MEM0_TELEMETRY"] = "False"
    from mem0.memory.storage import SQLiteManager

    return SQLiteManager(str(path))


def mem0_history(path):
    manager = written_by_mem0(path)
    day = "2025-01-0{}T00:00:00+00:00".format
    manager.add_history("a", None, "lives in Rome", "ADD", created_at=day(1))
    manager.add_history("b", None, "likes tea", "ADD", created_at=day(1))
    manager.add_history("a", "lives in Rome", "lives in Paris", "UPDATE",
                        created_at=day(1), updated_at=day(3))  # fmt: skip
    manager.add_history("b", "likes tea", None, "DELETE", is_deleted=1, created_at=day(1),
                        updated_at=day(5))  # fmt: skip
    manager.add_history("a", "lives in Paris", "lives in Oslo", "UPDATE",
                        created_at=day(1), updated_at=day(4))  # fmt: skip
    manager.connection.close()
    return path


def test_mem0_history_becomes_chains_with_their_times(tmp_path):
    path = mem0_history(tmp_path / "history.db")
    report = bring(path)
    assert (report.format, report.counts) == ("mem0-history", {"added": 1, "retracted": 1})
    rows = list(Memory.everywhere.filter(external_id="a").order_by("version"))
    assert [one.text for one in rows] == ["lives in Rome", "lives in Paris", "lives in Oslo"]
    assert [one.status for one in rows] == ["superseded", "superseded", "active"]
    assert len({one.fact for one in rows}) == 1
    assert [one.supersedes_id for one in rows] == [None, rows[0].public_id, rows[1].public_id]
    assert (rows[1].valid_from, rows[1].valid_to) == (
        instant("2025-01-03 00:00"), instant("2025-01-04 00:00"),
    )  # fmt: skip
    gone = Memory.everywhere.get(external_id="b")
    assert (gone.status, gone.valid_to) == (Status.RETRACTED, instant("2025-01-05 00:00"))
    assert bring(path).reasons == {"unchanged": 2}


def test_mem0_history_goes_on_where_it_was_left(tmp_path):
    path = mem0_history(tmp_path / "history.db")
    bring(path)
    manager, day = written_by_mem0(path), "2025-01-0{}T00:00:00+00:00".format
    manager.add_history("a", "lives in Oslo", "lives in Bern", "UPDATE",
                        created_at=day(1), updated_at="2025-02-01T00:00:00Z")  # fmt: skip
    manager.connection.close()
    assert bring(path).counts == {"superseded": 1, "skipped": 1}
    texts = [text for _version, text, _state in chain(external_id="a")]
    assert texts[-2:] == ["lives in Oslo", "lives in Bern"]
    assert Memory.everywhere.get(external_id="a", status=Status.ACTIVE).text == "lives in Bern"


def test_openmemory_states_are_mapped(tmp_path):
    report = bring(openmemory_archive(tmp_path / "memories_export_wang.zip"))
    assert report.format == "openmemory"
    found = dict(Memory.everywhere.values_list("text", "status"))
    assert found == {
        "第1件事：喜欢active": "active", "第2件事：喜欢paused": "quarantined",
        "第3件事：喜欢archived": "expired", "第4件事：喜欢deleted": "retracted",
    }  # fmt: skip
    gone = Memory.everywhere.get(status=Status.RETRACTED)
    assert gone.valid_to == instant("2025-05-01 08:00")
    assert (gone.agent_id, gone.tags, gone.user_id) == ("cursor", ["饮食"], "ann")


def test_openmemory_lines_stand_in_for_the_document(tmp_path):
    report = bring(openmemory_archive(tmp_path / "m.zip", lines_only=True))
    assert (report.format, report.total) == ("openmemory", 4)


def test_openmemory_log_tells_what_was_handed_out(tmp_path):
    path = openmemory_database(tmp_path / "openmemory.db")
    trial = tried(path)
    assert not Recall.everywhere.exists()
    report = bring(path)
    assert (report.format, report.counts) == ("openmemory-db", trial.counts)
    assert report.counts["recall"] == 2
    first, second = Recall.everywhere.order_by("at")
    assert (first.query, first.served, first.surface) == ("喜欢什么", 2, "imported")
    assert first.at == instant("2025-03-02 10:00")
    assert [one.stale for one in first.candidates.all()] == [False, False]
    stale = RecallCandidate.objects.get(stale=True)
    assert (stale.recall, stale.status) == (second, "retracted")
    assert bring(path).counts == {"skipped": 6}
    assert Recall.everywhere.count() == 2


LINES = [
    {
        "type": "entity",
        "name": "阿明",
        "entityType": "人",
        "observations": ["住在上海", "不吃香菜"],
    },
    '{"type":"relation","from":"阿明","to":"甲项目","relationType":"负责"}'
    '{"type":"entity","name":"甲项目","entityType":"项目","observations":[]}',
    "",
    "not json",
    '{"type":"entity","name":"乙项目","entityType":"项目","observations":["五月上线"',
    {"type": "unknown", "x": 1},
    "[]",
    "null",
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_broken_line_takes_no_other_with_it(tmp_path, end):
    path = tmp_path / "memory.jsonl"
    text = end.join(one if isinstance(one, str) else json.dumps(one) for one in LINES)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    trial = tried(path)
    report = bring(path)
    assert report.format == "mcp-memory"
    assert report.counts == {"added": 3, "rejected": 5}
    assert [one.number for one in report.rejects] == [4, 5, 6, 7, 8]
    assert [vars(one) for one in trial.rejects] == [vars(one) for one in report.rejects]
    tied = Memory.everywhere.get(text__contains="负责")
    assert tied.links == ["阿明", "甲项目"]
    assert bring(path).reasons["unchanged"] == 3


@pytest.mark.parametrize(
    ("name", "form", "count"),
    [
        ("mcp-think-tank-part.jsonl", "mcp-memory", 6),
        ("e-invoicing-backend-part.jsonl", "mcp-memory", 8),
        ("lettabot-part.af", "letta", 3),
        ("memos-cube-part.json", "memos", 2),
        ("memos-tree-part.json", "memos", 4),
    ],
)
def test_files_of_real_programs(name, form, count):
    report = tried(DATA / name)
    assert (report.format, report.total) == (form, count)
    assert report.rejects == []


def test_letta_blocks_belong_to_their_agent():
    bring(DATA / "lettabot-part.af")
    memory = Memory.everywhere.get(external_id="LettaBot/system/human/preferences")
    assert (memory.agent_id, memory.tags) == ("LettaBot", ["system/human/preferences"])


def test_memos_keeps_state_session_and_confidence():
    bring(DATA / "memos-tree-part.json")
    memory = Memory.everywhere.first()
    assert (memory.session_id, memory.kind) == ("default_session", "fact")
    assert "embedding" not in json.dumps(memory.metadata)


CLAUDE = [
    {
        "conversations_memory": "**Work**\n\nLin runs a bakery. She ships on Fridays.\n\n"
        "- 喜欢简短的回答",
        "project_memories": {"p-1": "The oven project uses steam."},
        "account_uuid": "x",
    }
]
TALKS = [
    {
        "uuid": "c1",
        "chat_messages": [
            {"uuid": "t1", "sender": "human", "text": "my oven is blue",
             "created_at": "2025-01-01T00:00:00Z"},
            {"uuid": "t2", "sender": "assistant", "text": "", "created_at": None},
        ],
    }
]  # fmt: skip


def test_claude_prose_waits_as_candidates(tmp_path):
    path = write_zip(tmp_path / "c.zip", memories__json=CLAUDE, conversations__json=TALKS)
    report = bring(path)
    assert report.format == "claude"
    assert report.counts == {"candidate": 4, "turn": 1}
    texts = set(Memory.everywhere.values_list("text", flat=True))
    assert {"喜欢简短的回答", "The oven project uses steam"} <= {t.rstrip(".") for t in texts}
    assert Turn.everywhere.get().session_id == "c1"
    alone = write_json(tmp_path / "memories.json", CLAUDE)
    assert tried(alone).format == "claude-json"


def test_chatgpt_memories_stand_among_the_messages(tmp_path):
    def node(text, recipient):
        content = {"content_type": "text", "parts": [text]}
        return {"message": {"recipient": recipient, "content": content, "create_time": 1.7e9}}

    talks = [{"id": "t", "mapping": {"1": node("likes tea.", "bio"), "2": node("hi", "all")}}]
    report = bring(write_zip(tmp_path / "g.zip", conversations__json=talks))
    assert (report.format, report.counts) == ("chatgpt", {"added": 1})
    memory = Memory.everywhere.get()
    assert (memory.text, memory.session_id) == ("likes tea.", "t")
    assert memory.occurred_at == instant("2023-11-14 22:13").replace(second=20)


def test_every_format_has_a_title_and_refuses_what_is_none(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x00\x01\x02 nothing")
    with pytest.raises(FormatError, match="none of the known formats"):
        chosen(Source(path))
    with pytest.raises(FormatError, match="one of auto"):
        chosen(Source(path), "excel95")
    assert all(str(one.title) for one in formats().values())
    assert scope()
