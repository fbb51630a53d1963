"""What the frame of every page shows: where, who, in which workspace."""

from django.conf import settings
from django.utils.functional import cached_property

from audit.models import Finding, FindingState
from memory.models import Batch, Membership, Right, Scope

from .back import DONE, done_batch
from .navigation import Group, navigation, section_of
from .review_kinds import waiting

# A badge says "99+" beyond; counting them all would slow every page down.
BADGE_CAP = 99
SESSION_WORKSPACE = "workspace"


class Console:
    """The frame's view of one request. Each part is read when a template first asks for it.

    `section` is the navigation entry whose address begins the path, or "". `membership` is the
    one chosen in the session, else the first by workspace name, else None: nobody is logged in
    or has no workspace.
    """

    def __init__(self, request):
        self._request = request
        self.environment = settings.ENVIRONMENT_LABEL

    @cached_property
    def section(self) -> str:
        return section_of(self._request.path)

    @property
    def navigation(self) -> list[Group]:
        return navigation(self)

    @cached_property
    def memberships(self) -> list[Membership]:
        person = getattr(self._request, "user", None)
        if person is None or not person.is_authenticated:
            return []
        rows = Membership.objects.filter(person=person).select_related("workspace")
        return list(rows.order_by("workspace__name"))

    @cached_property
    def membership(self) -> Membership | None:
        if not self.memberships:
            return None
        chosen = self._request.session.get(SESSION_WORKSPACE)
        return next((m for m in self.memberships if m.workspace_id == chosen), self.memberships[0])

    @property
    def workspace(self):
        return self.membership.workspace if self.membership else None

    @property
    def workspaces(self) -> list:
        return [m.workspace for m in self.memberships]

    @cached_property
    def open_findings(self) -> str:
        """How many findings are open in the workspace, "" for none, "99+" beyond `BADGE_CAP`."""
        if self.membership is None:
            return ""
        scope = Scope(self.membership.workspace_id, "console", "console")
        rows = Finding.objects.within(scope).filter(state=FindingState.OPEN).order_by()
        count = rows[: BADGE_CAP + 1].count()
        return f"{BADGE_CAP}+" if count > BADGE_CAP else str(count or "")

    @cached_property
    def waiting(self) -> str:
        """How much waits for review in the workspace, "" for nothing, "99+" beyond `BADGE_CAP`."""
        if self.membership is None:
            return ""
        count = waiting(Scope(self.membership.workspace_id, "console", "console"), BADGE_CAP)
        return f"{BADGE_CAP}+" if count > BADGE_CAP else str(count or "")

    @cached_property
    def done(self) -> Batch | None:
        """The batch that the address says was just made here, to be looked at or undone."""
        if self.membership is None:
            return None
        scope = Scope(self.membership.workspace_id, "console", "console")
        return done_batch(scope, self._request.GET.get(DONE))

    @property
    def may_erase(self) -> bool:
        return bool(self.membership and self.membership.may_erase)

    @property
    def may_correct(self) -> bool:
        return bool(self.membership and self.membership.may_correct)

    @property
    def may_operate(self) -> bool:
        return bool(self.membership and self.membership.may(Right.OPERATE))

    @property
    def may_audit(self) -> bool:
        return bool(self.membership and self.membership.may(Right.AUDIT))

    @property
    def may_administer(self) -> bool:
        return bool(self.membership and self.membership.may(Right.ADMINISTER))


def console(request) -> dict[str, Console]:
    """Context processor: `console` in every template of the pages."""
    return {"console": Console(request)}
