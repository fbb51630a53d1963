"""Webhooks: other systems are told what happened."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from memory.models import Delivery, Webhook
from memory.write.revise import NotFound
from memory.write.webhooks import (
    EVENTS,
    add_webhook,
    deliveries,
    find_webhook,
    remove_webhook,
    webhooks,
)

from .auth import needs
from .fields import Body
from .form import iso
from .paging import Page, Paging, counted, page_form, page_of
from .problems import READ, READ_ONE, WRITE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["webhooks"])


class WebhookIn(Body):
    """`url` is http(s) and public; `events` some of those that the answers name."""

    url: str = Field(min_length=1, max_length=2000)
    events: list[str] = Field(list(EVENTS), min_length=1, max_length=len(EVENTS))


class WebhookForm(Schema):
    id: UUID
    url: str
    events: list[str]
    actor: str
    created_at: datetime
    paused_at: datetime | None


class NewWebhook(WebhookForm):
    """`secret` is told this once; what is sent is signed with it (Standard Webhooks)."""

    secret: str


class DeliveryForm(Schema):
    """`status` is what the other side answered last, `due_at` when it is tried again: null when it
    was told or given up."""

    id: UUID
    event: str
    at: datetime
    payload: dict[str, Any]
    attempts: int
    status: int | None
    error: str
    due_at: datetime | None
    done_at: datetime | None


@router.post("", auth=needs("correct"), response={201: NewWebhook, WRITE: Problem})
def add(request, body: WebhookIn):
    """Have an address told of events: memory.added (also restored or approved), .superseded,
    .retracted, .erased, review.waiting, correction.blocked, health.reported, finding.opened. What
    is sent names rows by id. For a key of a whole workspace. Needs `correct`."""
    made = add_webhook(request.scope, body.url, body.events)
    return reply(webhook_form(made) | {"secret": made.secret}, 201)


@router.get("", auth=needs("correct"), response={200: Page[WebhookForm], READ: Problem})
def list_webhooks(request, asked: Query[Paging]):
    """The workspace's webhooks, oldest first. Needs `correct`."""
    rows = webhooks(request.scope)
    found, after = page_of(rows, "id", asked)
    return reply(page_form([webhook_form(row) for row in found], after, counted(rows)))


@router.get("/{webhook_id}", auth=needs("correct"), response={200: WebhookForm, READ_ONE: Problem})
def read(request, webhook_id: UUID):
    """One webhook. Needs `correct`."""
    return reply(webhook_form(_found(request, webhook_id)))


@router.delete("/{webhook_id}", auth=needs("correct"), response={204: None, WRITE_ONE: Problem})
def remove(request, webhook_id: UUID):
    """Tell it nothing any more; what waits for it goes too. Needs `correct`."""
    remove_webhook(_found(request, webhook_id))
    return HttpResponse(status=204)


@router.get(
    "/{webhook_id}/deliveries",
    auth=needs("correct"),
    response={200: Page[DeliveryForm], READ_ONE: Problem},
)
def list_deliveries(request, webhook_id: UUID, asked: Query[Paging]):
    """What it was told or is to be told, newest first. Needs `correct`."""
    rows = deliveries(request.scope, _found(request, webhook_id))
    found, after = page_of(rows, "-id", asked)
    return reply(page_form([delivery_form(row) for row in found], after, counted(rows)))


def webhook_form(row: Webhook) -> dict[str, Any]:
    return {
        "id": str(row.public_id),
        "url": row.url,
        "events": row.events,
        "actor": row.actor,
        "created_at": iso(row.created_at),
        "paused_at": iso(row.paused_at),
    }


def delivery_form(row: Delivery) -> dict[str, Any]:
    same = ("event", "payload", "attempts", "status", "error")
    return {
        "id": str(row.public_id),
        **{name: getattr(row, name) for name in same},
        **{name: iso(getattr(row, name)) for name in ("at", "due_at", "done_at")},
    }


def _found(request, webhook_id: UUID) -> Webhook:
    found = find_webhook(request.scope, webhook_id)
    if found is None:
        raise NotFound(str(webhook_id))
    return found
