"""The chain of the ledger: append-only in the database, and every altered column is named."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from memory.index.schema import UNGUARD
from memory.models import GENESIS, Batch, Change, Memory
from memory.write.apply import apply
from memory.write.ledger import first_break
from memory.write.revise import plan_amend, plan_confirm, plan_restore, plan_retract
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def story():
    """Entries of many kinds, by two people, in two workspaces."""
    scope = make.scope()
    first = make.budget("800", reason="开户")
    second = make.budget("1200", metadata={"比例": 0.1, "深": [1, {"x": None}]}, confidence=0.6)
    make.remember(
        make.scope(make.workspace("w2"), actor="key:bot", surface="api"), text="elsewhere"
    )
    plan = plan_amend(scope, second, {"value": "1500"}).plan("amend", "又涨了")
    amended = apply(plan)
    newest = amended.memories[amended.entries[-1].memory_id]
    apply(plan_confirm(scope, newest).plan("confirm", ""))
    first.refresh_from_db()
    retracted = apply(plan_retract(scope, [first]).plan("retract", "记错"))
    undo(scope, retracted.batch, "其实没错")
    first.refresh_from_db()
    apply(plan_restore(scope, first).plan("restore", ""))


def test_an_empty_ledger_holds():
    assert first_break() is None


def test_every_entry_follows_the_one_before(story):
    assert first_break() is None
    previous = GENESIS
    for entry in Change.objects.order_by("id"):
        assert entry.previous_hash == previous
        assert entry.hash == entry.sealed_hash()
        previous = entry.hash
    assert Change.objects.count() == 11
    assert Change.objects.values("hash").distinct().count() == 11


def test_the_chain_hangs_on_the_pepper(story, settings):
    settings.PEPPER = "somebody else's"
    assert first_break().entry == Change.objects.order_by("id").first()


CHANGE_COLUMNS = {
    "batch_id": "(SELECT MIN(id) FROM memory_batch)",
    "memory_id": "'00000000000000000000000000000000'",
    "fact": "'00000000000000000000000000000000'",
    "at": "'2020-01-01 00:00:00'",
    "action": "'add '",
    "status_before": "'expired'",
    "status_after": "'expired'",
    "revision_before": "77",
    "revision_after": "77",
    "payload": '\'{"before": null, "after": null}\'',
    "payload_digest": "'0'",
    "previous_hash": "'0'",
    "hash": "'0'",
}
BATCH_COLUMNS = {
    "public_id": "'00000000000000000000000000000000'",
    "workspace_id": "(SELECT MAX(id) FROM memory_workspace)",
    "user_id": "'ben'",
    "at": "'2020-01-01 00:00:00'",
    "actor": "'person:ben'",
    "surface": "'api '",
    "verb": "'import'",
    "reason": "'no reason'",
    "reason_digest": "'0'",
    "undoes_id": "(SELECT MIN(id) FROM memory_batch)",
}


def middle() -> Change:
    return Change.objects.order_by("id")[4]


def unguarded(sql: str) -> None:
    with connection.cursor() as cursor:
        for statement in UNGUARD:
            cursor.execute(statement)
        cursor.execute(sql)
        assert cursor.rowcount == 1


def test_all_columns_are_tried_here():
    assert {f.attname for f in Change._meta.concrete_fields} - {"id"} == set(CHANGE_COLUMNS)
    assert {f.attname for f in Batch._meta.concrete_fields} - {"id"} == set(BATCH_COLUMNS)


@pytest.mark.parametrize("column", CHANGE_COLUMNS)
def test_an_altered_column_of_an_entry_is_found(story, column):
    entry = middle()
    unguarded(f"UPDATE memory_change SET {column} = {CHANGE_COLUMNS[column]} WHERE id = {entry.pk}")
    assert first_break().entry.pk == entry.pk
    with pytest.raises(CommandError, match=f"entry {entry.pk} ") as refused:
        call_command("verify_ledger")
    assert refused.value.returncode == 1


@pytest.mark.parametrize("column", BATCH_COLUMNS)
def test_an_altered_column_of_a_batch_is_found(story, column):
    entry = middle()
    unguarded(
        f"UPDATE memory_batch SET {column} = {BATCH_COLUMNS[column]} WHERE id = {entry.batch_id}"
    )
    assert first_break().entry.pk == entry.batch.changes.order_by("id").first().pk


def test_a_missing_entry_is_found(story):
    entry = middle()
    unguarded(f"DELETE FROM memory_change WHERE id = {entry.pk}")
    found = first_break()
    assert found.entry.pk == entry.pk + 1
    assert "follow" in found.what


def test_two_entries_that_changed_places_are_found(story):
    entry = middle()
    unguarded(f"UPDATE memory_change SET id = -1 WHERE id = {entry.pk}")
    assert first_break().entry.pk == -1


def test_a_payload_taken_away_by_an_erasure_keeps_the_chain(story):
    entry = middle()
    Change.objects.filter(pk=entry.pk).update(payload=None)
    entry.refresh_from_db()
    assert (entry.before, entry.after) == (None, None)
    assert first_break() is None


def test_a_payload_taken_away_cannot_come_back(story):
    entry = middle()
    Change.objects.filter(pk=entry.pk).update(payload=None)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Change.objects.filter(pk=entry.pk).update(payload=entry.payload)


@pytest.mark.parametrize("column", [*CHANGE_COLUMNS, "id"])
def test_the_database_refuses_to_alter_an_entry(story, column):
    entry = middle()
    value = CHANGE_COLUMNS.get(column, "-1")
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE memory_change SET {column} = {value} WHERE id = {entry.pk}")
    assert first_break() is None


@pytest.mark.parametrize("column", [*(name for name in CHANGE_COLUMNS if name != "payload"), "id"])
def test_nor_may_an_erasure_alter_anything_but_the_payload(story, column):
    entry = middle()
    value = CHANGE_COLUMNS.get(column, "-1")
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            f"UPDATE memory_change SET payload = NULL, {column} = {value} WHERE id = {entry.pk}"
        )


def test_the_database_refuses_every_other_way_too(story):
    ways = [
        lambda: Change.objects.all().delete(),
        lambda: Change.objects.filter(pk=middle().pk).update(action="other"),
        lambda: Change.objects.filter(pk=middle().pk).update(payload=None, action="other"),
        lambda: Batch.everywhere.filter(pk=middle().batch_id).update(reason="other"),
        lambda: middle().batch.save(),
        lambda: Batch.everywhere.filter(pk=middle().batch_id)._raw_delete("default"),
    ]
    for way in ways:
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            way()
    assert first_break() is None


def test_the_ledger_is_readable_after_its_subject_is_gone():
    row = make.remember(text="she keeps bees", reason="told")
    Memory.everywhere.filter(pk=row.pk)._raw_delete("default")
    entry = Change.objects.get(memory_id=row.public_id)
    assert (entry.after["text"], entry.batch.reason) == ("she keeps bees", "told")
    assert first_break() is None


def test_the_command_says_when_all_holds(story):
    out = StringIO()
    call_command("verify_ledger", stdout=out)
    assert "every entry" in out.getvalue()
