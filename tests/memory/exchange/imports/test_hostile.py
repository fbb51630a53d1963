"""Whatever a file holds: it is refused as a whole or row by row, and nothing else happens."""

import io
import json
import pickle
import sqlite3
import zipfile
from contextlib import suppress
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from memory.exchange import source as sources
from memory.exchange.fields import read_moment, shown
from memory.exchange.formats import Options, formats
from memory.exchange.record import Item
from memory.exchange.source import FormatError, Source
from memory.models import Change, Memory
from memory.write.ledger import first_break
from memory.write.snapshot import snapshot

from .files import bring, mase_database, mem0, row, tried, write_database, write_json, write_zip

pytestmark = pytest.mark.django_db

NAMES = sorted(formats())
ROW_NAMES = st.sampled_from(
    ["id", "memory", "text", "type", "name", "entityType", "observations", "from", "to",
     "relationType", "created_at", "metadata", "results", "nodes", "blocks", "agents", "value",
     "payload", "mapping", "chat_messages", "conversations_memory", "fact", "status"]
)  # fmt: skip
LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
JSON = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ROW_NAMES, inner, max_size=5),
    max_leaves=25,
)
quick = limits(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_by_all(path) -> None:
    """Every format reads it, or raises its own error."""
    for form in formats().values():
        with suppress(FormatError):
            source = Source(path)
            form.sniff(source)
            items = list(form.read(source, Options("ann")))
            assert all(isinstance(item, Item) for item in items)


@quick
@given(data=st.binary(max_size=400))
def test_any_bytes(tmp_path, data):
    path = tmp_path / "x"
    path.write_bytes(data or b" ")
    read_by_all(path)


@quick
@given(value=JSON)
def test_any_json(tmp_path, value):
    path = tmp_path / "x"
    path.write_text(json.dumps(value), encoding="utf-8")
    read_by_all(path)


@quick
@given(lines=st.lists(JSON.map(json.dumps) | st.text(max_size=30), max_size=5))
def test_any_lines(tmp_path, lines):
    path = tmp_path / "x"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass") or b" ")
    read_by_all(path)


@quick
@given(value=JSON, name=st.sampled_from(["memories.json", "conversations.json", "xl/workbook.xml"]))
def test_any_archive(tmp_path, value, name):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, json.dumps(value))
        archive.writestr("memories.jsonl.gz", b"\x1f\x8bnothing")
    read_by_all(path)


CELLS = st.none() | st.integers(-5, 5) | st.text(max_size=8) | st.binary(max_size=5)


@quick
@given(cells=st.lists(CELLS, min_size=30, max_size=30))
def test_any_values_in_a_database(tmp_path, cells):
    path = tmp_path / "m.sqlite3"
    path.unlink(missing_ok=True)
    mase_database(path)
    with sqlite3.connect(path) as connection:
        for table in ("memory_log", "entity_state", "entity_state_history", "procedure_registry"):
            names = [one[1] for one in connection.execute(f"PRAGMA table_info({table})")]
            free = [name for name in names if name != "id"]
            marks = ", ".join("?" * len(free))
            values = cells[: len(free)]
            try:
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(free)}) VALUES ({marks})", values
                )
            except UnicodeEncodeError:
                return
    connection.close()
    read_by_all(path)


@quick
@given(value=st.one_of(LEAF, st.text(alphabet="0123456789-:TZ+./ ", max_size=30)))
def test_any_time(value):
    found = read_moment(value)
    assert found is None or (found[0].tzinfo is not None and 1970 <= found[0].year <= 2200)


@quick
@given(value=JSON)
def test_whatever_is_told_back_is_small_and_json(value):
    json.dumps(shown(value), allow_nan=False)


def test_a_pickle_is_not_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was loaded",))

    path = tmp_path / "x.json"
    path.write_bytes(pickle.dumps(Trap()))
    read_by_all(path)


def test_deep_nesting(tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    read_by_all(path)
    path.write_text('{"memory": ' + "[" * 5000 + "]" * 5000 + "}\n", encoding="utf-8")
    read_by_all(path)


def test_an_archive_made_to_fill_a_disk_is_refused(tmp_path):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("memories.json", b"[" + b" " * 30_000_000)
    path = tmp_path / "b.zip"
    path.write_bytes(bomb.getvalue())
    with pytest.raises(FormatError, match="packed too tightly"):
        tried(path, form="claude")
    many = tmp_path / "many.zip"
    with zipfile.ZipFile(many, "w") as archive:
        for n in range(sources.MEMBERS + 1):
            archive.writestr(f"{n}", b"")
        archive.writestr("memories.json", b"[]")
    with pytest.raises(FormatError):
        tried(many, form="claude")


def test_a_file_beyond_the_limit_is_refused(tmp_path, settings):
    settings.IMPORT_MAX_MB = 1
    path = tmp_path / "m.json"
    path.write_bytes(b" " * 1_000_001)
    with pytest.raises(FormatError, match="larger than 1 MB"):
        tried(path)
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="is empty"):
        tried(path)


def test_too_many_rows_are_refused_before_any_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr("memory.exchange.bring.MOST_ROWS", 3)
    path = write_json(tmp_path / "m.json", mem0(*(row(n, f"tea {n}") for n in range(4))))
    with pytest.raises(FormatError, match="more than 3 rows"):
        bring(path)
    assert not Memory.everywhere.exists()


def test_a_line_beyond_its_limit_is_told_and_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LINE_LIMIT", 200)
    path = tmp_path / "m.jsonl"
    long = json.dumps({"memory": "x" * 500})
    path.write_text(f'{{"memory": "likes tea"}}\n{long}\n{{"memory": "likes rain"}}\n')
    report = bring(path)
    assert report.counts == {"added": 2, "rejected": 1}
    assert report.rejects[0].number == 2


def test_a_damaged_database_is_refused(tmp_path):
    path = mase_database(tmp_path / "m.sqlite3")
    data = bytearray(path.read_bytes())
    data[4096:12_000] = b"\xff" * (12_000 - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(FormatError):
        tried(path, form="mase-db")


def test_a_table_that_is_a_view_or_virtual_is_not_read(tmp_path):
    script = """
        CREATE TABLE entity_state (entity_key TEXT, entity_value TEXT, category TEXT);
        CREATE VIEW facts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT i AS fact_id FROM n;
        CREATE VIRTUAL TABLE memory_log USING fts5(content);
    """
    path = write_database(tmp_path / "m.sqlite3", script)
    assert tried(path, form="mase-db").total == 0


def test_a_database_may_not_take_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "DATABASE_SECONDS", -1)
    script = "CREATE TABLE entity_state (entity_key TEXT, entity_value TEXT, category TEXT);"
    rows = [{"entity_key": f"k{n}", "entity_value": "v" * 50} for n in range(20_000)]
    path = write_database(tmp_path / "m.sqlite3", script, entity_state=rows)
    with pytest.raises(FormatError, match="interrupted"):
        tried(path, form="mase-db")


def test_a_file_that_breaks_off_writes_nothing(tmp_path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(mem0(row(1, "likes tea")))[:-3], encoding="utf-8")
    with pytest.raises(FormatError, match="is not JSON in line 1"):
        bring(path, form="mem0")
    archive = write_zip(tmp_path / "c.zip", memories__json=b"[{")
    with pytest.raises(FormatError, match=r"memories\.json is not JSON"):
        bring(archive, form="claude")
    assert not Memory.everywhere.exists()


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(1, 6).map("r{}".format),
            "memory": st.sampled_from(
                ["likes tea", "likes rain", "我的预算是800元", "我的预算是900元", "住在上海", ""]
            ),
            "state": st.sampled_from(["active", "paused", "archived", "deleted"]),
            "created_at": st.sampled_from(["2025-01-01", "2025-02-01T00:00:00Z", None]),
            "user_id": st.sampled_from(["ann", "bob"]),
        }
    ),
    max_size=6,
    unique_by=lambda one: one["id"],
)


@limits(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=ROWS, second=ROWS)
def test_whatever_was_brought_in_again_changes_nothing(tmp_path, first, second):
    """Two exports, the later one changed at will, each into what is there by then."""
    path, example = tmp_path / "m.json", uuid4().hex[:8]
    for rows in (first, second):
        rows = [one | {"user_id": f"{one['user_id']}-{example}"} for one in rows]
        write_json(path, mem0(*rows))
        told = tried(path).counts
        assert bring(path).counts == told
        before = Change.objects.count()
        again = bring(path).counts
        assert set(again) <= {"skipped", "rejected"}
        assert Change.objects.count() == before
    assert first_break() is None
    assert not ledger_differs()


def ledger_differs() -> list:
    """Memories that are not as the ledger's last entry leaves them."""
    return [
        memory.public_id
        for memory in Memory.everywhere.all()
        if Change.objects.filter(memory_id=memory.public_id).order_by("-id").first().after
        != snapshot(memory)
    ]
