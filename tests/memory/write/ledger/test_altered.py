"""The chain of the ledger: whatever was altered, taken away or put back is found."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory.index.schema import UNGUARD
from memory.models import GENESIS, Batch, Change, Erasure, Memory
from memory.write.erase.road import erase
from memory.write.ledger import contains, first_break, walk
from tests import factories as make

from .entries import BATCH_COLUMNS, CHANGE_COLUMNS, middle, unguarded

pytestmark = pytest.mark.django_db


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


def erased() -> Erasure:
    """The budget's three versions with all their changes, erased."""
    current = Memory.everywhere.filter(status="active", attribute="预算").get()
    return erase(make.scope(), current, "on request").erasure


def test_what_an_erasure_took_away_keeps_the_chain(story):
    count = Change.objects.count()
    kept = erased()
    assert kept.removed["history"] > 5
    assert walk().entries > count
    assert first_break() is None


def test_a_payload_that_is_gone_without_an_erasure_is_found(story):
    entry = middle()
    Change.objects.filter(pk=entry.pk).update(payload=None)
    found = first_break()
    assert (found.number, found.what) == (
        entry.pk, "has lost its before and after, and nothing says that they were erased",
    )  # fmt: skip


def test_a_payload_that_goes_after_the_erasure_of_another_is_found(story):
    other = Change.objects.get(payload__after__text="elsewhere")
    erased()
    Change.objects.filter(pk=other.pk).update(payload=None)
    assert first_break().number == other.pk


def test_a_reason_that_is_gone_without_an_erasure_is_found(story):
    entry = middle()
    assert entry.batch.reason
    Batch.everywhere.filter(pk=entry.batch_id).update(reason="")
    found = first_break()
    assert found.number == entry.batch.changes.order_by("id").first().pk
    assert "lost its reason" in found.what


def test_what_was_erased_and_came_back_is_found(story):
    entry = middle()
    whole = Change.objects.get(pk=entry.pk).payload
    erased()
    with connection.cursor() as cursor:
        for statement in UNGUARD:
            cursor.execute(statement)
    Change.objects.filter(pk=entry.pk).update(payload=whole)
    found = first_break()
    assert (found.number, found.what) == (entry.pk, "holds again what was erased")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda rows: rows.update(digest="0" * 64), "was erased, and its tombstone was altered"),
        (
            lambda rows: rows.delete(),
            "has lost its before and after, and nothing says that they were erased",
        ),
    ],
)
def test_a_tombstone_that_was_altered_or_taken_away_is_found(story, change, what):
    erased()
    change(Erasure.everywhere.all())
    assert first_break().what == what


def test_an_altered_erasing_entry_is_found(story):
    erased()
    last = Change.objects.filter(action="erase").last()
    unguarded(f"UPDATE memory_change SET action = 'retract' WHERE id = {last.pk}")
    assert first_break().number <= last.pk


# Bytes that read the same through a model, or that no model can read.
SAME_TO_A_READER = {
    "a blank in the payload": ("memory_change", "payload", "replace(payload, ': ', ':')"),
    "the T of a time": ("memory_change", "at", "replace(at, ' ', 'T')"),
    "the T of the batch's time": ("memory_batch", "at", "replace(at, ' ', 'T')"),
    "capitals in an id": ("memory_change", "memory_id", "upper(memory_id)"),
    "no character": ("memory_change", "action", "CAST(x'ff66' AS TEXT)"),
    "no character in a name": ("memory_batch", "actor", "CAST(x'61ff' AS TEXT)"),
}


@pytest.mark.parametrize("name", SAME_TO_A_READER)
def test_a_byte_that_reads_the_same_is_found_too(story, name):
    table, column, sql = SAME_TO_A_READER[name]
    entry = middle()
    key = entry.pk if table == "memory_change" else entry.batch_id
    first = entry if table == "memory_change" else entry.batch.changes.order_by("id").first()
    unguarded(f"UPDATE {table} SET {column} = {sql} WHERE id = {key}")
    assert first_break().number == first.pk
    with pytest.raises(CommandError, match=f"entry {first.pk} "):
        call_command("verify_ledger")


def test_every_byte_of_an_entry_counts(story):
    """Each byte of each column of one entry, with its lowest bit turned over."""
    entry = middle()
    with connection.cursor() as cursor:
        for statement in UNGUARD:
            cursor.execute(statement)
        cursor.execute("PRAGMA ignore_check_constraints=ON")
        try:
            for name in CHANGE_COLUMNS:
                _turn_bytes_over(cursor, entry.pk, name)
        finally:
            cursor.execute("PRAGMA ignore_check_constraints=OFF")
    assert first_break() is None


def _turn_bytes_over(cursor, pk: int, name: str) -> None:
    read = f"SELECT typeof({name}), CAST({name} AS BLOB) FROM memory_change"
    cursor.execute(f"{read} WHERE id = {pk}")
    kind, whole = cursor.fetchone()
    # Of a long payload every ninth byte; all of the others.
    for place in range(0, len(whole), 9 if name == "payload" else 1):
        turned = bytearray(whole)
        turned[place] ^= 1
        if kind == "integer" and not bytes(turned).isdigit():
            continue
        now = int(turned) if kind == "integer" else bytes(turned)
        value = "%s" if kind == "integer" else "CAST(%s AS TEXT)"
        cursor.execute(f"UPDATE memory_change SET {name} = {value} WHERE id = {pk}", [now])
        assert first_break() is not None, (name, place)
        back = int(whole) if kind == "integer" else whole
        cursor.execute(f"UPDATE memory_change SET {name} = {value} WHERE id = {pk}", [back])


def test_a_tail_that_was_cut_off_shows_against_a_head(story):
    head = walk().head
    last = Change.objects.last()
    unguarded(f"DELETE FROM memory_change WHERE id = {last.pk}")
    assert first_break() is None
    assert not contains(head)
    out = StringIO()
    with pytest.raises(CommandError, match="no entry bears") as refused:
        call_command("verify_ledger", contains=head, stdout=out)
    assert refused.value.returncode == 1
