"""Webhooks: which addresses are told what, what was told them and what came of it."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.models import Delivery, Webhook
from memory.write.proposal import InvalidInput
from memory.write.queue import QueueTimeout
from memory.write.webhooks import (
    EVENTS,
    add_webhook,
    deliveries,
    find_webhook,
    pause,
    redeliver,
    remove_webhook,
    webhooks,
)

from .access import administering, seat
from .keyset import paginate
from .pages import page

BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")


EVENT_TEXTS = {
    "memory.added": gettext_lazy("a memory is active now"),
    "memory.superseded": gettext_lazy("a newer value took a memory's place"),
    "memory.retracted": gettext_lazy("a memory was marked as wrong"),
    "memory.erased": gettext_lazy("a memory was removed for good"),
    "review.waiting": gettext_lazy("a memory is held or not sure enough"),
    "correction.blocked": gettext_lazy("a correction would change more than its cap"),
    "health.reported": gettext_lazy("a health report was kept"),
    "finding.opened": gettext_lazy("agents were given what no longer holds"),
}
# Why an address is refused, as the engine says it, marked for the catalogues.
WORDS = (
    gettext_noop("is not an address"),
    gettext_noop("is http:// or https:// and a host"),
    gettext_noop("holds no name, password or fragment"),
    gettext_noop("has no host that is known"),
    gettext_noop("leads into a network that nothing is sent to"),
)

ANSWERS = {
    "timeout": gettext_lazy("no answer in time"),
    "too_long": gettext_lazy("its answer is too long"),
    "refused": gettext_lazy("no connection, or it broke off"),
}


class WebhookForm(forms.Form):
    url = forms.CharField(label=gettext_lazy("Address"), max_length=2000)
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Told of"), choices=[(event, EVENT_TEXTS[event]) for event in EVENTS]
    )


@require_http_methods(["GET", "HEAD", "POST"])
@administering
def list_webhooks(request):
    """GET: the webhooks and a form for one more. POST: make it; its secret is shown this once."""
    empty = {"events": list(EVENTS)}
    form = WebhookForm(request.POST if request.method == "POST" else None, initial=empty)
    made = _made(request, form) if form.is_valid() else None
    context = {
        "webhooks": webhooks(seat(request).scope),
        "every": len(EVENTS),
        # What was made is not offered a second time.
        "form": WebhookForm(initial=empty) if made else form,
        "made": made,
        "crumbs": [(_("Settings"), reverse("settings")), (_("Webhooks"), None)],
    }
    status = 422 if form.errors else 200
    response = page(request, "console/webhooks.html", context, status=status)
    if made:
        response["Cache-Control"] = "no-store"
    return response


@require_safe
@administering
def one(request, webhook_id: UUID):
    """One webhook and its deliveries, the newest first."""
    found = webhook_or_404(request, webhook_id)
    rows = deliveries(seat(request).scope, found)
    shown = paginate(rows, "-id", request.GET.get("cursor"))
    context = {
        "webhook": found,
        "page": shown,
        "told": [(row, _answer(row)) for row in shown],
        "crumbs": [
            (_("Settings"), reverse("settings")),
            (_("Webhooks"), reverse("webhooks")),
            (found.url, None),
        ],
    }
    return page(request, "console/webhook.html", context)


@require_POST
@administering
def act(request, webhook_id: UUID, verb: str):
    """Pause, go on, remove, or send one delivery again."""
    found = webhook_or_404(request, webhook_id)
    try:
        if verb == "remove":
            remove_webhook(found)
            messages.success(request, _("The webhook is removed."))
            return redirect("webhooks")
        if verb in ("pause", "resume"):
            pause(found, is_paused=verb == "pause")
        elif verb == "redeliver":
            redeliver(_delivery(request, found))
            messages.success(request, _("It is sent again in a moment."))
        else:
            raise Http404
    except QueueTimeout:
        messages.error(request, BUSY)
    return redirect("webhook", found.public_id)


def _made(request, form: WebhookForm) -> Webhook | None:
    said = form.cleaned_data
    try:
        return add_webhook(seat(request).scope, said["url"].strip(), said["events"])
    except InvalidInput as error:
        for name, message in error.errors:
            form.add_error(name if name in form.fields else None, _(message))
    except QueueTimeout:
        form.add_error(None, BUSY)
    return None


def _answer(delivery: Delivery) -> str:
    """What came back at the last attempt: a status, or why there is none."""
    if delivery.status or not delivery.error:
        return str(delivery.status or "—")
    of_address = delivery.error.removeprefix("the address ")
    return str(ANSWERS.get(delivery.error) or _(of_address))


def webhook_or_404(request, webhook_id: UUID) -> Webhook:
    found = find_webhook(seat(request).scope, webhook_id)
    if found is None:
        raise Http404
    return found


def _delivery(request, webhook: Webhook):
    chosen = forms.UUIDField(required=False)
    try:
        delivery_id = chosen.clean(request.POST.get("delivery", ""))
    except forms.ValidationError:
        raise Http404 from None
    rows = deliveries(seat(request).scope, webhook)
    found = rows.filter(public_id=delivery_id).first() if delivery_id else None
    if found is None:
        raise Http404
    return found
