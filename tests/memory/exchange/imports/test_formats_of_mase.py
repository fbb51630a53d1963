"""Our own formats, old and new: what was written comes back as it was."""

import json
import sqlite3

import pytest
from django.core.management import call_command

from memory.api.form import memory_form
from memory.models import Memory, Status, Turn
from tests.factories import budget, instant, remember, scope, workspace

from .files import bring, chain, mase_database, tried, write_database, write_json

pytestmark = pytest.mark.django_db


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
