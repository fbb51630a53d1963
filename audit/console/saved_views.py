"""Views of a list: its query under a name, one's own or shared, or what a role sees first.

The query of an opened view stands in the address, with `view` beside it: what is shown is what
the address says, and the menu tells whether that is still what the view says.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import wraps

from django import forms
from django.contrib import messages
from django.http import Http404, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from audit.models import SavedView
from memory import clock
from memory.models import Right, Role
from memory.write.transaction import write_transaction

from .access import demand, may, seat
from .view_queries import NO_VIEW, Known, same, with_view

# A menu of more is no help, and a table without an end is none.
MOST = 100
QUERY_LIMIT = 2000
PAGES: dict[str, Known] = {}


@dataclass(frozen=True)
class Entry:
    """A view in the menu. `role` is the name of the role that sees it first, or ""."""

    view: SavedView
    address: str
    is_open: bool
    is_mine: bool
    role: str


class Shelf:
    """The views of one list that this person may open, read once."""

    def __init__(self, request, page: str):
        self._request, self.page, self.known = request, page, PAGES[page]
        self.path = reverse(page)

    @cached_property
    def views(self) -> list[SavedView]:
        return list(visible(self._request).filter(page=self.page).select_related("owner"))

    @property
    def opened(self) -> SavedView | None:
        return self._found(self._request.GET.get("view", ""))

    @property
    def default(self) -> SavedView | None:
        role = seat(self._request).membership.role
        return next((view for view in self.views if view.default_for == role), None)

    @property
    def query(self) -> QueryDict:
        """What is shown, as far as a view would keep it."""
        return self.known.sifted(self._request.GET.urlencode())[0]

    @property
    def changed(self) -> bool:
        """Whether what is shown is no longer what the opened view says."""
        view = self.opened
        return view is not None and not same(self.query, self.known.sifted(view.query)[0])

    @property
    def everything(self) -> str:
        """The list without any filter; a default view is not opened instead."""
        return f"{self.path}?view={NO_VIEW}" if self.default else self.path

    @property
    def entries(self) -> list[Entry]:
        opened, me = self.opened, self._request.user.pk
        return [
            Entry(
                view,
                f"{self.path}?view={view.pk}",
                view == opened,
                view.owner_id == me,
                _role_named(view.default_for),
            )
            for view in self.views
        ]

    @property
    def may_change(self) -> bool:
        view = self.opened
        return view is not None and may(self._request, right_to_change(self._request, view))

    @property
    def may_share(self) -> bool:
        return may(self._request, Right.CORRECT)

    @property
    def roles(self) -> Iterable[tuple[str, str]]:
        """The roles that this person may choose a first view for."""
        return Role.choices if may(self._request, Right.ADMINISTER) else ()

    def leads_to(self) -> str:
        """Where the address should lead instead: a view named alone to its query, a bare list to
        the role's view; else "". Raises 404 for a view that is not there for this person."""
        asked = self._request.GET
        named = asked.get("view", "")
        if asked and (asked.keys() - {"view"} or not named.isdecimal()):
            return ""
        view = self._found(named) if asked else self.default
        if view is None:
            if asked:
                raise Http404
            return ""
        query, gone = self.known.sifted(view.query)
        if gone:
            told = _("This view names what is no longer there; that was left out: %(what)s")
            messages.warning(self._request, told % {"what": ", ".join(gone)})
        return self.path + with_view(query, view.pk) if query or not asked else ""

    def _found(self, named: str) -> SavedView | None:
        return next((view for view in self.views if str(view.pk) == named), None)


def has_views(page: str, known: Known):
    """A list, the page of that URL name, whose queries can be kept; `request.views` is its
    `Shelf`."""
    PAGES[page] = known

    def decorated(view):
        @wraps(view)
        def opened(request, *args, **kwargs):
            request.views = Shelf(request, page)
            if request.method in ("GET", "HEAD") and (address := request.views.leads_to()):
                return redirect(address)
            return view(request, *args, **kwargs)

        return opened

    return decorated


def visible(request):
    """One's own views and the shared ones, of this workspace."""
    views = SavedView.objects.filter(workspace=seat(request).workspace)
    return views.filter(owner=request.user) | views.filter(shared=True)


def right_to_change(request, view: SavedView) -> Right:
    """What changing a view needs: of one's own nothing more than to read, what is shared the
    right to correct; another's, and what a role sees first, an admin's."""
    if view.owner_id != request.user.pk or view.default_for:
        return Right.ADMINISTER
    return Right.CORRECT if view.shared else Right.READ


class ViewForm(forms.Form):
    """A view's name and for whom it is. A role's view is always shared."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80)
    shared = forms.BooleanField(required=False)
    default_for = forms.ChoiceField(required=False, choices=[("", ""), *Role.choices])

    def put(self, request, view: SavedView) -> None:
        """Onto the view. Raises `PermissionDenied` without the right to share or to choose what
        a role sees first."""
        said = self.cleaned_data
        view.name, view.default_for = said["name"], said["default_for"]
        view.shared = said["shared"] or bool(view.default_for)
        if view.default_for:
            demand(request, Right.ADMINISTER)
        if view.shared:
            demand(request, Right.CORRECT)


@require_POST
def save(request):
    """Keep the query of a list (`page`, `query`) as a new view."""
    workspace, page = seat(request).workspace, request.POST.get("page", "")
    if page not in PAGES:
        raise Http404
    query = _query(request, page)
    view = SavedView(workspace=workspace, owner=request.user, page=page, query=query.urlencode())
    form = ViewForm(request.POST)
    if not form.is_valid():
        return _refused(request, page, query, _("Give the view a name of at most 80 characters."))
    form.put(request, view)
    if complaint := _kept(view):
        return _refused(request, page, query, complaint)
    messages.success(request, _("The view is kept."))
    return redirect(reverse(page) + with_view(query, view.pk))


@require_POST
def change(request, view_id: int):
    """`verb`: "update" to the query that is shown, "name" (with for whom it is), "remove"."""
    view = visible(request).filter(pk=view_id).first()
    verb = request.POST.get("verb", "")
    if view is None or view.page not in PAGES or verb not in ("update", "name", "remove"):
        raise Http404
    demand(request, right_to_change(request, view))
    query = _query(request, view.page)
    if verb == "remove":
        view.delete()
        messages.success(request, _("The view is removed; what it showed is still there."))
        return redirect(reverse(view.page) + with_view(query, NO_VIEW))
    form = ViewForm(request.POST)
    if verb == "update":
        view.query = query.urlencode()
    elif form.is_valid():
        form.put(request, view)
    else:
        said = _("Give the view a name of at most 80 characters.")
        return _refused(request, view.page, query, said, view.pk)
    if complaint := _kept(view):
        return _refused(request, view.page, query, complaint, view.pk)
    messages.success(request, _("The view is changed."))
    return redirect(reverse(view.page) + with_view(query, view.pk))


def _query(request, page: str) -> QueryDict:
    return PAGES[page].sifted(request.POST.get("query", "").lstrip("?"))[0]


def _kept(view: SavedView) -> str:
    """Write it, unless something is in the way: that, in words. A role sees one view first; the
    one that it saw before is an ordinary shared view then."""
    if len(view.query) > QUERY_LIMIT:
        return _("These filters are too long to be kept.")
    with write_transaction():
        on_page = SavedView.objects.filter(workspace=view.workspace_id, page=view.page)
        others = on_page.exclude(pk=view.pk)
        if others.filter(owner=view.owner_id, name=view.name).exists():
            return _("There is a view of that name already.")
        if view.pk is None:
            if on_page.filter(owner=view.owner_id).count() >= MOST:
                return _("There are too many views of this list; remove one first.")
            view.created_at = clock.now()
        if view.default_for:
            others.filter(default_for=view.default_for).update(default_for="")
        view.save()
    return ""


def _refused(request, page: str, query: QueryDict, said: str, view: int | str = NO_VIEW):
    messages.error(request, said)
    return redirect(reverse(page) + with_view(query, view))


def _role_named(role: str) -> str:
    return str(Role(role).label) if role in Role.values else ""
