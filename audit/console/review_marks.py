"""Putting off what waits for review, and taking that back."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from audit.models import ReviewMark
from memory import clock
from memory.models import Scope
from memory.write.transaction import write_transaction


def put_off(
    scope: Scope, item_type: str, ids: Iterable[UUID], until: datetime, reason: str
) -> None:
    """Keep items out of the queue until then; the last word counts. Raises `QueueTimeout`."""
    marks = [
        ReviewMark(
            workspace_id=scope.workspace_id,
            item_type=item_type,
            item_id=item_id,
            snoozed_until=until,
            reason=reason,
            at=clock.now(),
            actor=scope.actor,
        )
        for item_id in ids
    ]
    with write_transaction():
        ReviewMark.objects.bulk_create(
            marks,
            update_conflicts=True,
            unique_fields=["workspace", "item_type", "item_id"],
            update_fields=["snoozed_until", "reason", "at", "actor"],
        )


def take_back(scope: Scope, item_type: str, ids: Iterable[UUID]) -> None:
    """Have items back in the queue at once. Raises `QueueTimeout`."""
    rows = ReviewMark.objects.filter(workspace_id=scope.workspace_id, item_type=item_type)
    with write_transaction():
        rows.filter(item_id__in=list(ids)).delete()
