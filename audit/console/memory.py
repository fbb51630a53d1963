"""One memory: what it says, since when, on what evidence, its history, who was given it; and
what a person may do about it."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.index.past import as_of
from memory.models import ForbiddenMove, Memory, Right, Scope, Status
from memory.write import queue
from memory.write.accesses import newest, note
from memory.write.apply import apply
from memory.write.plan import Applied, Conflict, StalePlan
from memory.write.proposal import InvalidInput
from memory.write.review import plan_approve, plan_hold, plan_reject
from memory.write.revise import (
    check_revision,
    plan_confirm,
    plan_expire,
    plan_restore,
    plan_retract,
)

from . import pages, past
from .access import correcting, memory_or_404, seat
from .back import back_to, with_done
from .correction import Correction, Reason, carry_out, preview
from .erasures import or_tombstone
from .graph import drawn
from .memory_parts import (
    NEEDS_REASON,
    VERSIONS,
    against,
    evidence,
    fields,
    served_by,
    verbs,
)
from .timeline import events, lanes

BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")
VERBS = {
    "confirm": plan_confirm,
    "retract": lambda scope, memory: plan_retract(scope, [memory]),
    "expire": lambda scope, memory: plan_expire(scope, [memory]),
    "restore": plan_restore,
    "approve": lambda scope, memory: plan_approve(scope, [memory]),
    "reject": lambda scope, memory: plan_reject(scope, [memory]),
    "hold": lambda scope, memory: plan_hold(scope, [memory]),
}


@require_safe
@or_tombstone
def memory(request, memory_id: UUID):
    """The page of one memory, or of its tombstone (410); `as_of` shows it as it was on that day, to
    be read only."""
    then = past.then(request)
    try:
        with as_of(then.moment):
            context = _told(request, memory_or_404(request, memory_id), then)
    except Http404:
        if then.moment is None:
            raise
        one = memory_or_404(request, memory_id)
        messages.info(request, _("It was not there yet on that day; this is how it is now."))
        return redirect("memory", one.public_id)
    note(seat(request).scope, [context["memory"]], "page")
    return pages.page(request, "console/memory.html", context)


def _told(request, one: Memory, then: past.Then) -> dict[str, Any]:
    scope = seat(request).scope
    told, page = events(scope, one.fact, request.GET.get("cursor"))
    versions = Memory.objects.within(scope).filter(fact=one.fact).order_by("-version", "-pk")
    shown, served = list(versions[:VERSIONS]), served_by(scope, one)
    may_act = seat(request).membership.may_correct and then.moment is None
    may_audit = seat(request).membership.may(Right.AUDIT) and then.moment is None
    return {
        "memory": one,
        "then": then,
        "events": told,
        "page": page,
        "versions": shown,
        "lanes": lanes(shown),
        "against": against(scope, one),
        "current": versions.filter(status=Status.ACTIVE).first(),
        "fields": fields(one, served[0].recall.at if served else None),
        "evidence": evidence(one),
        "served": served,
        "read_by": newest(scope, one) if may_audit else None,
        "ends": min(filter(None, (one.valid_to, one.expires_at)), default=None),
        "verbs": verbs(one) if may_act else (),
        "may_act": may_act,
        "graph": drawn(scope, one) if then.moment is None else None,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@correcting
def correct(request, memory_id: UUID):
    """The form; its preview; then, bound to what the preview showed, the change itself."""
    scope, chosen = seat(request).scope, memory_or_404(request, memory_id)
    if chosen.status != Status.ACTIVE:
        messages.error(request, _("Only an active memory can be corrected; this one is not."))
        return redirect("memory", chosen.public_id)
    form, touched = Correction(chosen, request.POST if request.method == "POST" else None), ()
    if form.is_valid():
        try:
            if form.is_previewed and request.POST.get("step") == "apply":
                return _done(request, chosen, carry_out(scope, form))
            touched = preview(scope, form)
        except (InvalidInput, StalePlan, Conflict) as error:
            form.complain(error)
        except queue.QueueTimeout:
            form.add_error(None, BUSY)
    context = {"memory": chosen, "form": form, "touched": touched}
    return pages.page(request, "console/correct.html", context)


@require_POST
@correcting
def act(request, memory_id: UUID, verb: str):
    """Confirm, retract, restore, hold, approve or reject, with a reason; most demand one."""
    scope, chosen = seat(request).scope, memory_or_404(request, memory_id)
    if verb not in VERBS:
        raise Http404
    form = Reason(request.POST)
    form.fields["reason"].required = verb in NEEDS_REASON
    complaint = _("Nothing was changed: say why, in at most 1,000 characters.")
    try:
        if form.is_valid():
            return _done(request, chosen, _carried_out(scope, chosen, verb, form.cleaned_data))
    except StalePlan:
        complaint = _("This memory was changed meanwhile. Look at it again.")
    except (Conflict, ForbiddenMove):
        complaint = _("Nothing was changed: its state does not allow this.")
    except queue.QueueTimeout:
        complaint = BUSY
    messages.error(request, complaint)
    return redirect(back_to(request, reverse("memory", args=[chosen.public_id])))


def _carried_out(scope: Scope, memory: Memory, verb: str, said: dict) -> Applied:
    with queue.turn():
        memory.refresh_from_db()
        check_revision(memory, said["revision"])
        if verb not in {allowed.name for allowed in verbs(memory)}:
            raise Conflict(f"a {memory.status} memory: no {verb}")
        return apply(VERBS[verb](scope, memory).plan(verb, said["reason"]))


def _done(request, memory: Memory, applied: Applied):
    """Back to where the form was, or to the version that is current now, with the batch to look at
    or to undo."""
    now = [row for row in applied.memories.values() if row.status == Status.ACTIVE]
    target = now[-1] if now else memory
    address = back_to(request, reverse("memory", args=[target.public_id]))
    return redirect(with_done(address, applied.batch))
