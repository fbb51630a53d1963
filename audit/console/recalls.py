"""One recall record: what was asked, given and kept back, then and now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy
from django.views.decorators.http import require_safe

from memory.models import Kind, Memory, Recall, RecallCandidate, Scope, Status

from .access import recall_or_404, seat
from .marks import marked
from .pages import page
from .question_parts import made_from, values_of
from .recall_turns import shown_turns
from .templatetags.console import absolute

# A question to try out stands in the address, where servers take about 8,000 bytes: 9 for each
# Chinese character. The search itself reads the first 512 characters.
QUERY_SHOWN = 800
TYPED_TIME = "%Y-%m-%dT%H:%M:%S"
SAID_AGAIN = (
    "kinds", "domains", "since", "until", "limit", "budget_tokens", "prompt_tokens", "turns",
)  # fmt: skip
PARTS = {
    "relevance": gettext_lazy("relevance"),
    "meaning": gettext_lazy("meaning"),
    "importance": gettext_lazy("importance"),
    "confidence": gettext_lazy("confidence"),
    "freshness": gettext_lazy("freshness"),
    "domain": gettext_lazy("domain"),
    "hop": gettext_lazy("second hop"),
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
    "day": gettext_lazy("Day that the question names"),
    "limit": gettext_lazy("At most"),
    "budget_tokens": pgettext_lazy("of a context, in tokens", "Budget"),
    "prompt_tokens": gettext_lazy("Rest of the prompt, in tokens"),
    "turns": gettext_lazy("Turns at most"),
}


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
    cosine: float | None = None
    # The id of the memory that led to it by a name that both say.
    via: UUID | None = None

    @property
    def state_moved(self) -> bool:
        return self.memory is not None and self.memory.status != self.candidate.status

    @property
    def by_meaning(self) -> bool:
        return "meaning" in self.candidate.parts

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
def one(request, recall_id):
    """One record: what was asked, what was given, what was kept back and why."""
    recall = recall_or_404(request, recall_id)
    context = readout(seat(request).scope, recall, candidates(recall))
    context |= {
        "crumbs": [(_("Recall log"), reverse("recalls")), (str(recall), None)],
        "feedback": recall.feedback.all(),
        "again": ask_again(recall),
        "questions": made_from(seat(request).scope, from_recall=recall.public_id),
        "values": values_of(context["given"]),
    }
    return page(request, "console/recall_record.html", context)


def readout(scope: Scope, recall: Recall, found: Sequence[RecallCandidate]) -> dict[str, Any]:
    """A record, kept or only drawn up, as the pages show it."""
    cosines = recall.terms.get("meaning", {}).get("cosines", {})
    vias = {memory_id: UUID(via) for memory_id, via, *_key in recall.terms.get("hops", ())}
    rows, turns = shown(scope, found, cosines, vias), shown_turns(scope, found, PARTS, GATES)
    given = [row for row in rows if row.candidate.was_served]
    return {
        "recall": recall,
        "given": given,
        "turns_given": [row for row in turns if row.candidate.was_served],
        "turns_kept_back": [row for row in turns if not row.candidate.was_served],
        "kept_back": [row for row in rows if not row.candidate.was_served],
        "outdated": [row for row in given if row.state_moved or row.memory is None],
        "dropped_terms": [
            (text, TERM_REASONS.get(reason, reason)) for text, reason in recall.terms["dropped"]
        ],
        "not_recalled": SMALL_TALK.get(recall.trigger_reason, recall.trigger_reason),
        "moves": [move | {"because": because(move)} for move in recall.moves],
        "blocks": [(name, len(recall.blocks.get(key, ()))) for key, name in BLOCKS.items()],
        "filters": asked(recall),
    }


def candidates(recall: Recall) -> list[RecallCandidate]:
    """The record's candidates, those given first."""
    return list(recall.candidates.order_by(F("rank").asc(nulls_last=True), "pk"))


def shown(
    scope: Scope,
    found: Sequence[RecallCandidate],
    cosines: Mapping[str, float],
    vias: Mapping[str, UUID],
) -> list[Shown]:
    """The memories among the candidates, in the order given; one query. `cosines` and `vias` by
    hex id."""
    found = [candidate for candidate in found if candidate.memory_id]
    rows = Memory.objects.within(scope).filter(public_id__in=[c.memory_id for c in found])
    memories = {row.public_id: row for row in rows}
    return [
        _shown(
            one,
            memories.get(one.memory_id),
            cosines.get(one.memory_id.hex),
            vias.get(one.memory_id.hex),
        )
        for one in found
    ]


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
        "query": recall.query[:QUERY_SHOWN],
        "agent_id": recall.agent_id,
        "session_id": recall.session_id,
        "as_of": recall.as_of,
        "profile": recall.profile,
        **{name: recall.filters.get(name, "") for name in SAID_AGAIN},
    } | changes
    said["domains"] = ", ".join(said["domains"])
    said |= {name: typed(said[name], up=name == "until") for name in ("since", "until", "as_of")}
    said = {name: value for name, value in said.items() if value not in ("", None, [])}
    return f"{reverse('recall-explorer')}?{urlencode(said, doseq=True)}"


def typed(moment: datetime | str | None, *, up: bool = False) -> str:
    """A time as a form's field has it: in the reader's zone, to the second, `up` to the next."""
    if not moment:
        return ""
    moment = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    if up and moment.microsecond:
        moment += timedelta(seconds=1)
    return f"{timezone.localtime(moment):{TYPED_TIME}}"


def _shown(
    candidate: RecallCandidate, memory: Memory | None, cosine: float | None, via: UUID | None
) -> Shown:
    gate, why = GATES.get(candidate.gate, (candidate.gate, candidate.reason))
    return Shown(
        candidate,
        memory,
        marked(memory.text, {term for term, _how in candidate.matched}) if memory else [],
        [(PARTS.get(name, name), value) for name, value in candidate.parts.items()],
        gate,
        why,
        cosine,
        via,
    )
