"""Each format: found by itself, read with what is particular to it."""

import csv
import json
import os
import sqlite3
from datetime import datetime

import pytest
from django.core.management import call_command
from openpyxl import Workbook

from memory.api.form import memory_form
from memory.exchange.formats import chosen, formats
from memory.exchange.source import FormatError, Source
from memory.models import Memory, Recall, RecallCandidate, Status, Turn
from tests.factories import budget, instant, remember, scope, workspace

from .files import (
    DATA,
    bring,
    incoming,
    mase_database,
    mem0,
    openmemory_archive,
    openmemory_database,
    row,
    tried,
    write_database,
    write_json,
    write_lines,
    write_zip,
)

pytestmark = pytest.mark.django_db


def chain(**found) -> list[tuple]:
    rows = Memory.everywhere.filter(**found).order_by("version")
    return [(one.version, one.value or one.text, one.status) for one in rows]


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


def test_mase_facts_come_with_their_earlier_values(tmp_path):
    path = mase_database(tmp_path / "benchmark_memory.sqlite3")
    trial = tried(path)
    assert not Turn.everywhere.exists()
    report = bring(path)
    assert (report.format, report.counts) == ("mase-db", trial.counts)
    assert report.counts["turn"] == 3
    assert chain(attribute="travel budget") == [
        (1, "500", "superseded"), (2, "800", "superseded"), (3, "1200", "active"),
    ]  # fmt: skip
    rows = list(Memory.everywhere.filter(attribute="travel budget").order_by("version"))
    assert (rows[0].valid_from, rows[0].valid_to) == (None, instant("2025-03-01 09:00"))
    assert rows[2].turn.content == "预算改成1200元了"
    assert Memory.everywhere.get(attribute="old desk").status == Status.EXPIRED
    assert chain(text__contains="会议") == [
        (1, "会议在星期一", "superseded"), (2, "会议改到星期三", "active"),
    ]  # fmt: skip
    assert Memory.everywhere.get(kind="procedure").text == "先备份，再上线"
    assert tried(path).counts == bring(path).counts
    assert set(bring(path).counts) == {"skipped"}
    assert Turn.everywhere.count() == 3


def test_mase_files_with_fewer_columns_and_a_log_beside_them(tmp_path):
    script = """
        PRAGMA journal_mode=WAL;
        CREATE TABLE entity_state (category TEXT, entity_key TEXT, entity_value TEXT);
    """
    path = write_database(tmp_path / "old.sqlite3", script)
    writer = sqlite3.connect(path)
    writer.execute("INSERT INTO entity_state VALUES ('general_facts', 'desk', 'oak')")
    writer.commit()
    try:
        assert (tmp_path / "old.sqlite3-wal").stat().st_size
        assert bring(path).counts == {"added": 1}
    finally:
        writer.close()


def test_a_database_is_read_and_never_written(tmp_path):
    path = mase_database(tmp_path / "m.sqlite3")
    before = path.read_bytes()
    path.chmod(0o400)
    tried(path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["m.sqlite3"]


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


@pytest.mark.parametrize(
    "text",
    [
        "```\n[2026-01-15] - likes tea\n[unknown] - 不吃香菜\n```\nThat is all.",
        "1. [2026-01-15]. likes tea\n2. [未知] 不吃香菜\n",
    ],
)
def test_pasted_lines_keep_their_days(tmp_path, text):
    path = tmp_path / "paste.txt"
    path.write_text(text, encoding="utf-8")
    report = bring(path)
    assert (report.format, report.counts) == ("paste", {"added": 2})
    assert Memory.everywhere.get(text="likes tea").occurred_at == instant("2026-01-15 00:00")


def test_lines_take_our_names_and_mem0s(tmp_path):
    path = write_lines(
        tmp_path / "m.jsonl",
        {"text": "我的预算是800元", "user_id": "ann", "entity": "user", "attribute": "预算",
         "value": "800元", "kind": "fact"},
        {"memory": "likes tea"},
        "{broken",
    )  # fmt: skip
    report = bring(path)
    assert (report.format, report.counts) == ("jsonl", {"added": 2, "rejected": 1})
    assert Memory.everywhere.get(attribute="预算").kind == "fact"


def test_a_table_with_chinese_headings(tmp_path):
    path = tmp_path / "库存.csv"
    text = "编号,商品,属性,取值,时间,仓库\n1,键盘,库存,25,2025/3/1,北京\n2,鼠标,库存,,,上海\n"
    path.write_bytes(text.encode("gb18030"))
    report = bring(path)
    assert (report.format, report.counts) == ("csv", {"added": 1, "rejected": 1})
    memory = Memory.everywhere.get()
    assert (memory.entity, memory.attribute, memory.value) == ("键盘", "库存", "25")
    assert memory.metadata["仓库"] == "北京"
    origin = memory.metadata["origin"]
    assert (origin["row"], len(origin["file_sha256"])) == (2, 64)
    assert report.rejects[0].raw["仓库"] == "上海"


def test_a_mapping_says_what_a_column_is(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("型号;说什么\nK1;likes tea\n", encoding="utf-8")
    with pytest.raises(FormatError, match="none of the known formats"):
        incoming(path)
    with pytest.raises(FormatError, match="no column is known"):
        tried(path, form="csv")
    report = bring(path, form="csv", columns={"说什么": "text", "型号": "external_id"})
    assert report.counts == {"added": 1}
    assert Memory.everywhere.get().external_id == "K1"
    for wrong in ({"missing": "text"}, {"型号": "colour"}):
        with pytest.raises(FormatError):
            tried(path, form="csv", columns=wrong)


def test_guarded_cells_come_back_as_they_were(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["text"], ["'=1+1"], ["-5.00"], ["'tis fine"], ["两行\n一格"]])
    bring(path)
    assert set(Memory.everywhere.values_list("text", flat=True)) == {
        "=1+1", "-5.00", "'tis fine", "两行\n一格",
    }  # fmt: skip


def test_a_workbook_keeps_sheet_and_row(tmp_path):
    book = Workbook()
    book.active.append(["nothing", "here"])
    sheet = book.create_sheet("价格")
    sheet.append(["实体", "属性", "值", "日期"])
    sheet.append(["SKU-7", "price", 12.5, datetime(2025, 3, 1)])
    sheet.append([None, None, None, None])
    sheet.append(["SKU-8", "price", 20, None])
    path = tmp_path / "book.xlsx"
    book.save(path)
    report = bring(path)
    assert (report.format, report.counts) == ("xlsx", {"added": 2})
    memory = Memory.everywhere.get(entity="SKU-8")
    assert memory.value == "20"
    assert memory.metadata["origin"]["sheet"] == "价格"
    assert memory.metadata["origin"]["row"] == 4
    assert Memory.everywhere.get(entity="SKU-7").occurred_at == instant("2025-03-01 00:00")


def test_every_format_has_a_title_and_refuses_what_is_none(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(b"\x00\x01\x02 nothing")
    with pytest.raises(FormatError, match="none of the known formats"):
        chosen(Source(path))
    with pytest.raises(FormatError, match="one of auto"):
        chosen(Source(path), "excel95")
    assert all(str(one.title) for one in formats().values())
    assert scope()


VALUES = ["=1+1", "+8 days", "@SUM(A1)", "-5.00", "-2+3", "＝1+1", "正常", '含"引号",逗号\n换行']


def test_our_own_table_comes_back_as_it_was(tmp_path):
    for n, value in enumerate(VALUES):
        remember(entity=f"s{n}", attribute="v", value=value, tags=("甲", "b"), kind="fact",
                 metadata={"n": n}, occurred_at=instant("2025-03-01 09:00"))  # fmt: skip
    path = tmp_path / "own.csv"
    call_command("export_memories", format="csv", out=path, workspace="w1")
    report = bring(path, in_scope=scope(workspace("w2")))
    assert (report.format, report.counts) == ("csv", {"added": len(VALUES)})
    rows = Memory.objects.within(scope(workspace("w2"))).order_by("entity")
    assert [one.value for one in rows] == VALUES
    assert {tuple(one.tags) for one in rows} == {("甲", "b")}
    assert {one.occurred_at for one in rows} == {instant("2025-03-01 09:00")}
    assert [one.metadata["n"] for one in rows] == list(range(len(VALUES)))
    assert set(rows[0].metadata) == {"n", "origin", "imported", "times_at_source"}


def test_our_own_lines_come_back_with_their_history(tmp_path):
    for n, value in enumerate(("800", "1200")):
        budget(value, occurred_at=instant(f"2025-0{n + 1}-01 09:00"))
    path = tmp_path / "own.jsonl"
    call_command("export_memories", format="jsonl", out=path, workspace="w1")
    report = bring(path, in_scope=scope(workspace("w2")))
    assert (report.format, report.rejects) == ("mase-memories", [])
    rows = Memory.objects.within(scope(workspace("w2"))).order_by("version")
    assert [(one.value, one.status) for one in rows] == [
        ("800", "superseded"), ("1200", "active"),
    ]  # fmt: skip
    # Into the store that it came from, nothing.
    before = Memory.everywhere.count()
    bring(path)
    assert Memory.everywhere.count() == before


FACTS = """
CREATE TABLE facts (fact_id TEXT, subject TEXT, predicate TEXT, object TEXT, status TEXT,
    confidence REAL, valid_from TEXT, observed_at TEXT, created_at TEXT);
CREATE TABLE fact_edges (from_fact_id TEXT, to_fact_id TEXT, edge_type TEXT);
CREATE TABLE memory_log (id INTEGER PRIMARY KEY, thread_id TEXT, role TEXT, content TEXT);
"""


def test_mase_governed_facts_come_as_chains(tmp_path):
    def fact(n, value, status, **more):
        return {"fact_id": f"f{n}", "subject": "Lin", "predicate": "home_town", "object": value,
                "status": status, "confidence": 0.8,
                "observed_at": f"2025-01-0{n}T00:00:00Z"} | more  # fmt: skip

    path = write_database(
        tmp_path / "m.sqlite3", FACTS,
        facts=[
            fact(1, "Rome", "superseded"), fact(2, "Oslo", "superseded"), fact(3, "Bern", "active"),
            fact(4, "blue", "retracted", predicate="colour"),
            fact(5, "A", "active", predicate="loop"), fact(6, "B", "active", predicate="loop"),
            fact(7, None, "active"),
        ],
        fact_edges=[
            {"from_fact_id": "f2", "to_fact_id": "f1", "edge_type": "supersedes"},
            {"from_fact_id": "f3", "to_fact_id": "f2", "edge_type": "supersedes"},
            {"from_fact_id": "f5", "to_fact_id": "f6", "edge_type": "supersedes"},
            {"from_fact_id": "f6", "to_fact_id": "f5", "edge_type": "supersedes"},
        ],
    )  # fmt: skip
    report = bring(path)
    assert chain(attribute="home town") == [
        (1, "Rome", "superseded"), (2, "Oslo", "superseded"), (3, "Bern", "active"),
    ]  # fmt: skip
    assert chain(attribute="colour") == [(1, "blue", "retracted")]
    assert len(chain(attribute="loop")) == 2
    assert [one.number for one in report.rejects] == [7]
    assert bring(path).counts == {"skipped": 3, "rejected": 1}


def test_a_fact_whose_turn_is_not_here_comes_without_it(tmp_path):
    path = mase_database(tmp_path / "m.sqlite3")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE memory_log SET content = ? WHERE id = 1", ["x" * 100_001])
    connection.close()
    report = bring(path)
    assert [one.message for one in report.rejects] == ["content: is too long"]
    memory = Memory.everywhere.get(attribute="travel budget", status=Status.ACTIVE)
    assert (memory.value, memory.turn_id) == ("1200", None)


def test_a_page_of_our_own_api_is_read(tmp_path):
    mine = remember(text="likes tea", tags=("drinks",), occurred_at=instant("2025-03-01 09:00"))
    document = {"items": [memory_form(mine, "w1")], "next": None, "total": 1}
    path = write_json(tmp_path / "page.json", json.loads(json.dumps(document, default=str)))
    assert bring(path, in_scope=scope(workspace("w2"))).counts == {"added": 1}
    copy = Memory.objects.within(scope(workspace("w2"))).get()
    assert (copy.external_id, copy.tags) == (str(mine.public_id), ["drinks"])
    assert copy.occurred_at == mine.occurred_at
