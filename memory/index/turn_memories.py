"""Which memories came of which turns."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from memory.models import Scope, Status


class Became(NamedTuple):
    """A turn that became memories: the key of the first of them, and how many there are."""

    first: int
    memories: int


def became(scope: Scope, turn_ids: Sequence[UUID]) -> list[Became]:
    """Of these turns (at most 30,000) those that became memories that nobody rejected, an entry a
    turn, in no order."""
    if not turn_ids:
        return []
    marks = ", ".join(["%s"] * len(turn_ids))
    # The plus signs keep to the index of turns: that of the workspace reads all of its memories
    # once for each turn.
    own = "" if scope.user_id is None else " AND +user_id = %s"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT MIN(id), COUNT(*) FROM memory_memory WHERE turn_id IN ({marks}) "
            f"AND +workspace_id = %s AND +status <> %s{own} GROUP BY turn_id",
            [
                *(turn_id.hex for turn_id in turn_ids),
                scope.workspace_id,
                Status.REJECTED.value,
                *([] if scope.user_id is None else [scope.user_id]),
            ],
        )
        return [Became(*row) for row in cursor.fetchall()]
