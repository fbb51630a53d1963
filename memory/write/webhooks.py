"""Webhooks: addresses that are told what happened, and what waits to be told to them.

A `Delivery` is written in the transaction of the event itself: what was undone was never told,
and what happened is told even if the process dies next. It names rows by id and holds no text.
"""

import base64
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory import clock
from memory.addresses import RefusedAddress, reachable
from memory.models import Batch, Change, Delivery, Scope, ScopeError, Status, Webhook

from .ledger import ERASE
from .proposal import InvalidInput
from .transaction import write_transaction

EVENTS = (
    "memory.added", "memory.superseded", "memory.retracted", "memory.erased", "review.waiting",
    "correction.blocked", "health.reported", "finding.opened",
)  # fmt: skip
MOST_HOOKS = 20
# A batch of thousands is named by its id; these are the first of its memories.
MOST_IDS = 100
KEPT = timedelta(days=30)
_STATES = {
    Status.ACTIVE: "memory.added",
    Status.SUPERSEDED: "memory.superseded",
    Status.RETRACTED: "memory.retracted",
    Status.CANDIDATE: "review.waiting",
    Status.QUARANTINED: "review.waiting",
}


def webhooks(scope: Scope) -> QuerySet[Webhook]:
    """Those of the whole workspace. Raises `ScopeError` for a scope of one user: a hook hears of
    everybody's memories."""
    if scope.user_id is not None:
        raise ScopeError("webhooks are of a whole workspace")
    return Webhook.objects.filter(workspace_id=scope.workspace_id)


def add_webhook(scope: Scope, url: str, events: Sequence[str]) -> Webhook:
    """Have an address told of these events. Raises `InvalidInput`, `ScopeError` and
    `QueueTimeout`."""
    complaints = []
    if unknown := sorted(set(events) - set(EVENTS)):
        complaints.append(("events", f"not known: {', '.join(unknown)}"))
    if not events:
        complaints.append(("events", "name at least one"))
    try:
        reachable(url)
    except RefusedAddress as error:
        complaints.append(("url", str(error)))
    if complaints:
        raise InvalidInput(complaints)
    with write_transaction():
        if webhooks(scope).count() >= MOST_HOOKS:
            raise InvalidInput([("url", f"a workspace has at most {MOST_HOOKS} webhooks")])
        return Webhook.objects.create(
            workspace_id=scope.workspace_id,
            url=url,
            events=[event for event in EVENTS if event in events],
            secret="whsec_" + base64.b64encode(secrets.token_bytes(24)).decode(),
            created_at=clock.now(),
            actor=scope.actor,
        )


def find_webhook(scope: Scope, webhook_id: UUID) -> Webhook | None:
    return webhooks(scope).filter(public_id=webhook_id).first()


def remove_webhook(webhook: Webhook) -> None:
    """With all that was to be told to it."""
    with write_transaction():
        webhook.delete()


def pause(webhook: Webhook, *, is_paused: bool) -> None:
    """A paused one is told nothing of what happens meanwhile."""
    with write_transaction():
        webhook.paused_at = clock.now() if is_paused else None
        webhook.save(update_fields=["paused_at"])


def redeliver(delivery: Delivery) -> Delivery:
    """The same event under the same id once more, from the first attempt on."""
    with write_transaction():
        delivery.due_at, delivery.attempts, delivery.done_at = clock.now(), 0, None
        delivery.status, delivery.error = None, ""
        delivery.save(update_fields=["due_at", "attempts", "done_at", "status", "error"])
    return delivery


def due() -> QuerySet[Delivery]:
    """What is to be told now, of every workspace."""
    return Delivery.everywhere.filter(due_at__lte=clock.now(), webhook__paused_at=None)


def note_attempt(delivery: Delivery, noted: dict[str, Any]) -> None:
    """What came of an attempt, unless the delivery was asked for anew meanwhile."""
    with write_transaction():
        Delivery.everywhere.filter(pk=delivery.pk, due_at=delivery.due_at).update(**noted)


def deliveries(scope: Scope, webhook: Webhook) -> QuerySet[Delivery]:
    return Delivery.objects.within(scope).filter(webhook=webhook)


def emit(workspace_id: int, event: str, told: dict[str, Any]) -> None:
    """Write an event down for every webhook that hears of it; in the event's own transaction."""
    _emit(workspace_id, {event: told})


def emit_changes(scope: Scope, batch: Batch, changes: Iterable[Change]) -> None:
    """The events of a batch that is just being written, one of each kind."""
    found: dict[str, list[str]] = {}
    for change in changes:
        if event := _event_of(change):
            found.setdefault(event, []).append(str(change.memory_id))
    _emit(
        scope.workspace_id,
        {
            event: {
                "batch_id": str(batch.public_id),
                "memory_ids": ids[:MOST_IDS],
                "count": len(ids),
            }
            for event, ids in found.items()
        },
    )


def _event_of(change: Change) -> str | None:
    if change.action == ERASE:
        return "memory.erased"
    return _STATES.get(change.status_after) if change.status_after != change.status_before else None


def _emit(workspace_id: int, events: dict[str, dict[str, Any]]) -> None:
    if not events:
        return
    now = clock.now()
    rows = [
        Delivery(
            webhook=hook, workspace_id=workspace_id, event=event, payload=told, at=now, due_at=now
        )
        for hook in Webhook.objects.filter(workspace_id=workspace_id, paused_at=None)
        for event, told in events.items()
        if event in hook.events
    ]
    if rows:
        Delivery.everywhere.bulk_create(rows)


def forget_old() -> int:
    """Remove what is over since a month. Raises `QueueTimeout`."""
    old = Delivery.everywhere.filter(due_at=None, at__lt=clock.now() - KEPT)
    if not old.exists():
        return 0
    with write_transaction():
        return old.delete()[0]
