"""The first minutes: what leads from an empty store to a memory in it, and a person without a
workspace to one."""

from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from memory.demo.loader import WORKSPACE as DEMO
from memory.exchange.work import IMPORT
from memory.jobs.work import start
from memory.models import Job, Membership, Right, Role, Workspace
from memory.write.queue import QueueTimeout
from memory.write.transaction import write_transaction

from .access import administering, may_administer, seat
from .context import SESSION_WORKSPACE, Console
from .jobs import BUSY
from .key_form import KeyForm
from .pages import page

KEY_NAME = "first-agent"


@dataclass(frozen=True)
class Steps:
    """What may be done to get going, and what was done already. `demo`: the person's own way into
    the demo workspace, None while there is none; `loading`: the job that makes it."""

    may_load_demo: bool
    demo: Workspace | None
    loading: Job | None
    may_import: bool
    has_imported: bool
    may_make_key: bool
    has_key: bool
    key_form: KeyForm


def steps(request) -> Steps:
    """The steps as they stand for this person in this workspace."""
    membership, scope = seat(request).membership, seat(request).scope
    jobs = Job.objects.within(scope)
    mine = [w for w in Console(request).workspaces if w.name == DEMO]
    return Steps(
        may_load_demo=may_load_demo(request),
        demo=mine[0] if mine else None,
        loading=jobs.filter(kind="demo").order_by("-id").first(),
        may_import=membership.may(Right.OPERATE),
        has_imported=jobs.filter(kind=IMPORT).exists(),
        may_make_key=membership.may(Right.ADMINISTER),
        has_key=membership.workspace.keys.exists(),
        key_form=KeyForm(
            membership.workspace,
            initial={"name": KEY_NAME, "scopes": ["read", "write"], "expires_days": 90},
        ),
    )


def may_load_demo(request) -> bool:
    """An admin may have it made; into one that is there already only whoever runs the
    installation is let."""
    if not may_administer(request):
        return False
    return request.user.is_superuser or not Workspace.objects.filter(name=DEMO).exists()


@require_POST
@administering
def load_demo(request):
    """Have a worker play the demo into a workspace of its own; nothing of it comes into this
    one."""
    if not may_load_demo(request):
        raise PermissionDenied("there is a demo already")
    # A person with two workspaces who never chose one would find themselves in the other.
    request.session[SESSION_WORKSPACE] = seat(request).workspace.pk
    try:
        job = start(seat(request).scope, "demo")
    except QueueTimeout:
        messages.error(request, BUSY)
        return redirect("dashboard")
    return redirect("job", job.public_id)


def no_workspace(request):
    """The page of somebody who is in no workspace: who can change that, and how."""
    context = {"may_found": request.user.is_superuser, "suggested": _("main")}
    return page(request, "console/no_workspace.html", context)


@require_POST
def found_workspace(request):
    """Make a workspace with its founder as admin; only for whoever runs the installation."""
    if not request.user.is_superuser:
        raise PermissionDenied("only a superuser makes a workspace")
    title = " ".join(request.POST.get("title", "").split())[:200]
    name = slugify(title)[:50] or "main"
    if not title or Workspace.objects.filter(name=name).exists():
        messages.error(request, _("Nothing was made: give a name that no workspace has yet."))
        return redirect("dashboard")
    with write_transaction():
        made = Workspace.objects.create(name=name, title=title)
        Membership.objects.create(workspace=made, person=request.user, role=Role.ADMIN)
    request.session[SESSION_WORKSPACE] = made.pk
    return redirect("dashboard")
