"""The people of a workspace and their roles."""

import logging
import secrets

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from memory.models import Membership, Role, Workspace
from memory.write.transaction import write_transaction

from .access import administering, seat
from .pages import page

logger = logging.getLogger(__name__)
ROLE_TEXTS = {
    Role.VIEWER: gettext_lazy("reads memories, recalls and what changed"),
    Role.REVIEWER: gettext_lazy("also decides what waits, corrects, merges and undoes"),
    Role.OPERATOR: gettext_lazy("also imports, exports, fixes many at once, runs jobs and erases"),
    Role.AUDITOR: gettext_lazy(
        "reads everything: ledger, erasures, who read what, exports; changes nothing"
    ),
    Role.ADMIN: gettext_lazy("everything: also keys, people, policies and webhooks"),
}


class PersonForm(forms.Form):
    """Somebody who is to have a role here; an account is made where there is none."""

    username = forms.CharField(
        label=gettext_lazy("Name to log in with"),
        max_length=150,
        validators=[UnicodeUsernameValidator()],
    )
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=Role.choices)


class RoleForm(forms.Form):
    """Another role, or none any more."""

    role = forms.ChoiceField(choices=[*Role.choices, ("", "")], required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@administering
@sensitive_variables("password")
def people(request):
    """GET: who has which role. POST: give somebody one; the password of an account that is made
    for it is shown this once."""
    form = PersonForm(request.POST if request.method == "POST" else None)
    made, password = None, ""
    if form.is_valid():
        made, password = _given(seat(request).workspace, form)
        if made and not password:
            messages.success(request, _("The role is given."))
            return redirect("people")
    context = {
        "members": members_of(seat(request).workspace),
        "roles": [(role, ROLE_TEXTS[role]) for role in Role],
        "form": PersonForm() if made else form,
        "made": made,
        "password": password,
        "crumbs": [(_("Settings"), reverse("settings")), (_("People"), None)],
    }
    response = page(request, "console/people.html", context, status=422 if form.errors else 200)
    if password:
        response["Cache-Control"] = "no-store"
    return response


@require_POST
@administering
def change(request, member_id: int):
    """Another role for a person, or none; a workspace always keeps an admin."""
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Http404
    role = form.cleaned_data["role"]
    with write_transaction():
        member = members_of(seat(request).workspace).filter(pk=member_id).first()
        if member is None:
            raise Http404
        if member.role == Role.ADMIN != role and not _has_other_admin(member):
            messages.error(request, _("Nothing was changed: the workspace needs an admin."))
            return redirect("people")
        if role:
            Membership.objects.filter(pk=member.pk).update(role=role)
        else:
            member.delete()
    logger.info("%s made %s %s", request.user, member.person, role or "no member")
    messages.success(request, _("The role is changed."))
    return redirect("people" if seat(request).membership.pk != member.pk else "settings")


def members_of(workspace: Workspace):
    return workspace.memberships.select_related("person").order_by("person__username")


def _has_other_admin(member: Membership) -> bool:
    others = member.workspace.memberships.filter(role=Role.ADMIN, person__is_active=True)
    return others.exclude(pk=member.pk).exists()


def _given(workspace: Workspace, form: PersonForm) -> tuple[Membership | None, str]:
    """The membership, and the password of the account that was made for it, if one was."""
    users, password = get_user_model().objects, ""
    with write_transaction():
        person = users.filter(username=form.cleaned_data["username"]).first()
        if person is None:
            password = secrets.token_urlsafe(12)
            person = users.create_user(form.cleaned_data["username"], password=password)
        elif workspace.memberships.filter(person=person).exists():
            form.add_error("username", _("This person has a role here already."))
            return None, ""
        role = form.cleaned_data["role"]
        return Membership.objects.create(workspace=workspace, person=person, role=role), password
