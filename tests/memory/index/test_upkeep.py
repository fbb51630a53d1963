"""The indexes against the table: what breaks is named, and `reindex` repairs it."""

import sqlite3
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory.index.rows import merge_a_little, optimise
from memory.index.schema import BROWSE, RECALL
from memory.index.storage import count_values
from memory.index.upkeep import drift
from memory.models import Memory, Owner
from memory.write.apply import apply
from memory.write.revise import plan_retract
from memory.write.transaction import write_transaction
from tests import factories as make

pytestmark = pytest.mark.django_db


def run(sql: str, *values) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def check() -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("reindex", "--check", stdout=out, no_color=True)
    except CommandError as error:
        return error.returncode, out.getvalue() + str(error)
    return 0, out.getvalue()


@pytest.fixture
def store() -> Memory:
    """The current row of a small store."""
    make.budget("800")
    row = make.budget("1200")
    gone = make.remember(text="gate code", user_id="ben")
    apply(plan_retract(make.scope(), [gone]).plan("retract", ""))
    make.remember(make.scope(make.workspace("w2")), text="elsewhere")
    return row


def broken_ways() -> dict[str, tuple[str, str]]:
    """What is done to the row :id, and the line by which it is told."""
    return {
        "recall row lost": (f"DELETE FROM {RECALL} WHERE rowid = :id", f"{RECALL}: missing"),
        "browse row lost": (f"DELETE FROM {BROWSE} WHERE rowid = :id", f"{BROWSE}: missing"),
        "recall row altered": (
            f"UPDATE {RECALL} SET words = words || ' 1~800' WHERE rowid = :id",
            f"{RECALL}: different",
        ),
        "browse row altered": (
            f"UPDATE {BROWSE} SET bigrams = '' WHERE rowid = :id", f"{BROWSE}: different",
        ),
        "text altered beneath": (
            "UPDATE memory_memory SET text = 'another' WHERE id = :id", f"{RECALL}: different",
        ),
        "state altered beneath": (
            "UPDATE memory_memory SET status = 'expired' WHERE id = :id", f"{RECALL}: extra",
        ),
        "ghost far behind": (
            f"INSERT INTO {RECALL}(rowid, words, bigrams) VALUES (:id + 4000, '1~ghost', '')",
            f"{RECALL}: extra",
        ),
        "counter off": ("UPDATE memory_owner SET active = active + 1", "owner: count"),
    }  # fmt: skip


@pytest.mark.parametrize("way", broken_ways())
def test_every_kind_of_drift_is_named_and_repaired(store, way):
    assert check()[0] == 0
    sql, line = broken_ways()[way]
    run(sql.replace(":id", str(store.pk)))
    code, told = check()
    assert code == 1
    assert line in told
    assert "reindex repairs" in told
    # The engine's own check does not see it: that is why this one is there.
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        assert cursor.fetchone() == ("ok",)
    call_command("reindex", verbosity=0, stdout=StringIO())
    assert check()[0] == 0
    assert list(drift()) == []


def test_a_missing_row_is_named_by_its_public_id(store):
    run(f"DELETE FROM {RECALL} WHERE rowid = %s", store.pk)
    assert str(store.public_id) in check()[1]


def test_checking_changes_nothing(store):
    run(f"DELETE FROM {RECALL} WHERE rowid = %s", store.pk)
    first, second = check(), check()
    assert first == second
    assert make.ask("预算").items == ()


def test_a_row_back_from_the_dead_is_not_served_even_before_repair(store):
    run(f"INSERT INTO {RECALL}(rowid, words, bigrams) VALUES (%s, 'x', 'x')", store.pk - 1)
    run(
        f"UPDATE {RECALL} SET words = (SELECT words FROM {RECALL} WHERE rowid = %s), "
        f"bigrams = (SELECT bigrams FROM {RECALL} WHERE rowid = %s) WHERE rowid = %s",
        store.pk, store.pk, store.pk - 1,
    )  # fmt: skip
    assert [item.memory.value for item in make.ask("预算").items] == ["1200"]


def test_drift_walks_more_rows_than_one_page(store, monkeypatch):
    from memory.index import upkeep

    for page in (1, 2, 3, 5):
        monkeypatch.setattr(upkeep, "PAGE", page)
        assert list(drift()) == []
        run(f"DELETE FROM {RECALL} WHERE rowid = %s", store.pk)
        run(f"INSERT INTO {BROWSE}(rowid, words, bigrams) VALUES (900, 'x', '')")
        assert {(found.what, found.rowid) for found in drift()} == {
            ("missing", store.pk), ("extra", 900),
        }  # fmt: skip
        upkeep.rebuild()


def test_a_rebuild_counts_and_tells_its_progress(store, monkeypatch):
    from memory.index import upkeep

    monkeypatch.setattr(upkeep, "PAGE", 2)
    told = []
    make.turn(content="一句话")
    assert upkeep.rebuild(told.append) == 4
    assert told[:2] == [2, 4]
    assert told[-1] == upkeep.size() == 6


def test_the_owners_counters_are_the_active_rows():
    make.budget("800")
    make.budget("1200")
    make.remember(text="x")
    make.remember(user_id="ben", text="y")
    gone = make.remember(user_id="ben", text="z")
    apply(plan_retract(make.scope(), [gone]).plan("retract", ""))
    assert dict(Owner.objects.values_list("user_id", "active")) == {"ann": 2, "ben": 1}


def test_merging_changes_no_answer(store):
    before = [item.memory.pk for item in make.ask("预算").items]
    merge_a_little()
    optimise()
    assert [item.memory.pk for item in make.ask("预算").items] == before
    assert list(drift()) == []


def rows_of_many_users(row: Memory) -> None:
    names = [field.column for field in Memory._meta.concrete_fields if field.name != "id"]
    changed = {"public_id": "lower(hex(randomblob(16)))", "user_id": "'user ' || n"}
    changed |= {"fact_id": changed["public_id"], "fact": changed["public_id"]}
    run(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 300) "
        f"INSERT INTO memory_memory ({', '.join(names)}) "
        f"SELECT {', '.join(changed.get(name, name) for name in names)} "
        f"FROM memory_memory, numbers WHERE id = {row.pk}"
    )


def planned(connected: sqlite3.Connection, sql: str) -> str:
    # Only what runs notices that the store's tables are others.
    connected.execute(sql).fetchall()
    return str(connected.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall())


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_open_heeds_the_counted_values():
    """The rows of one user are read by the index of users, whichever order is asked for."""
    row = make.remember(text="milk", user_id="ann")
    other = sqlite3.connect(connection.settings_dict["NAME"], cached_statements=0)
    sql = (
        f"SELECT * FROM memory_memory WHERE workspace_id = {row.workspace_id} "
        "AND user_id = 'ann' AND status = 'active' ORDER BY updated_at DESC, id DESC LIMIT 50"
    )
    try:
        rows_of_many_users(row)
        plans = [planned(other, sql)]
        with write_transaction():
            count_values()
        plans.append(planned(other, sql))
    finally:
        other.close()
        run("DROP TABLE IF EXISTS sqlite_stat1")
    assert "memory_by_update" in plans[0]
    assert "memory_by_user" in plans[1]
