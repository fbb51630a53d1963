"""Rows as the search gives them, for keys that something else than words has found."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.models import Owner, Scope

from .entry import owner_mark, owner_prefix, workspace_prefix
from .filters import Filters, stored
from .schema import BROWSE, RECALL
from .search import FACTS, WAS_ACTIVE, Hit, read_hit


def active_hits(scope: Scope, pks: Collection[int], filters: Filters | None = None) -> list[Hit]:
    """The scope's active rows with these primary keys, those that pass the filters."""
    owner = _owner(scope)
    if owner is None or not pks:
        return []
    prefix = owner_prefix(owner.pk)
    passed, own = (filters or Filters()).sql(f"{RECALL}.words", prefix)
    marks = ", ".join(["%s"] * len(pks))
    rows = _select(
        RECALL,
        f"m.id IN ({marks}) AND m.workspace_id = %s AND m.user_id = %s{passed}",
        [*pks, scope.workspace_id, scope.user_id, *own],
    )
    return [read_hit(row, prefix) for row in rows]


def hits_as_of(
    scope: Scope, memory_ids: Collection[UUID], filters: Filters, moment: datetime
) -> list[Hit]:
    """The scope's rows with these public ids that were active at `moment` and pass the filters."""
    owner = _owner(scope)
    if owner is None or not memory_ids:
        return []
    prefix = workspace_prefix(scope.workspace_id)
    passed, own = filters.sql(f"{BROWSE}.words", prefix)
    rows = _select(
        BROWSE,
        f"m.public_id IN ({', '.join(['%s'] * len(memory_ids))}) AND m.workspace_id = %s "
        f"AND m.user_id = %s{passed} AND {WAS_ACTIVE}",
        [
            *(memory_id.hex for memory_id in memory_ids),
            scope.workspace_id, scope.user_id, *own, stored(moment),
        ],
    )  # fmt: skip
    return [read_hit(row, prefix, owner_mark(owner.pk)) for row in rows]


def _owner(scope: Scope) -> Owner | None:
    return Owner.objects.filter(workspace_id=scope.workspace_id, user_id=scope.user_id).first()


def _select(table: str, condition: str, values: list) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT m.id, {table}.words, {table}.bigrams, '', {FACTS} "
            f"FROM memory_memory m CROSS JOIN {table} ON {table}.rowid = m.id WHERE {condition}",
            values,
        )
        return cursor.fetchall()
