"""Rows as they were kept elsewhere, put in whole: with their ids, states, versions and times.

Nothing is decided here. Whoever calls has looked at each row: it is sound, was not erased and
stands in nobody's way.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from memory import clock
from memory.index.turn_rows import put_turns
from memory.models import Batch, Erasure, Memory, Scope, Turn, reason_digest

from .apply import apply
from .plan import Applied, Plan, PlannedChange
from .transaction import write_transaction
from .turns import entries_of

VERB = "import"


def put_memories(scope: Scope, rows: Sequence[Mapping[str, Any]], reason: str) -> Applied:
    """Add memories in one batch, each given by all its columns. Links may lead to any of them, or
    to rows that are there. Raises as `apply` does."""
    changes = [PlannedChange("add", row["public_id"], None, dict(row), whole=True) for row in rows]
    users = {row["user_id"] for row in rows}
    user_id = users.pop() if len(users) == 1 else ""
    return apply(Plan(scope, VERB, reason, tuple(changes), user_id=user_id))


def put_back_turns(turns: Sequence[Turn]) -> None:
    """Add turns with the times at which they were stored. Raises `queue.QueueTimeout`."""
    entries = entries_of(turns)
    with write_transaction():
        Turn.everywhere.bulk_create(turns)
        put_turns(turns, entries)


def put_tombstones(
    scope: Scope, rows: Sequence[Mapping[str, Any]], reason: str, *, dry_run: bool = False
) -> int:
    """Add the tombstones of memories that were erased elsewhere, so that these stay away; how many
    there were not yet. Those of a memory that is here are left out."""
    with write_transaction():
        ids = {row["memory_id"] for row in rows}
        known = _found(Erasure, "memory_id", ids) | _found(Memory, "public_id", ids)
        same = _found(Erasure, "public_id", {row["public_id"] for row in rows})
        new = [
            row for row in rows if row["memory_id"] not in known and row["public_id"] not in same
        ]
        if not new or dry_run:
            return len(new)
        now = clock.now()
        batch = Batch.everywhere.create(
            workspace_id=scope.workspace_id,
            user_id=scope.user_id or "",
            at=now,
            actor=scope.actor,
            surface=scope.surface,
            verb=VERB,
            reason=reason,
            reason_digest=reason_digest(reason),
        )
        made = {"workspace_id": scope.workspace_id, "actor": scope.actor, "surface": scope.surface}
        # Nothing was removed here; like the versions of one fact they have one certificate.
        first = {"with": str(new[0]["public_id"])}
        Erasure.everywhere.bulk_create(
            Erasure(**row, **made, batch=batch, removed=first if n else {}, scrubbed_at=now)
            for n, row in enumerate(new)
        )
    return len(new)


def elsewhere(model: type[Memory] | type[Turn], scope: Scope, ids: set[UUID]) -> set[UUID]:
    """Those of these ids that rows out of the scope bear."""
    rows = model.everywhere.filter(public_id__in=ids)
    own = model.objects.within(scope).filter(public_id__in=ids)
    names = [set(found.values_list("public_id", flat=True)) for found in (rows, own)]
    return names[0] - names[1]


def _found(model: type, name: str, ids: set[UUID]) -> set[UUID]:
    rows = model.everywhere.filter(**{f"{name}__in": ids})
    return set(rows.values_list(name, flat=True))
