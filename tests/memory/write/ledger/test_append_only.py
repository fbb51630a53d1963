"""The ledger is append-only in the database, and a command walks it."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from memory.models import Batch, Change, Memory
from memory.write.erase.road import erase
from memory.write.ledger import first_break, walk
from tests import factories as make

from .entries import CHANGE_COLUMNS, middle, unguarded

pytestmark = pytest.mark.django_db


def test_the_command_tells_length_and_head(story):
    out = StringIO()
    head = Change.objects.order_by("id")[3].hash
    call_command("verify_ledger", contains=head.upper(), stdout=out)
    assert f"entries: {Change.objects.count()}" in out.getvalue()
    assert f"head: {Change.objects.last().hash}" in out.getvalue()
    assert f"{head} is in the chain" in out.getvalue()


def test_a_long_ledger_is_walked_by_pages(story, monkeypatch):
    monkeypatch.setattr("memory.index.ledger_rows.PAGE", 3)
    assert walk().entries == Change.objects.count()
    entry = Change.objects.order_by("id")[7]
    unguarded(f"UPDATE memory_change SET action = 'x' WHERE id = {entry.pk}")
    assert first_break().number == entry.pk


def test_a_payload_taken_away_cannot_come_back(story):
    entry = middle()
    Change.objects.filter(pk=entry.pk).update(payload=None)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Change.objects.filter(pk=entry.pk).update(payload=entry.payload)


def assert_refused(column: str, also: str = "") -> None:
    entry = middle()
    value = CHANGE_COLUMNS.get(column, "-1")
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"UPDATE memory_change SET {also} {column} = {value} WHERE id = {entry.pk}")


@pytest.mark.parametrize("column", [*CHANGE_COLUMNS, "id"])
def test_the_database_refuses_to_alter_an_entry(story, column):
    assert_refused(column)
    assert first_break() is None


@pytest.mark.parametrize("column", [*(name for name in CHANGE_COLUMNS if name != "payload"), "id"])
def test_nor_may_an_erasure_alter_anything_but_the_payload(story, column):
    assert_refused(column, also="payload = NULL,")


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
    erase(make.scope(), make.remember(text="another"), "")
    Memory.everywhere.filter(pk=row.pk).delete()
    entry = Change.objects.get(memory_id=row.public_id)
    assert (entry.after["text"], entry.batch.reason) == ("she keeps bees", "told")
    assert first_break() is None


def test_the_command_says_when_all_holds(story):
    out = StringIO()
    call_command("verify_ledger", stdout=out)
    assert "every entry" in out.getvalue()
