"""The recall log, and one record: what was asked, given and kept back, then and now."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.db.models import F
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy
from django.views.decorators.http import require_safe
from django_filters import CharFilter, ChoiceFilter

from memory.models import Kind, Memory, Recall, RecallCandidate, Scope, Status
from memory.text.highlight import spans

from .access import recall_or_404, seat
from .keyset import paginate
from .ledger import SURFACES
from .log import LogFilter, users_of
from .pages import page
from .templatetags.console import absolute

SERVED = {"some": gettext_lazy("something"), "none": gettext_lazy("nothing")}
PARTS = {
    "relevance": gettext_lazy("relevance"),
    "importance": gettext_lazy("importance"),
    "confidence": gettext_lazy("confidence"),
    "freshness": gettext_lazy("freshness"),
    "domain": gettext_lazy("domain"),
}
# The names of profiles and of what counts tokens, marked for the catalogues.
PROFILES = (gettext_noop("balanced"), gettext_noop("confident"))
COUNTERS = (gettext_noop("estimate"),)
SMALL_TALK = {
    "greeting": gettext_lazy("greeting"),
    "thanks": gettext_lazy("thanks"),
    "farewell": gettext_lazy("farewell"),
    "acknowledgement": gettext_lazy("acknowledgement"),
    "laughter": gettext_lazy("laughter"),
    "symbols": gettext_lazy("only signs"),
}
BLOCKS = {
    "facts": gettext_lazy("facts"),
    "background": gettext_lazy("background"),
    "immediate": gettext_lazy("immediate"),
}
# Why the question was rewritten, as the engine says it.
ONLY_ENTITY = gettext_noop("the last turn to name one that fits names only %(entity)s")
BECAUSE = (gettext_noop("asked of goods, this asks for their stock"),)
TERM_REASONS = {"stop-word": gettext_lazy("too common"), "symbol": gettext_lazy("only signs")}
# The same gates as the road out knows, in the reader's language.
GATES = {
    "expiry": (gettext_lazy("time"), gettext_lazy("its time is over")),
    "kind": (gettext_lazy("kind"), gettext_lazy("not of the kinds asked for")),
    "domain": (gettext_lazy("domain"), gettext_lazy("not of the domains asked for")),
    "agent": (gettext_lazy("agent"), gettext_lazy("belongs to another agent")),
    "time": (gettext_lazy("time"), gettext_lazy("outside the time asked for")),
    "limit": (gettext_lazy("limit"), gettext_lazy("ranked below the limit")),
    "budget": (gettext_lazy("budget"), gettext_lazy("did not fit the token budget")),
}
FILTERS = {
    "user_id": gettext_lazy("User"),
    "agent_id": gettext_lazy("Agent"),
    "session_id": gettext_lazy("Session"),
    "kinds": gettext_lazy("Kinds"),
    "domains": gettext_lazy("Domains"),
    "since": gettext_lazy("Happened since"),
    "until": gettext_lazy("Happened until"),
    "limit": gettext_lazy("At most"),
    "budget_tokens": pgettext_lazy("of a context, in tokens", "Budget"),
    "prompt_tokens": gettext_lazy("Rest of the prompt, in tokens"),
}


class RecallFilter(LogFilter):
    q = CharFilter(
        field_name="query",
        lookup_expr="icontains",
        label=gettext_lazy("Words of the query"),
        max_length=200,
    )
    surface = CharFilter(max_length=32)
    actor = CharFilter(max_length=200)
    served = ChoiceFilter(choices=tuple(SERVED.items()), method="by_served")

    def by_served(self, rows, name: str, value: str):
        return rows.filter(served=0) if value == "none" else rows.filter(served__gt=0)

    def served_facet(self) -> list[dict]:
        chosen = self.data.get("served")
        return [
            {"value": value, "text": text, "count": None, "active": value == chosen}
            for value, text in SERVED.items()
        ]


@dataclass(frozen=True)
class Shown:
    """One candidate with its memory (None: erased since) as far as the scope may see it.

    `pieces` are the statement cut where terms matched: pairs of text and whether it matched.
    """

    candidate: RecallCandidate
    memory: Memory | None
    pieces: list[tuple[str, bool]]
    parts: list[tuple[str, float]]
    gate: str
    why: str

    @property
    def state_moved(self) -> bool:
        return self.memory is not None and self.memory.status != self.candidate.status

    @property
    def superseded_since(self) -> bool:
        return self.state_moved and self.memory.status == Status.SUPERSEDED

    @property
    def changed_since(self) -> bool:
        """Same state, but its columns have moved."""
        return (
            self.memory is not None
            and not self.state_moved
            and self.memory.revision != self.candidate.revision
        )


@require_safe
def recalls(request):
    """The recall log, newest first."""
    scope = seat(request).scope
    log = RecallFilter(request.GET, Recall.objects.within(scope).defer("context", "answer"))
    context = {
        "page": paginate(log.qs, "-id", request.GET.get("cursor")),
        "log": log,
        "facets": [
            (_("Given"), "served", log.served_facet()),
            (_("Through"), "surface", log.facet("surface", SURFACES)),
            (_("By"), "actor", log.facet("actor")),
        ],
        "users": users_of(scope),
        "is_filtered": any(request.GET.get(name) for name in log.filters),
    }
    return page(request, "console/recalls.html", context, part="console/recalls_list.html")


@require_safe
def one(request, recall_id):
    """One record: what was asked, what was given, what was kept back and why."""
    recall = recall_or_404(request, recall_id)
    rows = candidates(seat(request).scope, recall)
    given = [row for row in rows if row.candidate.was_served]
    context = {
        "recall": recall,
        "crumbs": [(_("Recall log"), reverse("recalls")), (str(recall), None)],
        "given": given,
        "kept_back": [row for row in rows if not row.candidate.was_served],
        "outdated": [row for row in given if row.state_moved or row.memory is None],
        "dropped_terms": [
            (text, TERM_REASONS.get(reason, reason)) for text, reason in recall.terms["dropped"]
        ],
        "not_recalled": SMALL_TALK.get(recall.trigger_reason, recall.trigger_reason),
        "moves": [move | {"because": because(move)} for move in recall.moves],
        "blocks": [(name, len(recall.blocks.get(key, ()))) for key, name in BLOCKS.items()],
        "feedback": recall.feedback.all(),
        "filters": asked(recall),
        "again": ask_again(recall),
    }
    return page(request, "console/recall_record.html", context)


def candidates(scope: Scope, recall: Recall) -> list[Shown]:
    """The record's candidates, those given first; two queries, whatever their number."""
    found = list(recall.candidates.order_by(F("rank").asc(nulls_last=True), "pk"))
    rows = Memory.objects.within(scope).filter(public_id__in=[c.memory_id for c in found])
    memories = {row.public_id: row for row in rows}
    return [_shown(candidate, memories.get(candidate.memory_id)) for candidate in found]


def asked(recall: Recall) -> list[tuple[str, str]]:
    """What the question was narrowed by, as pairs for people."""
    kinds = dict(Kind.choices)
    pairs = []
    for name, value in recall.filters.items():
        if isinstance(value, list):
            value = ", ".join(str(kinds.get(item, item)) for item in value)
        elif name in ("since", "until"):
            value = absolute(datetime.fromisoformat(value))
        pairs.append((FILTERS.get(name, name), value))
    return pairs


def because(move: dict[str, str]) -> str:
    """Why one move of a rewrite was made, in the reader's language where it is known there."""
    said, (head, _sep, _tail) = move["because"], ONLY_ENTITY.partition("%(entity)s")
    if move["kind"] == "domain":
        return _("names a domain")
    if said.startswith(head):
        return _(ONLY_ENTITY) % {"entity": said.removeprefix(head)}
    return _(said) if said else ""


def ask_again(recall: Recall, **changes) -> str:
    """The explorer's address with this record's question filled in, but for the `changes`."""
    said = {
        "user_id": recall.user_id,
        "query": recall.query,
        "agent_id": recall.agent_id,
        "kinds": recall.filters.get("kinds", []),
        "domains": ", ".join(recall.filters.get("domains", [])),
        "limit": recall.filters.get("limit", ""),
    } | changes
    said = {name: value for name, value in said.items() if value}
    return f"{reverse('recall-explorer')}?{urlencode(said, doseq=True)}"


def _shown(candidate: RecallCandidate, memory: Memory | None) -> Shown:
    gate, why = GATES.get(candidate.gate, (candidate.gate, candidate.reason))
    return Shown(
        candidate,
        memory,
        marked(memory.text, {term for term, _how in candidate.matched}) if memory else [],
        [(PARTS.get(name, name), value) for name, value in candidate.parts.items()],
        gate,
        why,
    )


def marked(text: str, terms: set[str]) -> list[tuple[str, bool]]:
    """`text` in pieces, each with whether it is one of the matched `terms`."""
    pieces, last = [], 0
    for start, end in spans(text, terms):
        pieces += [(text[last:start], False), (text[start:end], True)]
        last = end
    pieces.append((text[last:], False))
    return [piece for piece in pieces if piece[0]]
