"""Notes of accesses for many memories at once, without their rows passing through this process."""

from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from memory.models import Access, Memory, Scope


def insert(scope: Scope, keys: Sequence[int], at: datetime, how: str) -> None:
    """One note for each of these memories (primary keys) that is still there. In a write
    transaction."""
    marks = ", ".join(["%s"] * len(keys))
    moment = connection.ops.adapt_datetimefield_value(at)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {Access._meta.db_table}"
            " (workspace_id, user_id, memory_id, at, actor, surface, how)"
            " SELECT workspace_id, user_id, public_id, %s, %s, %s, %s"
            f" FROM {Memory._meta.db_table} WHERE id IN ({marks}) AND workspace_id = %s",
            [moment, scope.actor, scope.surface, how, *keys, scope.workspace_id],
        )
