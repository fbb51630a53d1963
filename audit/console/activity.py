"""Activity: what changed together, by whom and why, and the way back."""

from django import forms
from django.contrib import messages
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from django_filters import CharFilter

from memory.models import Batch, ForbiddenMove
from memory.write.plan import Conflict, StalePlan
from memory.write.queue import QueueTimeout
from memory.write.undo import WouldTrample
from memory.write.undo import undo as undo_batch

from . import ledger
from .access import batch_or_404, correcting, seat
from .back import back_to, with_done
from .job_batches import jobs_of
from .keyset import paginate
from .listing import chips
from .log import LogFilter, users_of
from .pages import page
from .saved_views import has_views
from .templatetags.console import label
from .view_queries import Known

STATEMENTS_SHOWN = 3


class ActivityFilter(LogFilter):
    named = {"verb": ledger.VERBS, "surface": ledger.SURFACES}

    verb = CharFilter(label=gettext_lazy("What"), max_length=32)
    surface = CharFilter(label=gettext_lazy("Through"), max_length=32)
    actor = CharFilter(label=gettext_lazy("By"), max_length=200)


class UndoForm(forms.Form):
    reason = forms.CharField(required=False, max_length=500, label=gettext_lazy("Reason"))


@require_safe
@has_views("activity", Known.of_filter(ActivityFilter))
def activity(request):
    """Batches, newest first."""
    scope = seat(request).scope
    rows = Batch.objects.within(scope).select_related("undoes", "undone_by")
    log = ActivityFilter(request.GET, rows)
    found = paginate(log.qs, "-id", request.GET.get("cursor"))
    first = ledger.first_shown(scope, found, STATEMENTS_SHOWN)
    counts = ledger.counts(scope, found)
    jobs = jobs_of(scope, found.rows)
    context = {
        "page": found,
        "rows": [(b, counts.get(b.pk, 0), first.get(b.pk, []), jobs.get(b.pk)) for b in found],
        "log": log,
        "facets": [
            (_("What"), "verb", log.facet("verb", ledger.VERBS)),
            (_("Through"), "surface", log.facet("surface", ledger.SURFACES)),
            (_("By"), "actor", log.facet("actor")),
        ],
        "users": users_of(scope),
        "chips": chips(log, count=not found.rows),
    }
    return page(request, "console/activity.html", context, part="console/activity_list.html")


@require_safe
def one(request, batch_id):
    """One batch: every change, before and after."""
    return _batch_page(request, batch_or_404(request, batch_id), UndoForm())


@require_POST
@correcting
def undo(request, batch_id):
    """Take a batch back, unless later changes stand on it: then say which, and change nothing."""
    batch = batch_or_404(request, batch_id)
    form = UndoForm(request.POST)
    if not form.is_valid():
        return _batch_page(request, batch, form, status=422)
    try:
        applied = undo_batch(seat(request).scope, batch, form.cleaned_data["reason"])
    except WouldTrample as error:
        return _batch_page(request, batch, form, later=error.batches, status=409)
    except (Conflict, StalePlan, ForbiddenMove, QueueTimeout) as error:
        messages.error(request, _refusal(batch, error))
        return redirect("batch", batch.public_id)
    if back := back_to(request, ""):
        return redirect(with_done(back, applied.batch))
    done = _("Undone: what the batch changed is as it was before. The undo can be undone too.")
    address, link = reverse("batch", args=[batch.public_id]), _("See the batch that was undone")
    messages.success(request, format_html('{} <a href="{}">{}</a>', done, address, link))
    return redirect("batch", applied.batch.public_id)


def _batch_page(request, batch: Batch, form: UndoForm, later=(), status: int = 200):
    scope = seat(request).scope
    found = paginate(batch.changes.all(), "id", request.GET.get("cursor"))
    title = _("%(verb)s by %(actor)s") % {"verb": label(batch.verb), "actor": batch.actor}
    context = {
        "batch": batch,
        "title": capfirst(title),
        "crumbs": [(_("Activity"), reverse("activity")), (capfirst(title), None)],
        "page": found,
        "changes": ledger.shown(scope, found.rows),
        "form": form,
        "later": later,
        "job": jobs_of(scope, [batch]).get(batch.pk),
    }
    return page(request, "console/batch.html", context, status=status)


def _refusal(batch: Batch, error: Exception) -> str:
    if batch.is_undone:
        return _("Nothing was changed: this batch has already been undone.")
    if batch.changes.filter(payload=None).exists():
        return _("Nothing was changed: what this batch changed has been erased since.")
    if isinstance(error, QueueTimeout):
        return _("Nothing was changed: too many are writing now. Try again in a moment.")
    if isinstance(error, StalePlan):
        return _("Nothing was changed: somebody else changed it in the same moment.")
    return _("Nothing was changed: another value is current now.")
