"""The recall log: what was asked, narrowed by who, when, how and what came of it."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_safe
from django_filters import CharFilter, ChoiceFilter, NumberFilter

from memory.models import Recall, RecallCandidate, RecallFeedback, Scope, Verdict

from . import log as logs
from .access import seat
from .keyset import Page, paginate
from .ledger import SURFACES
from .listing import chips
from .log import LogFilter, users_of
from .pages import page
from .recall_peek import peeked_at
from .saved_views import has_views
from .view_queries import Known

SERVED = {"some": gettext_lazy("something"), "none": gettext_lazy("nothing")}
TRIGGERED = {
    "yes": gettext_lazy("memory was searched"),
    "no": pgettext_lazy("of recalls", "small talk"),
}
STALE = {"yes": gettext_lazy("something outdated")}
FEEDBACK = {"any": gettext_lazy("any"), **dict(Verdict.choices)}
# Questions that people put to the log, as what its address then says.
VIEWS = (
    (gettext_lazy("All"), {}),
    (gettext_lazy("No result"), {"served": "none", "triggered": "yes"}),
    (pgettext_lazy("of recalls", "Small talk"), {"triggered": "no"}),
    (gettext_lazy("Outdated given"), {"stale": "yes"}),
    (gettext_lazy("With feedback"), {"feedback": "any"}),
)
CHOSEN = ("served", "triggered", "stale", "feedback")
TYPED = "q user_id agent_id session_id since until"


class RecallFilter(LogFilter):
    named = {"surface": SURFACES}

    q = CharFilter(
        field_name="query",
        lookup_expr="icontains",
        label=gettext_lazy("Words of the query"),
        max_length=200,
    )
    agent_id = CharFilter(label=gettext_lazy("Agent"), max_length=200)
    session_id = CharFilter(label=gettext_lazy("Session"), max_length=200)
    served = ChoiceFilter(
        label=gettext_lazy("Given"), choices=tuple(SERVED.items()), method="by_served"
    )
    triggered = ChoiceFilter(
        label=gettext_lazy("Asked"), choices=tuple(TRIGGERED.items()), method="by_triggered"
    )
    stale = ChoiceFilter(
        label=gettext_lazy("Given then"), choices=tuple(STALE.items()), method="by_stale"
    )
    feedback = ChoiceFilter(
        label=gettext_lazy("Feedback"), choices=tuple(FEEDBACK.items()), method="by_feedback"
    )
    slower = NumberFilter(
        field_name="took_ms",
        lookup_expr="gte",
        label=gettext_lazy("Took at least, ms"),
        min_value=0,
        max_value=1e9,
    )
    profile = CharFilter(label=gettext_lazy("Profile"), max_length=32)
    surface = CharFilter(label=gettext_lazy("Through"), max_length=32)
    actor = CharFilter(label=gettext_lazy("By"), max_length=200)

    def __init__(self, data, scope: Scope):
        rows = Recall.objects.within(scope).defer("context", "prompt", "answer")
        super().__init__(data, rows)
        self.scope = scope

    @property
    def has_days(self) -> bool:
        return bool({"since", "until"} & self.wanted.keys())

    @property
    def order(self) -> str:
        """The index of days gives their rows by time; by id it sorted 500,000 of them for 5 s."""
        return "-at" if self.has_days else "-id"

    def without(self, name: str) -> "RecallFilter":
        """The same choice with one filter dropped."""
        data = self.data.copy()
        data.pop(name, None)
        return RecallFilter(data, self.scope)

    def by_served(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        # Turns are not counted as served, but whatever was given has tokens.
        nothing = Q(served=0, tokens=0)
        return rows.filter(nothing if value == "none" else ~nothing)

    def by_triggered(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        return rows.filter(triggered=value == "yes")

    def by_stale(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        given = RecallCandidate.objects.filter(stale=True, rank__isnull=False).order_by("-id")
        self.is_cut |= given[: logs.WINDOW + 1].count() > logs.WINDOW
        return rows.filter(pk__in=given.values("recall_id")[: logs.WINDOW])

    def by_feedback(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        said = RecallFeedback.objects.filter(recall=OuterRef("pk"))
        return rows.filter(Exists(said if value == "any" else said.filter(verdict=value)))

    def choices(self, name: str) -> list[dict]:
        """The values of a filter that has few, as `blocks/facets.html` takes them."""
        chosen = self.wanted.get(name)
        return [
            {"value": value, "text": text, "count": None, "active": value == chosen}
            for value, text in self.filters[name].extra["choices"]
        ]


@require_safe
@has_views("recalls", Known.of_filter(RecallFilter))
def recalls(request):
    """The recall log, newest first."""
    scope = seat(request).scope
    log = RecallFilter(request.GET, scope)
    found = page_of(log, request.GET.get("cursor"))
    context = {
        "page": found,
        "log": log,
        "views": views(log),
        "typed": TYPED,
        "facets": [
            *((log.filters[name].label, name, log.choices(name)) for name in CHOSEN),
            (_("Profile"), "profile", log.facet("profile")),
            (_("Through"), "surface", log.facet("surface", SURFACES)),
            (_("By"), "actor", log.facet("actor")),
        ],
        "users": users_of(scope),
        "chips": chips(log, count=not found.rows),
        "peek": peeked_at(request),
    }
    return page(request, "console/recalls.html", context, part="console/recalls_list.html")


def page_of(log: RecallFilter, cursor: str | None) -> Page:
    """A page; the first one where the cursor leads past the last row."""
    found = paginate(log.qs, log.order, cursor)
    return found if found.rows or not cursor else paginate(log.qs, log.order)


def views(log: RecallFilter) -> list[dict[str, Any]]:
    """Each view as a link that keeps the user, the days and what else was typed."""
    kept = {name: value for name, value in log.data.items() if name in TYPED.split() and value}
    chosen = {name: value for name, value in log.wanted.items() if name in CHOSEN}
    return [
        {"text": text, "address": f"?{urlencode(kept | said)}", "active": said == chosen}
        for text, said in VIEWS
    ]
