"""Changing many memories of a list: chosen, shown, then done as one batch, or by a job that can be
taken back as a whole."""

from collections import Counter

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from memory.index.browse import COUNT_CAP
from memory.jobs import bulk as job
from memory.jobs.undoing import take_back
from memory.models import Kind
from memory.write.correction.preview import CAP
from memory.write.many import AT_ONCE, VERBS, Done, change_many, checked_value
from memory.write.plan import Conflict
from memory.write.proposal import PART_LIMIT, InvalidInput
from memory.write.queue import QueueTimeout

from .access import correcting, operating, seat
from .back import with_done
from .bulk_preview import OWN, WHY, NotSeen, Seen, chosen_rows, preview, seal, unseal
from .bulk_verbs import TEXTS
from .jobs import BUSY, job_or_404
from .pages import page
from .review_forms import REASON_LIMIT

NONE_CHOSEN = gettext_lazy("Choose at least one memory.")
NOT_SEEN = gettext_lazy("Nothing was changed: this preview is more than an hour old. Look again.")
REFUSED = gettext_lazy("Nothing was changed: another value is current for one of these facts.")


class Asked(forms.Form):
    """The value that goes with a verb that sets one."""

    to = forms.CharField(max_length=PART_LIMIT, required=False, strip=True)

    def __init__(self, sets: str, data):
        super().__init__(data)
        field = self.fields["to"]
        field.label = TEXTS[sets].asks
        if sets in ("kind", "importance"):
            choices = Kind.choices if sets == "kind" else [(str(n), str(n)) for n in range(1, 6)]
            field.widget = forms.Select(choices=[("", "—"), *choices])
        style = "form-select" if sets in ("kind", "importance") else "form-control"
        field.widget.attrs["class"] = style + " is-invalid" * ("to" in self.errors)


class Decision(forms.Form):
    """Why, and for many the number of them; bound to what was shown."""

    seen = forms.CharField()
    reason = forms.CharField(max_length=REASON_LIMIT, required=False)
    # As it is shown, "1,204", it may be typed too.
    count = forms.CharField(max_length=20, required=False)

    def complain_about(self, seen: Seen) -> None:
        """Add what is missing."""
        if not self.cleaned_data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Say why, so that others can understand it later."))
        typed = self.cleaned_data.get("count", "").replace(",", "")
        if len(seen.rows) > CAP and typed != str(len(seen.rows)):
            self.add_error("count", _("Type how many memories are changed."))


@require_http_methods(["GET", "HEAD", "POST"])
@operating
def bulk(request):
    """GET: what a verb would do to the chosen memories. POST: do it to those that were shown, as
    they were shown."""
    verb = VERBS.get(request.GET.get("verb", ""))
    if verb is None:
        raise Http404
    form = Decision(request.POST) if request.method == "POST" else None
    status = 200
    if form is not None:
        done, status = _done(request, form)
        if done:
            return done
    return _page(request, verb, form, status)


@require_POST
@correcting
def undo(request, job_id):
    """Take all batches of a job back; that is a job, too."""
    found = job_or_404(request, job_id)
    try:
        under_way = take_back(seat(request).scope, found, request.POST.get("reason", "")[:500])
    except Conflict:
        messages.error(request, _("Nothing was changed: there is nothing left to take back."))
    except QueueTimeout:
        messages.error(request, BUSY)
    else:
        return redirect("job", under_way.public_id)
    return redirect("job", found.public_id)


def list_address(request) -> str:
    """The list from which the memories were chosen, as it was."""
    query = request.GET.copy()
    for name in OWN:
        query.pop(name, None)
    return f"{reverse('memories')}?{query.urlencode()}"


def _page(request, verb, form: Decision | None, status: int):
    scope, asked = seat(request).scope, Asked(verb.sets, request.GET) if verb.sets else None
    rows, shown, value = chosen_rows(scope, request.GET), None, ""
    if asked is None or "to" in request.GET:
        try:
            value = checked_value(verb, request.GET.get("to", ""))
        except InvalidInput as error:
            for _name, message in error.errors:
                asked.add_error("to", _(message))
        else:
            shown = preview(scope, rows, verb, value)
    chosen = shown.chosen if shown else rows.order_by()[: COUNT_CAP + 1].count()
    if not chosen:
        messages.error(request, NONE_CHOSEN)
        return redirect(list_address(request))
    context = {
        "text": TEXTS[verb.name],
        "verb": verb,
        "asked": asked,
        "preview": shown,
        "chosen": chosen,
        "seen": seal(scope, shown) if shown and shown.count and not shown.is_too_many else "",
        "form": form,
        "cap": CAP,
        "at_once": AT_ONCE,
        "most": COUNT_CAP,
        "reason_limit": REASON_LIMIT,
        "back": list_address(request),
        "crumbs": [(_("Memories"), list_address(request)), (TEXTS[verb.name].title, None)],
    }
    return page(request, "console/bulk.html", context, status=status)


def _done(request, form: Decision) -> tuple[HttpResponseRedirect | None, int]:
    """Where to go when it is done; None, and the status, with what is in the way."""
    scope = seat(request).scope
    form.is_valid()
    try:
        seen = unseal(scope, form.cleaned_data.get("seen", ""))
        form.complain_about(seen)
        if form.errors:
            return None, 422
        reason = form.cleaned_data["reason"]
        if len(seen.rows) > AT_ONCE:
            begun = job.begin(scope, seen.verb, seen.value, seen.rows, reason)
            return redirect("job", begun.public_id), 302
        done = change_many(scope, seen.verb, seen.value, seen.rows, reason)
    except NotSeen:
        messages.error(request, NOT_SEEN)
    except Conflict:
        messages.error(request, REFUSED)
    except QueueTimeout:
        messages.error(request, BUSY)
    else:
        _tell_left(request, done)
        return redirect(with_done(list_address(request), done.batch)), 302
    return None, 409


def _tell_left(request, done: Done) -> None:
    if done.batch is None:
        messages.error(request, _("Nothing was changed."))
    for code, n in Counter(one.code for one in done.left).items():
        text = ngettext(
            "%(n)s memory was left as it is: %(why)s.",
            "%(n)s memories were left as they are: %(why)s.",
            n,
        )
        messages.warning(request, text % {"n": n, "why": WHY[code]})
