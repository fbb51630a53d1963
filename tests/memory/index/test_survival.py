"""What happens around the road in: flush, fixtures, rebuilt tables, migrations."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction

from memory.index.schema import BROWSE, RECALL, TERMS
from memory.index.storage import checkpoint, log_bytes
from memory.index.upkeep import drift
from memory.models import Batch, Change, Memory, Owner
from memory.write import queue
from memory.write.ledger import first_break
from memory.write.snapshot import snapshot
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)
GUARDS = {
    "memory_change_no_delete", "memory_change_no_update",
    "memory_batch_no_delete", "memory_batch_no_update",
}  # fmt: skip


def one(sql: str):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        row = cursor.fetchone()
    return row and row[0]


def triggers() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        return {name for (name,) in cursor.fetchall()}


def story() -> None:
    make.budget("800", occurred_at=make.instant("2026-03-01 08:00"))
    make.budget("1200", occurred_at=make.instant("2026-03-02 08:00"))
    make.remember(user_id="ben", text="Ben's locker is 14", metadata={"一": [0.1, None]})
    make.remember(text="北门六点开", turn_id=make.turn(content="北门六点开").public_id)


def rows() -> list[dict]:
    return [snapshot(row) for row in Memory.everywhere.order_by("id")]


def test_every_connection_keeps_what_it_says_it_keeps():
    assert one("PRAGMA journal_mode") == "wal"
    assert one("PRAGMA synchronous") == 2
    assert one("PRAGMA foreign_keys") == 1
    connection.close()
    assert one("PRAGMA journal_mode") == "wal"
    assert one("PRAGMA synchronous") == 2
    assert one("PRAGMA foreign_keys") == 1
    assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_a_flush_empties_table_ledger_and_indexes_and_leaves_the_guard():
    story()
    call_command("flush", interactive=False, verbosity=0)
    assert [m.objects.count() for m in (Owner, Change)] == [0, 0]
    assert [m.everywhere.count() for m in (Memory, Batch)] == [0, 0]
    assert [one(f"SELECT COUNT(*) FROM {table}") for table in (RECALL, BROWSE)] == [0, 0]
    assert triggers() == GUARDS
    assert list(drift()) == []
    story()
    assert make.ask("预算").items[0].memory.value == "1200"
    assert list(drift()) == []
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Change.objects.all().delete()


def test_a_dump_restored_into_an_emptied_store_loses_nothing(tmp_path: Path):
    story()
    before, ledger = rows(), list(Change.objects.order_by("id").values())
    dump = tmp_path / "dump.json"
    call_command("dumpdata", "memory", output=str(dump), verbosity=0)
    call_command("flush", interactive=False, verbosity=0)
    call_command("loaddata", str(dump), verbosity=0)
    assert rows() == before
    assert list(Change.objects.order_by("id").values()) == ledger
    assert first_break() is None
    assert list(drift()) == []
    assert dict(Owner.objects.values_list("user_id", "active")) == {"ann": 2, "ben": 1}
    assert [item.memory.value for item in make.ask("预算").items] == ["1200"]
    make.budget("1500")
    assert [item.memory.value for item in make.ask("预算").items] == ["1500"]
    assert list(drift()) == []


def test_a_dump_without_the_derived_owners_is_indexed_all_the_same(tmp_path: Path):
    story()
    dump = tmp_path / "dump.json"
    call_command("dumpdata", "memory", exclude=["memory.Owner"], output=str(dump), verbosity=0)
    call_command("flush", interactive=False, verbosity=0)
    call_command("loaddata", str(dump), verbosity=0)
    assert list(drift()) == []
    assert [item.memory.value for item in make.ask("预算").items] == ["1200"]


def test_a_fixture_over_rows_in_another_state_leaves_no_ghost(tmp_path: Path):
    row = make.budget("800")
    dump = tmp_path / "dump.json"
    call_command("dumpdata", "memory.memory", output=str(dump), verbosity=0, indent=1)
    dump.write_text(dump.read_text("utf-8").replace('"active"', '"retracted"'), "utf-8")
    call_command("loaddata", str(dump), verbosity=0)
    row.refresh_from_db()
    assert row.status == "retracted"
    assert list(drift()) == []
    assert make.ask("预算").items == ()


def test_the_indexes_outlive_a_rebuild_of_the_table():
    story()
    before = rows()
    old = Memory._meta.get_field("domain")
    new = models.CharField(max_length=120, blank=True)
    new.set_attributes_from_name("domain")
    new.model = Memory
    try:
        with connection.schema_editor() as editor:
            editor.alter_field(Memory, old, new, strict=True)
        assert one("SELECT sql FROM sqlite_master WHERE name = 'memory_memory'").count(
            "varchar(120)"
        )
        assert rows() == before
        assert list(drift()) == []
        make.budget("1500")
        assert [item.memory.value for item in make.ask("预算").items] == ["1500"]
        assert list(drift()) == []
        assert triggers() == GUARDS
        with pytest.raises(IntegrityError, match="UNIQUE"), transaction.atomic():
            Memory.everywhere.filter(value="800").update(status="active")
    finally:
        with connection.schema_editor() as editor:
            editor.alter_field(Memory, new, old, strict=True)
    assert list(drift()) == []


def test_the_search_migration_goes_back_and_comes_again():
    story()
    tables = {RECALL, BROWSE, *TERMS.values()}
    try:
        call_command("migrate", "memory", "0002", verbosity=0)
        assert not tables & set(connection.introspection.table_names())
        assert triggers() == set()
    finally:
        call_command("migrate", "memory", verbosity=0)
    assert tables <= set(connection.introspection.table_names())
    assert triggers() == GUARDS
    assert one("PRAGMA journal_mode") == "wal"
    call_command("reindex", verbosity=0, stdout=StringIO())
    assert list(drift()) == []
    assert [item.memory.value for item in make.ask("预算").items] == ["1200"]


def test_no_model_change_is_without_its_migration():
    call_command("makemigrations", "memory", check=True, dry_run=True, verbosity=0)


def test_the_log_is_folded_in_and_empty_after():
    story()
    assert log_bytes() > 0
    with queue.turn():
        assert checkpoint()
    assert log_bytes() == 0


def test_the_log_of_a_reader_is_left_alone():
    import sqlite3

    story()
    reader = sqlite3.connect(connection.settings_dict["NAME"])
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM memory_memory").fetchone()
        make.remember(text="written meanwhile")
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout=50")
        assert not checkpoint()
    finally:
        reader.close()
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_lost_guard_is_back_after_migrate():
    make.budget("800")
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER memory_change_no_delete")
    call_command("migrate", verbosity=0)
    with pytest.raises(IntegrityError):
        Change.objects.all().delete()
