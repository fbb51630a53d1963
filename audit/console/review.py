"""The review queue: what waits for a person, decided one by one or many at once."""

from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.http import Http404, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from memory import clock
from memory.models import ForbiddenMove, Scope
from memory.models.memory import Kind as MemoryKind
from memory.write import queue
from memory.write.apply import apply
from memory.write.plan import Applied, Conflict, StalePlan
from memory.write.planner import WAITING, Planner
from memory.write.proposal import InvalidInput
from memory.write.review import plan_edit
from memory.write.revise import check_revision, find

from .access import correcting, memory_or_404, seat
from .back import with_done
from .correction import Correction, touched_by
from .log import users_of
from .memory_parts import evidence
from .pages import page
from .peek import peeked_at
from .review_forms import AGES, QUERIES, REASON_LIMIT, TAKE_BACK, Decision, Filter, begin
from .review_kinds import Said, Token, kind_of
from .review_marks import put_off, take_back
from .review_paging import page_of
from .review_parts import SESSION_BACK, chips, reasons_of, tabs, taken_back_by, verbs_of
from .saved_views import has_views

MOVED = gettext_lazy("Nothing was changed: it has moved since you looked. Look again.")
BUSY = gettext_lazy("Too many are writing now. Try again in a moment.")


@require_http_methods(["GET", "HEAD", "POST"])
@has_views("review", QUERIES)
def review(request):
    """All that waits, the last first; `status` names one kind of it. POST: what was decided."""
    return _decided(request) if request.method == "POST" else _list(request, None)


@correcting
def _decided(request):
    """Do what was decided about the chosen items, as one batch; then the list again."""
    form = Decision(request.POST)
    if not form.is_valid():
        return _list(request, form, status=422)
    verb, tokens = form.cleaned_data["verb"], form.tokens
    try:
        applied, back = _carried_out(request, verb, tokens, form.cleaned_data)
    except (StalePlan, Conflict, ForbiddenMove):
        messages.error(request, MOVED)
    except InvalidInput as error:
        why = "; ".join(message for _field, message in error.errors)
        messages.error(request, _("Nothing was changed: %(why)s.") % {"why": why})
    except queue.QueueTimeout:
        messages.error(request, BUSY)
    else:
        n = len(tokens)
        messages.success(request, ngettext("%d item done.", "%d items done.", n) % n)
        if back:
            request.session[SESSION_BACK] = {"verb": back, "items": [str(t) for t in tokens]}
        return redirect(_address(request, applied))
    return redirect(_address(request, None))


@require_http_methods(["GET", "HEAD", "POST"])
@correcting
def edit(request, memory_id: UUID):
    """Approve a memory that waits in other words than it was said: the form, its preview, then
    exactly that."""
    scope, chosen = seat(request).scope, memory_or_404(request, memory_id)
    if chosen.status not in WAITING:
        messages.error(request, _("This memory does not wait for a decision any more."))
        return redirect("memory", chosen.public_id)
    form, touched = Correction(chosen, request.POST if request.method == "POST" else None), ()
    if form.is_valid():
        try:
            if form.is_previewed and request.POST.get("step") == "apply":
                return redirect(_address(request, _edited(scope, form)))
            touched = touched_by(_planned(scope, form), chosen)
        except (InvalidInput, StalePlan, Conflict) as error:
            form.complain(error)
        except queue.QueueTimeout:
            form.add_error(None, BUSY)
    context = {
        "memory": chosen,
        "form": form,
        "touched": touched,
        "evidence": evidence(chosen),
        "crumbs": [(_("Review"), reverse("review")), (_("Edit and approve"), None)],
    }
    status = 422 if form.is_bound and not touched else 200
    return page(request, "console/review_edit.html", context, status=status)


def _edited(scope: Scope, form: Correction) -> Applied:
    with queue.turn():
        return apply(_planned(scope, form).plan("approve", form.cleaned_data["reason"]))


def _planned(scope: Scope, form: Correction) -> Planner:
    memory = find(scope, form.memory.public_id)
    check_revision(memory, form.cleaned_data["revision"])
    return plan_edit(scope, memory, form.changes)


def _carried_out(request, verb: str, tokens: list[Token], said: dict) -> tuple[Applied | None, str]:
    """What was applied, and the verb that takes back what is no batch. All or nothing: items of
    two types are not decided together."""
    scope, rows = seat(request).scope, {}
    handlers = {token.item_type: kind_of(token.item_type) for token in tokens}
    for item_type, kind in handlers.items():
        own = [token for token in tokens if token.item_type == item_type]
        rows[item_type] = kind.find(scope, own) if kind else []
        if len(rows[item_type]) != len(own):
            raise Http404
    if verb in ("snooze", TAKE_BACK):
        for item_type, kind in handlers.items():
            ids = [kind.marked(row) for row in rows[item_type]]
            if verb == TAKE_BACK:
                take_back(scope, item_type, ids)
            else:
                put_off(scope, item_type, ids, begin(said["until"]), said["reason"])
        return None, TAKE_BACK if verb == "snooze" else ""
    if len(handlers) > 1 or not all(kind.can(verb) for kind in handlers.values()):
        raise InvalidInput([("verb", _("this cannot be done to all of the chosen items"))])
    kind = next(iter(handlers.values()))
    decision = Said(said["reason"], said["until"], request.POST)
    applied = kind.decide(scope, verb, rows[kind.item_type], tokens, decision)
    return applied, kind.back.get(verb, "")


def _list(request, form: Decision | None, status: int = 200):
    scope = seat(request).scope
    if form:
        # The page is that of the list as it was; so are its links.
        request.GET = QueryDict(request.POST.get("back", ""))
    address = request.GET
    asked = Filter(address).asked()
    found = page_of(scope, asked, address.get("cursor"))
    shown = tabs(asked, found.counts)
    context = {
        "page": found,
        "tabs": shown,
        "tab": next(tab for tab in shown if tab.active),
        "asked": asked,
        "reasons": reasons_of(asked.tab),
        "verbs": verbs_of(asked.tab),
        "users": users_of(scope),
        "memory_kinds": MemoryKind.choices,
        "ages": AGES,
        "form": form,
        "chosen": {str(token) for token in form.tokens} if form else set(),
        "back": address.urlencode(),
        "tomorrow": timezone.localdate(clock.now() + timedelta(days=1)),
        "undoing": None if form else taken_back_by(request),
        "reason_limit": REASON_LIMIT,
        "may_correct": seat(request).membership.may_correct,
        "peek": peeked_at(request),
        "chips": chips(scope, asked) if asked.is_narrowed and not found.items else (),
    }
    return page(
        request, "console/review.html", context, part="console/review_list.html", status=status
    )


def _address(request, applied: Applied | None) -> str:
    """The same page of the list, with the batch to look at or to undo."""
    back = QueryDict(request.POST.get("back", ""), mutable=True)
    back.pop("peek", None)
    address = f"{reverse('review')}?{back.urlencode()}"
    return with_done(address, applied and applied.batch)
