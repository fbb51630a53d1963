"""What the ledger keeps of a row is what the table gives back."""

from datetime import datetime, timedelta, timezone

import pytest

from memory.models import Memory, Status
from memory.write.snapshot import snapshot
from memory.write.undo import undo
from tests import factories as make
from tests.memory.write.verbs import retract

pytestmark = pytest.mark.django_db


def test_a_time_with_an_offset_is_kept_as_the_table_keeps_it():
    east = datetime(2026, 3, 1, 7, 30, tzinfo=timezone(timedelta(hours=8)))
    written = make.written(text="Ann likes tea", occurred_at=east)
    row = Memory.everywhere.get()
    (entry,) = written.batch.changes.all()
    assert entry.after == snapshot(row)
    undo(make.scope(), written.batch)
    assert Memory.everywhere.get().status == Status.RETRACTED


def test_a_batch_can_be_undone_whatever_the_offset_of_its_times():
    east = datetime(2026, 3, 1, 7, 30, tzinfo=timezone(timedelta(hours=8)))
    retracted = retract(make.remember(text="Ann likes tea", occurred_at=east))
    assert retracted.occurred_at == east
