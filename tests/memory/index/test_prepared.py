"""Statements compiled once: they say what the ORM says, for whatever values."""

from uuid import uuid4

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from memory.index.prepared import Prepared, insert_row, update_row
from memory.models import Batch, Memory, Owner, reason_digest
from tests import factories as make

pytestmark = pytest.mark.django_db

of_user = Prepared(
    lambda workspace_id, user_id: Memory.everywhere.filter(
        workspace_id=workspace_id, user_id=user_id
    ).order_by("id"),
    int,
    str,
)
by_id = Prepared(lambda memory_id: Memory.everywhere.filter(public_id=memory_id), type(uuid4()))
names = Prepared(
    lambda user_id: Memory.everywhere.filter(user_id=user_id).values_list("text", "public_id"), str
)


def test_rows_come_as_the_orm_makes_them():
    rows = [
        make.remember(text="花园的水龙头周五修好", tags=["家"]),
        make.remember(text="the ferry"),
    ]
    make.remember(user_id="ben", text="elsewhere")
    found = of_user(make.workspace().pk, "ann")
    columns = [field.attname for field in Memory._meta.concrete_fields]
    for there, right in zip(found, Memory.everywhere.filter(user_id="ann"), strict=True):
        assert [getattr(there, name) for name in columns] == [
            getattr(right, name) for name in columns
        ]
    assert [row.pk for row in found] == [row.pk for row in rows]
    assert by_id.first(rows[1].public_id) == rows[1]


def test_values_come_as_tuples_in_the_order_asked_for():
    row = make.remember(text="the ferry leaves at half past seven")
    assert names("ann") == [(row.text, row.public_id)]


def test_nothing_is_nothing_and_no_value_is_taken_for_sql():
    make.remember(text="the ferry")
    assert of_user(make.workspace().pk, "' OR 1=1 --") == []
    assert of_user(make.workspace().pk + 1, "ann") == []
    assert by_id.first(uuid4()) is None


def test_it_is_one_statement_that_the_second_call_sends_again():
    workspace = make.remember(text="the ferry").workspace_id
    with CaptureQueriesContext(connection) as queries:
        assert len(of_user(workspace, "ann")) == 1
        assert of_user(workspace, "ben") == []
    assert len(queries) == 2


def test_a_row_is_inserted_and_altered_as_save_would():
    now = make.remember(text="the ferry").created_at
    batch = Batch(
        workspace=make.workspace(), user_id="安", at=now, actor="a", surface="api", verb="test",
        reason="理由", reason_digest=reason_digest("理由"),
    )  # fmt: skip
    insert_row(batch)
    stored = Batch.everywhere.get(pk=batch.pk)
    assert (stored.user_id, stored.at, stored.public_id) == ("安", now, batch.public_id)
    owner = Owner.objects.get(user_id="ann")
    owner.active, owner.turns = 7, 9
    update_row(owner, ["active"])
    assert (Owner.objects.get().active, Owner.objects.get().turns) == (7, 0)


def test_json_is_stored_as_json_even_where_it_is_one_word():
    row = make.remember(text="the ferry")
    row.metadata = "word"
    update_row(row, ["metadata"])
    assert Memory.everywhere.get(pk=row.pk).metadata == "word"


def test_a_row_that_is_gone_is_not_altered_in_silence():
    owner = Owner(pk=99, workspace=make.workspace(), user_id="x")
    with pytest.raises(DatabaseError):
        update_row(owner, ["active"])
