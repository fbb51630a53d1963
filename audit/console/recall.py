"""The recall explorer: ask as an agent would ask, and see what it would be given and why."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from memory.index.search import DROPPED_SHOWN
from memory.models import Kind, Recall, RecallCandidate, Scope
from memory.recall import PROFILES, InvalidRequest, RecallRequest
from memory.recall import recall as run
from memory.recall.request import (
    DEFAULT_BUDGET,
    DEFAULT_LIMIT,
    DEFAULT_TURNS,
    MAX_BUDGET,
    MAX_LIMIT,
    MAX_TURNS,
)
from memory.recall.road import preview
from memory.text.terms import QueryTerm
from memory.write.queue import QueueTimeout

from .access import seat
from .log import newest, users_of
from .pages import page
from .recall_turns import GATES as TURN_GATES
from .recalls import GATES, QUERY_SHOWN, TYPED_TIME, readout
from .templatetags.console import label

LATEST_SHOWN = 10
# What any time zone can turn into UTC.
EARLIEST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
LARGEST_PROMPT = 10_000_000
BETWEEN_NAMES = re.compile(r"[,，、;；\n]+")
USUALLY = _("Usually")
TERM_KINDS = {
    "word": pgettext_lazy("of a query", "word"),
    "latin": pgettext_lazy("of a query", "word"),
    "id": pgettext_lazy("of a query", "id"),
    "number": pgettext_lazy("of a query", "number"),
    "quantity": pgettext_lazy("of a query", "quantity"),
    "date": pgettext_lazy("of a query", "date"),
    "char": pgettext_lazy("of a query", "character"),
}


def _name(text, **more) -> forms.CharField:
    return forms.CharField(label=text, max_length=200, **more)


def _moment(text) -> forms.DateTimeField:
    widget = forms.DateTimeInput({"type": "datetime-local"}, format=TYPED_TIME)
    limits = [MinValueValidator(EARLIEST), MaxValueValidator(LAST)]
    return forms.DateTimeField(label=text, required=False, widget=widget, validators=limits)


def _whole(text, low: int, high: int, usual: int | None = None) -> forms.IntegerField:
    hint = format_lazy("{} {}", USUALLY, usual) if usual is not None else ""
    limits = [MinValueValidator(low), MaxValueValidator(high)]
    return forms.IntegerField(label=text, required=False, help_text=hint, validators=limits)


class ExplorerForm(forms.Form):
    """A question as people type it; `request` gives it as the engine takes it."""

    user_id = _name(_("User"))
    query = forms.CharField(label=_("Query"), max_length=QUERY_SHOWN)
    agent_id = _name(_("Agent"), required=False)
    session_id = _name(_("Session"), required=False)
    kinds = forms.MultipleChoiceField(label=_("Kinds"), choices=Kind.choices, required=False)
    domains = forms.CharField(label=_("Domains, with commas"), max_length=500, required=False)
    since = _moment(_("Happened since"))
    until = _moment(_("Happened until"))
    as_of = _moment(_("As the store was at"))
    profile = forms.ChoiceField(
        label=_("Profile"), choices=[(name, name) for name in PROFILES], required=False
    )
    limit = _whole(_("Memories at most"), 1, MAX_LIMIT, DEFAULT_LIMIT)
    turns = _whole(_("Turns at most"), 0, MAX_TURNS, DEFAULT_TURNS)
    budget_tokens = _whole(
        pgettext_lazy("of a context, in tokens", "Budget"), 1, MAX_BUDGET, DEFAULT_BUDGET
    )
    prompt_tokens = _whole(_("Rest of the prompt, in tokens"), 0, LARGEST_PROMPT)

    @property
    def options(self) -> list[forms.BoundField]:
        """What stands folded under the question, but for the kinds and the profile."""
        return [self[name] for name in self.fields if name not in UNFOLDED]

    @property
    def says_more(self) -> bool:
        """Whether any of the folded ones says something that is not usual."""
        names = [name for name in self.fields if name not in ("user_id", "query")]
        usual = ("", None, [], next(iter(PROFILES)))
        return any(self[name].value() not in usual for name in names)

    def request(self, scope: Scope) -> RecallRequest:
        said = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        domains = BETWEEN_NAMES.split(said.pop("domains", ""))
        return RecallRequest(
            scope.narrow(said.pop("user_id")),
            said.pop("query"),
            domains=[name.strip() for name in domains if name.strip()],
            **said,
        )


UNFOLDED = ("user_id", "query", "kinds", "profile")


@require_http_methods(["GET", "HEAD", "POST"])
def explorer(request):
    """GET: what the question in the address would be answered; nothing is recorded. POST: ask it
    and keep the record, then show that or, with `memory`, why it does not hold that one."""
    scope = seat(request).scope
    if request.method == "POST":
        return _keep(request, scope)
    form = ExplorerForm(request.GET if "query" in request.GET else None, initial=_said(request))
    return _page(request, form, _looked(form, scope) if form.is_valid() else {})


def _keep(request, scope: Scope):
    form = ExplorerForm(request.POST)
    if form.is_valid():
        try:
            kept = run(form.request(scope)).record
        except InvalidRequest as error:
            _blame(form, error)
        except QueueTimeout:
            form.add_error(None, _("Too many are writing now. Try again in a moment."))
        else:
            if memory := request.POST.get("memory"):
                return redirect(
                    reverse("recall-why-not", args=[kept.public_id], query={"memory": memory})
                )
            return redirect("recall", kept.public_id)
    return _page(request, form, {})


def _page(request, form: ExplorerForm, answer: dict[str, Any]):
    scope = seat(request).scope
    context = {
        "form": form,
        "kinds": Kind.choices,
        "users": users_of(scope),
        "latest": () if answer else _latest(scope),
        **answer,
    }
    return page(request, "console/recall.html", context, status=422 if form.errors else 200)


def _looked(form: ExplorerForm, scope: Scope) -> dict[str, Any]:
    """The answer as the page shows it; nothing, with the errors in the form, where it has none."""
    try:
        answer, found = preview(form.request(scope))
    except InvalidRequest as error:
        _blame(form, error)
        return {}
    candidates = [RecallCandidate(**columns) for columns in found]
    return {
        **readout(scope, answer.record, candidates),
        "terms": [
            (term, TERM_KINDS.get(term.kind, term.kind), ways(term)) for term in answer.query.terms
        ],
        "truncated": answer.query.truncated,
        "stages": stages(candidates),
        "answer": answer,
    }


def _blame(form: ExplorerForm, error: InvalidRequest) -> None:
    for name, message in error.errors:
        form.add_error(name if name in form.fields else None, message)


def ways(term: QueryTerm) -> list[str]:
    """How else a term is found: other spellings, its characters in a row, or as a beginning."""
    found = list(term.also)
    if term.bigrams:
        found.append(" ".join(term.bigrams))
    if term.prefix:
        found.append(f"{term.prefix}…")
    return found


def stages(candidates: Sequence[RecallCandidate]) -> list[dict[str, Any]]:
    """How many candidates came to each step of the road, as rows of name, count, share of all,
    what was dropped there, and whether only the newest of those are told."""
    total = len(candidates)
    dropped = Counter(c.gate for c in candidates if c.gate)
    ranked = sum(c.score is not None for c in candidates)
    served = sum(c.was_served for c in candidates)
    filtered = Counter(c.gate for c in candidates if c.gate and c.score is None)
    return [
        _stage(gettext("matched"), total, total, Counter()),
        _stage(gettext("ranked, after the gates"), ranked, total, filtered),
        _stage(gettext("given"), served, total, dropped - filtered),
    ]


def _stage(text: str, count: int, total: int, dropped: Counter) -> dict[str, Any]:
    names = GATES | TURN_GATES
    gates = [(names[g][0] if g in names else label(g), n) for g, n in dropped.most_common()]
    return {
        "text": text,
        "count": count,
        "share": count / total if total else 0,
        "dropped": gates,
        "more": sum(dropped.values()) >= DROPPED_SHOWN,
    }


def _said(request) -> dict:
    """The form's first values, where the address names some but asks nothing."""
    said = {name: request.GET[name] for name in ExplorerForm.base_fields if name in request.GET}
    return said | {"kinds": request.GET.getlist("kinds")}


def _latest(scope: Scope) -> list[Recall]:
    mine = (
        newest(Recall.objects.within(scope))
        .filter(actor=scope.actor, surface=scope.surface)
        .defer("context", "answer")
    )
    return list(mine.order_by("-pk")[:LATEST_SHOWN])
