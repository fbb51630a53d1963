"""Settings of a workspace: what each kind of memory is held to, and the keys of its agents."""

import json
import shlex
from datetime import timedelta

from django import forms
from django.contrib import messages
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import Http404
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from memory import clock
from memory.models import KEY_SCOPES, ApiKey, Workspace, policies_of
from memory.write.transaction import write_transaction

from .access import administering, may_administer, seat
from .log import users_of
from .pages import page
from .policies import PolicyTable

SCOPE_TEXTS = {
    gettext_noop("read"): gettext_lazy("read: recall, list, history"),
    gettext_noop("write"): gettext_lazy("write: remember, log turns and answers"),
    gettext_noop("correct"): gettext_lazy("correct: change, confirm, retract, restore, undo"),
    gettext_noop("erase"): gettext_lazy("erase: remove for good"),
}


class KeyForm(forms.Form):
    """A new key. Its name is the actor in the ledger, so no two keys in use share one."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Allowed to"),
        choices=[(scope, SCOPE_TEXTS[scope]) for scope in KEY_SCOPES],
    )
    user_id = forms.CharField(label=gettext_lazy("Only for user"), max_length=200, required=False)
    expires_days = forms.IntegerField(
        label=gettext_lazy("Expires after, days"),
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
    )

    def __init__(self, workspace: Workspace, *args, **kwargs):
        self.workspace = workspace
        super().__init__(*args, **kwargs)

    def clean_name(self):
        name = self.cleaned_data["name"]
        if self.workspace.keys.filter(name=name, revoked_at=None).exists():
            raise forms.ValidationError(
                _("Another key has this name. Revoke it first, or choose another.")
            )
        return name

    def issue(self) -> tuple[ApiKey, str]:
        days = self.cleaned_data["expires_days"]
        with write_transaction():
            return ApiKey.objects.issue(
                self.workspace,
                self.cleaned_data["name"],
                self.cleaned_data["scopes"],
                user_id=self.cleaned_data["user_id"],
                expires_at=clock.now() + timedelta(days=days) if days else None,
            )


@require_safe
def settings(request):
    """Policies and keys; an admin also gets the form for a new key."""
    form = KeyForm(
        seat(request).workspace, initial={"scopes": ["read", "write"], "expires_days": 90}
    )
    return _settings_page(request, form)


@require_POST
@administering
@sensitive_variables("text")
def create_key(request):
    """Make a key. The answer is the only page that ever shows it, and is kept nowhere."""
    form = KeyForm(seat(request).workspace, request.POST)
    if not form.is_valid():
        return _settings_page(request, form, status=422)
    key, text = form.issue()
    context = {"key": key, "text": text, "commands": _commands(request, key, text)}
    response = page(request, "console/settings_key.html", context)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@administering
def revoke_key(request, key_id: int):
    """From now on the key opens nothing. A key of another workspace is not found."""
    key = seat(request).workspace.keys.filter(pk=key_id).first()
    if key is None:
        raise Http404
    if key.revoked_at is None:
        with write_transaction():
            ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=clock.now())
    messages.success(request, _("The key %(name)s is revoked.") % {"name": key.name})
    return redirect("settings")


def _settings_page(request, form: KeyForm, status: int = 200):
    workspace = seat(request).workspace
    policies = policies_of(workspace.pk)
    context = {
        "policies": PolicyTable(policies.all(), may_edit=may_administer(request)),
        "keys": workspace.keys.all(),
        "form": form,
        "scopes": form.fields["scopes"].choices,
        "users": users_of(seat(request).scope),
        "may_administer": may_administer(request),
    }
    return page(request, "console/settings.html", context, status=status)


def _commands(request, key: ApiKey, text: str) -> list[str]:
    """Ready commands that use the key, one for each of what it may do."""
    user = key.user_id or "ann"
    bodies = {
        "write": ("memories", {"user_id": user, "text": _("My budget is 1200")}),
        "read": ("recall", {"user_id": user, "query": _("What is my budget?")}),
    }
    return [
        f"curl {shlex.quote(request.build_absolute_uri(f'/api/v1/{path}'))} \\\n"
        f"  -H {shlex.quote(f'Authorization: Bearer {text}')} \\\n"
        f"  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(json.dumps(body, ensure_ascii=False))}"
        for scope, (path, body) in bodies.items()
        if scope in key.scopes
    ]
