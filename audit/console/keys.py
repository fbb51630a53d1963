"""API keys: made, looked at, rotated, slowed down, revoked."""

from django.conf import settings as configured
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from memory import clock
from memory.models import ApiKey, Batch, Recall
from memory.write.transaction import write_transaction

from .access import administering, seat
from .key_form import KeyForm, RateForm, RotateForm
from .pages import page
from .settings import settings_page
from .snippets import calls_of, curl, snippets

# How far back the page looks for what the key did; a count of all would read the whole log.
LOOKED_AT = 1000
SHOWN = 10
DAYS = 7


@require_POST
@administering
@sensitive_variables("text")
def create(request):
    """Make a key. The answer is the only page that ever shows it, and is kept nowhere."""
    form = KeyForm(seat(request).workspace, request.POST)
    if not form.is_valid():
        return settings_page(request, form, status=422)
    return _shown_once(request, *form.issue())


@require_safe
def one(request, key_id: int):
    """One key: what it may do, what it did, how to use it; for an admin how to change it."""
    return _page(request, _found(request, key_id), RotateForm(initial={"days": DAYS}))


@require_POST
@administering
@sensitive_variables("text")
def rotate(request, key_id: int):
    """A new key in its place, shown once; the old one lives on for some days."""
    key, form = _found(request, key_id), RotateForm(request.POST)
    if not form.is_valid():
        return _page(request, key, form, status=422)
    try:
        with write_transaction():
            made, text = ApiKey.objects.rotate(key, form.cleaned_data["days"])
    except ValueError:
        messages.error(request, _("This key is not in use any more, or was replaced already."))
        return redirect("key", key.pk)
    return _shown_once(request, made, text)


@require_POST
@administering
def rate(request, key_id: int):
    """Another number of requests a minute for this key."""
    key, form = _found(request, key_id), RateForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Nothing was changed: give a whole number from 0 up, or none."))
        return redirect("key", key.pk)
    with write_transaction():
        ApiKey.objects.filter(pk=key.pk).update(rate=form.cleaned_data["rate"])
    messages.success(request, _("The number of requests is changed."))
    return redirect("key", key.pk)


@require_POST
@administering
def revoke(request, key_id: int):
    """From now on the key opens nothing. A key of another workspace is not found."""
    key = _found(request, key_id)
    if key.revoked_at is None:
        with write_transaction():
            ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=clock.now())
    messages.success(request, _("The key %(name)s is revoked.") % {"name": key.name})
    return redirect("settings")


def _found(request, key_id: int) -> ApiKey:
    rows = seat(request).workspace.keys.select_related("replaces")
    key = rows.filter(pk=key_id).first()
    if key is None:
        raise Http404
    return key


def _page(request, key: ApiKey, form: RotateForm, status: int = 200):
    scope = seat(request).scope
    heir = key.replaced_by.order_by("pk").last()
    context = {
        "key": key,
        "heir": heir,
        "form": form,
        "rate_form": RateForm(initial={"rate": key.rate}),
        "default_rate": configured.RATE_PER_MINUTE,
        "recalls": _done(Recall.objects.within(scope), key),
        "batches": _done(Batch.objects.within(scope), key),
        "looked_at": LOOKED_AT,
        "snippets": snippets(key, _base(request)) if key.is_live else (),
        "may_rotate": key.is_live and heir is None,
        "crumbs": [(_("Settings"), reverse("settings")), (key.name, None)],
    }
    return page(request, "console/key.html", context, status=status)


def _done(rows, key: ApiKey) -> dict:
    """How many of the newest rows the key made, and the last of them."""
    actors = rows.order_by("-id").values_list("actor", "public_id", "at")[:LOOKED_AT]
    own = [(public_id, at) for actor, public_id, at in actors if actor == key.scope().actor]
    return {"count": len(own), "newest": own[:SHOWN]}


def _base(request) -> str:
    return request.build_absolute_uri("/api/v1")


def _shown_once(request, key: ApiKey, text: str):
    calls = calls_of(key).values()
    commands = [curl(_base(request) + path, body, text) for path, body in calls]
    crumbs = [(_("Settings"), reverse("settings")), (key.name, None)]
    context = {"key": key, "text": text, "commands": commands, "crumbs": crumbs}
    response = page(request, "console/settings_key.html", context)
    response["Cache-Control"] = "no-store"
    return response
