"""The inbox: memories that were no longer valid when they reached a context, and what people do
about each."""

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from audit.findings import work
from audit.findings.scan import is_behind, scan
from audit.models import Finding
from memory.models import Scope
from memory.write.queue import QueueTimeout

from .access import correcting, finding_or_404, seat
from .inbox_parts import HOWS, TABS, chosen_by, events, facts_of, shown, tabs
from .keyset import paginate
from .pages import page
from .peek import peeked_at
from .saved_views import has_views
from .templatetags.console import label
from .view_queries import Known

# About 0.2 s; what is left of a longer log, the next visit or the command reads.
MOST = 1000
PAGE = 25
OCCURRENCES = 20
TEXT_LIMIT = 2000
NEEDS_TEXT = frozenset({"resolve", "ignore", "comment"})
VERBS = ("take", "assign", "resolve", "ignore", "reopen", "comment")


class Act(forms.Form):
    """What a person says with an act: a reason or comment, or whom to assign it to."""

    text = forms.CharField(label=gettext_lazy("Reason"), max_length=TEXT_LIMIT, required=False)
    person = forms.IntegerField(required=False)
    seen = forms.IntegerField(required=False)

    def __init__(self, verb: str, data):
        super().__init__(data)
        self.verb = verb
        self.fields["text"].required = verb in NEEDS_TEXT

    def carry_out(self, scope: Scope, finding: Finding, me: int) -> None:
        said = self.cleaned_data
        if self.verb in ("take", "assign"):
            person = me if self.verb == "take" else said["person"]
            work.assign(scope, finding, person, seen=said["seen"])
        else:
            getattr(work, self.verb)(scope, finding, said["text"])


@require_safe
@has_views("inbox", Known(dict, status=TABS))
def inbox(request):
    """Findings, the last to happen first; `status` names the tab. What came into the log since
    the last look is read first."""
    scope, me = seat(request).scope, request.user.pk
    behind = _read_on(scope)
    asked = request.GET.get("status", "")
    tab = asked if asked in TABS else "open"
    rows = Finding.objects.within(scope).filter(chosen_by(tab, me)).select_related("assigned_to")
    found = paginate(rows, "-last_at", request.GET.get("cursor"), PAGE)
    context = {
        "page": found,
        "rows": shown(scope, found.rows),
        "states": tabs(scope, tab, me),
        "tab": tab,
        "is_behind": behind,
        "peek": peeked_at(request),
    }
    return page(request, "console/inbox.html", context, part="console/inbox_list.html")


@require_safe
def one(request, finding_id: int):
    """One finding: the fact then and now, each occurrence, what was done about it."""
    scope, finding = seat(request).scope, finding_or_404(request, finding_id)
    fact = facts_of(scope, [finding])[finding.memory_id]
    name = str(fact.told) if fact.told else _("a memory that is gone")
    rows = finding.found_in.select_related("recall").defer("recall__context", "recall__answer")
    found = paginate(rows, "-id", request.GET.get("cursor"), OCCURRENCES)
    may_correct = seat(request).membership.may_correct
    context = {
        "finding": finding,
        "fact": fact,
        "name": name,
        "crumbs": [(_("Inbox"), reverse("inbox")), (name, None)],
        "page": found,
        "occurrences": [(row, HOWS.get(row.how, row.how)) for row in found],
        "events": events(finding),
        "may_correct": may_correct,
        "people": work.assignable(scope) if may_correct else (),
        "text_limit": TEXT_LIMIT,
    }
    return page(request, "console/finding.html", context)


@require_POST
@correcting
def act(request, finding_id: int, verb: str):
    """Take, assign, resolve, ignore, reopen or comment; back to the finding, which then tells
    what happened."""
    finding, form = finding_or_404(request, finding_id), Act(verb, request.POST)
    if verb not in VERBS:
        raise Http404
    complaint = _("Nothing was changed: say why, in at most 2,000 characters.")
    try:
        if form.is_valid():
            form.carry_out(seat(request).scope, finding, request.user.pk)
            complaint = ""
    except work.Moved as error:
        complaint = _came_first(error)
    except work.NotAMember:
        complaint = _("Nothing was changed: choose a member of this workspace who may correct.")
    except QueueTimeout:
        complaint = _("Too many are writing now. Try again in a moment.")
    if complaint:
        messages.error(request, complaint)
    else:
        messages.success(request, _("Done."))
    return redirect("finding", finding.pk)


def _came_first(error: work.Moved) -> str:
    if error.event is None:
        return _("Nothing was changed: somebody else came first.")
    told = {"actor": error.event.actor, "what": label(error.event.verb)}
    return _("Nothing was changed: %(actor)s came first (%(what)s).") % told


def _read_on(scope: Scope) -> bool:
    """Whether records are left that were not looked at."""
    try:
        return scan(scope, MOST).is_behind
    except QueueTimeout:
        return is_behind(scope)
