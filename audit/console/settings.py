"""Settings of a workspace: what each kind of memory is held to, its keys, its people."""

from django.views.decorators.http import require_safe

from memory.models import policies_of

from .access import may_administer, seat
from .key_form import KeyForm
from .log import users_of
from .pages import page
from .policies import PolicyTable


@require_safe
def settings(request):
    """Policies and keys; an admin also gets the form for a new key."""
    form = KeyForm(
        seat(request).workspace, initial={"scopes": ["read", "write"], "expires_days": 90}
    )
    return settings_page(request, form)


def settings_page(request, form: KeyForm, status: int = 200):
    """The page of the settings, with the form for a new key as it was sent."""
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
