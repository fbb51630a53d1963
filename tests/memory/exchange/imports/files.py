"""Files of other systems, small, as their programs write them."""

import gzip
import json
import sqlite3
import zipfile
from pathlib import Path

from memory.exchange.bring import Incoming, bring_in, preview
from memory.exchange.formats import AUTO, Options
from memory.exchange.told import Report
from memory.models import Memory
from tests.factories import scope

DATA = Path(__file__).parents[3] / "data" / "imports"


def incoming(path: Path, *, form: str = AUTO, user: str = "ann", in_scope=None, **said) -> Incoming:
    return Incoming(in_scope or scope(), path, form=form, options=Options(user, **said))


def bring(path: Path, **said) -> Report:
    return bring_in(incoming(path, **said))


def tried(path: Path, **said) -> Report:
    return preview(incoming(path, **said))


def write_json(path: Path, value) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, *lines) -> Path:
    told = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines)
    path.write_text("\n".join(told) + "\n", encoding="utf-8")
    return path


def write_zip(path: Path, **members) -> Path:
    """Members by name; "__" stands for a dot."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            archive.writestr(name.replace("__", "."), data)
    return path


def write_database(path: Path, script: str, **tables) -> Path:
    with sqlite3.connect(path) as connection:
        connection.executescript(script)
        for table, rows in tables.items():
            for row in rows:
                names, marks = ", ".join(row), ", ".join("?" * len(row))
                connection.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values())
                )
    connection.close()
    return path


def mem0(*rows) -> dict:
    return {"results": list(rows)}


def row(number: int, memory: str, **fields) -> dict:
    return {"id": f"m{number}", "memory": memory, "created_at": "2025-08-01T00:00:00Z"} | fields


OPENMEMORY = """
CREATE TABLE users (id TEXT, user_id TEXT, name TEXT);
CREATE TABLE apps (id TEXT, owner_id TEXT, name TEXT);
CREATE TABLE categories (id TEXT, name TEXT);
CREATE TABLE memory_categories (memory_id TEXT, category_id TEXT);
CREATE TABLE memories (id TEXT PRIMARY KEY, user_id TEXT, app_id TEXT, content TEXT, vector TEXT,
    metadata JSON, state TEXT, created_at TEXT, updated_at TEXT, archived_at TEXT, deleted_at TEXT);
CREATE TABLE memory_status_history (id TEXT, memory_id TEXT, changed_by TEXT, old_state TEXT,
    new_state TEXT, changed_at TEXT);
CREATE TABLE memory_access_logs (id TEXT, memory_id TEXT, app_id TEXT, accessed_at TEXT,
    access_type TEXT, metadata JSON);
"""


def openmemory_document() -> dict:
    states = ("active", "paused", "archived", "deleted")
    return {
        "user": {"id": "u-1", "user_id": "wang"},
        "apps": [{"id": "a-1", "name": "cursor"}],
        "categories": [{"id": "c-1", "name": "饮食"}],
        "memories": [
            {
                "id": f"0000000{n}-0000-4000-8000-000000000000", "user_id": "u-1",
                "app_id": "a-1", "content": f"第{n}件事：喜欢{state}", "state": state,
                "metadata": {}, "created_at": "2025-03-01T08:00:00", "category_ids": ["c-1"],
                "archived_at": "2025-04-01T08:00:00" if state == "archived" else None,
                "deleted_at": "2025-05-01T08:00:00" if state == "deleted" else None,
            }
            for n, state in enumerate(states, start=1)
        ],
        "export_meta": {"version": "1"},
    }  # fmt: skip


def openmemory_database(path: Path) -> Path:
    document = openmemory_document()
    rows = [
        {name: value for name, value in one.items() if name not in ("metadata", "category_ids")}
        | {"id": one["id"].replace("-", "")}
        for one in document["memories"]
    ]
    ids = [one["id"] for one in rows]
    log = [
        (ids[0], "2025-03-02 10:00:00", "喜欢什么", 0.9),
        (ids[3], "2025-03-02 10:00:01", "喜欢什么", 0.7),
        (ids[3], "2025-06-01 10:00:00", "还喜欢什么", 0.8),
    ]
    return write_database(
        path, OPENMEMORY,
        users=[document["user"]], apps=document["apps"], categories=document["categories"],
        memory_categories=[{"memory_id": ids[0], "category_id": "c-1"}],
        memories=rows,
        memory_status_history=[
            {"id": "h1", "memory_id": ids[3], "old_state": "active", "new_state": "deleted",
             "changed_at": "2025-05-01 08:00:00"}
        ],
        memory_access_logs=[
            {"id": f"l{n}", "memory_id": memory_id, "app_id": "a-1", "accessed_at": at,
             "access_type": "search", "metadata": json.dumps({"query": query, "score": score})}
            for n, (memory_id, at, query, score) in enumerate(log)
        ],
    )  # fmt: skip


def openmemory_archive(path: Path, *, lines_only: bool = False) -> Path:
    document = openmemory_document()
    lines = "\n".join(
        json.dumps({n: one[n] for n in ("id", "content", "state", "created_at")})
        for one in document["memories"]
    )
    members = {} if lines_only else {"memories__json": document}
    return write_zip(path, **members, memories__jsonl__gz=gzip.compress(lines.encode()))


MASE = """
CREATE TABLE memory_log (id INTEGER PRIMARY KEY, thread_id TEXT, role TEXT, content TEXT,
    timestamp TEXT, superseded_at TEXT, superseded_by INTEGER, supersede_reason TEXT);
CREATE VIRTUAL TABLE memory_fts USING fts5(content);
CREATE TABLE entity_state (category TEXT, entity_key TEXT, entity_value TEXT,
    source_log_id INTEGER, updated_at TEXT, importance_score REAL, archived INTEGER);
CREATE TABLE entity_state_history (id INTEGER PRIMARY KEY, category TEXT, entity_key TEXT,
    old_value TEXT, new_value TEXT, superseded_at TEXT, supersede_reason TEXT);
CREATE TABLE procedure_registry (procedure_key TEXT, content TEXT, updated_at TEXT);
"""


def mase_database(path: Path) -> Path:
    return write_database(
        path, MASE,
        memory_log=[
            {"id": 1, "thread_id": "t1", "role": "user", "content": "预算改成1200元了",
             "timestamp": "2025-05-02 09:00:00"},
            {"id": 2, "thread_id": "t1", "role": "user", "content": "会议在星期一",
             "timestamp": "2025-05-02 09:10:00", "superseded_by": 3},
            {"id": 3, "thread_id": "t1", "role": "user", "content": "会议改到星期三",
             "timestamp": "2025-05-03 09:00:00"},
        ],
        entity_state=[
            {"category": "finance_budget", "entity_key": "travel_budget", "entity_value": "1200",
             "source_log_id": 1, "updated_at": "2025-05-02 09:00:00", "importance_score": 0.75,
             "archived": 0},
            {"category": "general_facts", "entity_key": "old_desk", "entity_value": "oak",
             "source_log_id": None, "updated_at": "2025-01-02 09:00:00",
             "importance_score": 0.5, "archived": 1},
        ],
        entity_state_history=[
            {"id": 1, "category": "finance_budget", "entity_key": "travel_budget",
             "old_value": "500", "new_value": "800", "superseded_at": "2025-03-01 09:00:00"},
            {"id": 2, "category": "finance_budget", "entity_key": "travel_budget",
             "old_value": "800", "new_value": "1200", "superseded_at": "2025-05-02 09:00:00"},
        ],
        procedure_registry=[
            {"procedure_key": "deploy", "content": "先备份，再上线", "updated_at": "2025-02-01"}
        ],
    )  # fmt: skip


def chain(**found) -> list[tuple]:
    rows = Memory.everywhere.filter(**found).order_by("version")
    return [(one.version, one.value or one.text, one.status) for one in rows]
