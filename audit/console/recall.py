"""The recall explorer: ask as an agent would ask, and see what it would be given and why."""

import re
from datetime import UTC, datetime

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from memory.models import Kind, Recall, Scope
from memory.recall import InvalidRequest, RecallRequest
from memory.recall import recall as run
from memory.recall.request import DEFAULT_LIMIT, MAX_LIMIT, QUERY_LIMIT
from memory.write.queue import QueueTimeout

from .access import seat
from .log import newest, users_of
from .pages import page

LATEST_SHOWN = 10
# What any time zone can turn into UTC.
EARLIEST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
BETWEEN_NAMES = re.compile(r"[,，、;；\n]+")


class ExplorerForm(forms.Form):
    """A question as people type it; `request` gives it as the engine takes it."""

    user_id = forms.CharField(label=_("User"), max_length=200)
    query = forms.CharField(label=_("Query"), max_length=QUERY_LIMIT)
    agent_id = forms.CharField(label=_("Agent"), max_length=200, required=False)
    kinds = forms.MultipleChoiceField(label=_("Kinds"), choices=Kind.choices, required=False)
    domains = forms.CharField(label=_("Domains, with commas"), max_length=500, required=False)
    as_of = forms.DateTimeField(
        label=_("As the store was at"),
        required=False,
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        validators=[MinValueValidator(EARLIEST), MaxValueValidator(LAST)],
    )
    limit = forms.IntegerField(
        label=_("At most"),
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_LIMIT)],
    )

    def request(self, scope: Scope) -> RecallRequest:
        said = self.cleaned_data
        return RecallRequest(
            scope.narrow(said["user_id"]),
            said["query"],
            agent_id=said["agent_id"],
            kinds=said["kinds"],
            domains=[name.strip() for name in BETWEEN_NAMES.split(said["domains"]) if name.strip()],
            as_of=said["as_of"],
            limit=said["limit"] or DEFAULT_LIMIT,
        )


@require_http_methods(["GET", "HEAD", "POST"])
def explorer(request):
    """GET: the form, filled from the address, and the person's latest questions. POST: ask; the
    recall is recorded like every other, so the answer is its record's page."""
    scope = seat(request).scope
    form = ExplorerForm(request.POST if request.method == "POST" else None, initial=_said(request))
    if form.is_valid():
        try:
            answer = run(form.request(scope))
        except InvalidRequest as error:
            for name, message in error.errors:
                form.add_error(name if name in form.fields else None, message)
        except QueueTimeout:
            form.add_error(None, _("Too many are writing now. Try again in a moment."))
        else:
            return redirect("recall", answer.record.public_id)
    context = {
        "form": form,
        "kinds": Kind.choices,
        "users": users_of(scope),
        "latest": _latest(scope),
    }
    return page(request, "console/recall.html", context, status=422 if form.errors else 200)


def _said(request) -> dict:
    """The form's first values: a shared link or "ask again" carries them in its address."""
    said = {name: request.GET[name] for name in ExplorerForm.base_fields if name in request.GET}
    return said | {"kinds": request.GET.getlist("kinds")}


def _latest(scope: Scope) -> list[Recall]:
    rows, _cut = newest(Recall.objects.within(scope))
    mine = rows.filter(actor=scope.actor, surface=scope.surface).defer("context", "answer")
    return list(mine.order_by("-pk")[:LATEST_SHOWN])
