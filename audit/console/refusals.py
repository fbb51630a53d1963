"""The page of somebody who may not: which right is missing, and who can give it."""

from django.utils.translation import gettext_lazy as _

from memory.models import Membership, Right, Role

from .access import Lacking
from .context import Console
from .pages import page
from .start import no_workspace

# As what comes after "This needs the right to".
RIGHTS = {
    Right.READ: _("read"),
    Right.MEASURE: _("run health checks and acceptance questions"),
    Right.AUDIT: _("read the ledger, erasures and who read what, and export"),
    Right.CORRECT: _("decide, correct, merge and undo"),
    Right.OPERATE: _("change many at once, import and start jobs"),
    Right.ERASE: _("erase for good"),
    Right.ADMINISTER: _("manage keys, people, policies, thresholds and webhooks"),
}
NAMED = 5


def forbidden(request, exception):
    """Django's handler of `PermissionDenied`."""
    membership = Console(request).membership
    if membership is None and request.user.is_authenticated:
        response = no_workspace(request)
        response.status_code = 403
        return response
    context = {"membership": membership}
    if isinstance(exception, Lacking):
        context |= {"right": RIGHTS[exception.right], "admins": _admins(membership)}
    return page(request, "403.html", context, status=403)


def _admins(membership: Membership) -> list[str]:
    """Those of the workspace who can change a role: the first `NAMED` by name."""
    rows = membership.workspace.memberships.filter(role=Role.ADMIN, person__is_active=True)
    names = rows.order_by("person__username").values_list("person__username", flat=True)
    return list(names[:NAMED])
