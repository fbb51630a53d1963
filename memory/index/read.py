"""Whole rows by primary key, for the few that an answer holds.

Through the ORM eight rows cost 1.35 ms: it compiles a statement of 45 columns anew each time,
and fills each object column by column. Filled at once they cost 0.2 ms.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from django.db import connection, models
from django.db.models.base import ModelState

from memory.models import Memory, Scope

from .filters import read_text

_FIELDS = Memory._meta.concrete_fields
_NAMES = [field.attname for field in _FIELDS]
# Times come as text: the driver's own reading of them takes five times as long.
_COLUMNS = ", ".join(
    f"{field.column} || ''" if isinstance(field, models.DateTimeField) else field.column
    for field in _FIELDS
)
_EMPTY: dict[str, type] = {"[]": list, "{}": dict}
_READ: dict[type, Callable[[Any], Any]] = {
    models.DateTimeField: read_text,
    models.JSONField: lambda kept: _EMPTY[kept]() if kept in _EMPTY else json.loads(kept),
    models.UUIDField: lambda kept: kept and UUID(kept),
}
_CONVERTED = [
    (field.attname, convert)
    for field in _FIELDS
    if (convert := _READ.get(type(field.target_field if field.is_relation else field)))
]


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
    """As `Memory.from_db` makes it; a memory has nothing that listens to its making."""
    row = Memory.__new__(Memory)
    row.__dict__.update(zip(_NAMES, values, strict=True))
    for name, convert in _CONVERTED:
        row.__dict__[name] = convert(row.__dict__[name])
    row._state = ModelState()
    row._state.adding, row._state.db = False, connection.alias
    return row
