"""Whole rows by primary key, for the few that an answer holds.

The ORM compiles a statement of 45 columns anew for each recall: 1.35 ms for eight rows, 0.5 ms
this way.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.db import connection

from memory.models import Memory, Scope

_FIELDS = Memory._meta.concrete_fields
_NAMES = [field.attname for field in _FIELDS]
_COLUMNS = ", ".join(field.column for field in _FIELDS)


def read(scope: Scope, pks: Sequence[int]) -> dict[int, Memory]:
    """The scope's memories with these primary keys, by key."""
    if not pks:
        return {}
    marks = ", ".join(["%s"] * len(pks))
    narrowed, values = "", [*pks, scope.workspace_id]
    if scope.user_id is not None:
        narrowed, values = " AND user_id = %s", [*values, scope.user_id]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {_COLUMNS} FROM memory_memory "
            f"WHERE id IN ({marks}) AND workspace_id = %s{narrowed}",
            values,
        )
        rows = [_row(values) for values in cursor.fetchall()]
    return {row.pk: row for row in rows}


def _row(values: Sequence[Any]) -> Memory:
    values = list(values)
    for place, converters, column in _converters():
        for convert in converters:
            values[place] = convert(values[place], column, connection)
    return Memory.from_db(connection.alias, _NAMES, values)


@cache
def _converters() -> list[tuple[int, list[Callable], Any]]:
    columns = [field.get_col(Memory._meta.db_table) for field in _FIELDS]
    found = [
        (
            place,
            [
                *connection.ops.get_db_converters(column),
                *column.field.get_db_converters(connection),
            ],
            column,
        )
        for place, column in enumerate(columns)
    ]
    return [entry for entry in found if entry[1]]
