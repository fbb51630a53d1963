"""Corrections in plain words: said in a box, previewed, applied to exactly that, or dismissed."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from memory.models import Correction, CorrectionState
from memory.write.correction.preview import Moved, is_expired, needed_count
from memory.write.correction.reading import CHARACTERS
from memory.write.correction.road import (
    Choice,
    Refused,
    apply_correction,
    dismiss_correction,
    find_correction,
    propose,
    propose_again,
)
from memory.write.held import SecretRefused
from memory.write.plan import Conflict
from memory.write.proposal import NAME_LIMIT, TEXT_LIMIT, InvalidInput
from memory.write.queue import QueueTimeout
from memory.write.revise import NotFound

from .access import correcting, memory_or_404, recall_or_404, seat
from .correction import REASON_LIMIT
from .correction_parts import REFUSALS, TABS, lines, sentence, tabs
from .keyset import paginate
from .log import users_of
from .pages import page
from .question_parts import made_from

BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")
MOVED = gettext_lazy("A fact was changed since this preview. Look again; nothing was changed.")
SECRET = gettext_lazy("That is a secret, and a secret is not kept as a memory.")
IN_THE_WAY = gettext_lazy("Nothing was changed: another value is current now.")


class InWords(forms.Form):
    """What a person says is wrong; of whom, where neither a memory nor a recall tells it."""

    text = forms.CharField(max_length=CHARACTERS)
    user_id = forms.CharField(max_length=NAME_LIMIT, required=False)
    memory = forms.UUIDField(required=False)
    recall = forms.UUIDField(required=False)


class Decision(forms.Form):
    """What a person says to a preview."""

    reason = forms.CharField(max_length=REASON_LIMIT, required=False)
    confirm_count = forms.IntegerField(min_value=1, required=False)
    memory_id = forms.UUIDField(required=False)
    value = forms.CharField(max_length=TEXT_LIMIT, required=False)
    retract = forms.BooleanField(required=False)

    def choice(self) -> Choice | None:
        said = self.cleaned_data
        if said["memory_id"] is None:
            return None
        return Choice(said["memory_id"], said["value"] or None, said["retract"])


@require_safe
def corrections(request):
    """Corrections, the newest first; `status` names the tab."""
    return _list_page(request, InWords())


@require_POST
@correcting
def new(request):
    """Keep what was said as a preview and show it; nothing has changed."""
    form = InWords(request.POST)
    if form.is_valid():
        try:
            return redirect("correction", _proposed(request, form.cleaned_data).public_id)
        except SecretRefused:
            form.add_error("text", SECRET)
        except InvalidInput as error:
            form.add_error(None, _objections(error))
        except QueueTimeout:
            form.add_error(None, BUSY)
    return _list_page(request, form, status=422)


@require_safe
def one(request, correction_id: UUID):
    """One correction: what was understood, what it would change, what became of it."""
    return _page(request, _found(request, correction_id), Decision())


@require_POST
@correcting
def apply_it(request, correction_id: UUID):
    """Change what the preview showed and nothing else."""
    correction, form = _found(request, correction_id), Decision(request.POST)
    if not form.is_valid():
        return _page(request, correction, form, status=422)
    complaint = _apply(request, correction, form)
    if complaint:
        form.add_error(None, complaint)
        return _page(request, _found(request, correction_id), form, status=409)
    return redirect("correction", correction_id)


@require_POST
@correcting
def dismiss(request, correction_id: UUID):
    """Close it without any change."""
    reason = request.POST.get("reason", "")[:REASON_LIMIT]
    try:
        dismiss_correction(seat(request).scope, _found(request, correction_id), reason)
    except Refused as error:
        messages.error(request, REFUSALS[error.code])
    except QueueTimeout:
        messages.error(request, BUSY)
    return redirect("correction", correction_id)


@require_POST
@correcting
def again(request, correction_id: UUID):
    """The same words, of the store as it is now."""
    try:
        found = propose_again(seat(request).scope, _found(request, correction_id))
    except QueueTimeout:
        messages.error(request, BUSY)
        return redirect("correction", correction_id)
    return redirect("correction", found.public_id)


def _proposed(request, said: dict) -> Correction:
    scope = seat(request).scope
    memory = memory_or_404(request, said["memory"]) if said["memory"] else None
    recall = recall_or_404(request, said["recall"]) if said["recall"] else None
    where = memory or recall
    user_id = where.user_id if where else said["user_id"]
    if not user_id.strip():
        raise InvalidInput([("user_id", _("say whose memory is to be corrected"))])
    return propose(
        scope,
        said["text"],
        user_id=user_id,
        session_id=where.session_id if where else "",
        agent_id=where.agent_id if where else "",
        recall=recall,
        about=memory,
    )


def _apply(request, correction: Correction, form: Decision) -> str:
    """What is in the way, or ""."""
    said = form.cleaned_data
    try:
        apply_correction(
            seat(request).scope,
            correction,
            reason=said["reason"],
            confirm_count=said["confirm_count"],
            choice=form.choice(),
        )
    except Refused as error:
        return REFUSALS[error.code]
    except Moved:
        return MOVED
    except SecretRefused:
        return SECRET
    except InvalidInput as error:
        return _objections(error)
    except Conflict:
        return IN_THE_WAY
    except QueueTimeout:
        return BUSY
    return ""


def _objections(error: InvalidInput) -> str:
    return "; ".join(_(message) for _name, message in error.errors)


def _list_page(request, form: InWords, status: int = 200):
    scope, asked = seat(request).scope, request.GET.get("status", "")
    tab = asked if asked in TABS else "open"
    rows = Correction.objects.within(scope).filter(TABS[tab][1]).select_related("batch")
    found = paginate(rows, "-id", request.GET.get("cursor"))
    context = {
        "page": found,
        "rows": [(row, sentence(row), is_expired(row)) for row in found],
        "states": tabs(scope, tab),
        "tab": tab,
        "in_words": form,
        "users": users_of(scope),
    }
    part = "console/corrections_list.html"
    return page(request, "console/corrections.html", context, part=part, status=status)


def _page(request, correction: Correction, form: Decision, status: int = 200):
    scope = seat(request).scope.narrow(correction.user_id)
    targets = lines(scope, correction, correction.targets)
    candidates = lines(scope, correction, correction.candidates)
    is_old = is_expired(correction)
    context = {
        "correction": correction,
        "sentence": sentence(correction),
        "crumbs": [(_("Corrections"), reverse("corrections")), (str(correction), None)],
        "targets": targets,
        "candidates": candidates,
        "needed_count": needed_count(correction),
        "is_old": is_old,
        "has_moved": any(line.moved for line in targets),
        "may_apply": correction.state == CorrectionState.OPEN and not is_old,
        "form": form,
        "questions": made_from(scope, from_correction=correction.public_id),
    }
    return page(request, "console/correction.html", context, status=status)


def _found(request, correction_id: UUID) -> Correction:
    try:
        return find_correction(seat(request).scope, correction_id)
    except NotFound as error:
        raise Http404 from error
