"""Why a memory was not recalled: the first gate, both sides' tokens, and what would recall it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django import forms
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory.models import Memory, Recall, ScopeError, Status
from memory.recall import InvalidRequest, RecallRequest
from memory.recall.gates import Place, placed
from memory.recall.look import look, matches_of
from memory.recall.past import as_it_was
from memory.recall.question import Question
from memory.recall.relevance import Match
from memory.recall.replay import request_of
from memory.recall.request import DEFAULT_LIMIT
from memory.recall.trigger import Trigger
from memory.recall.why_not import WhyNot, why_not
from memory.text.terms import QueryTerm
from memory.write.revise import NotFound

from .access import Seat, recall_or_404, seat
from .advice import Step, steps
from .pages import page
from .recalls import GATES, SMALL_TALK

TOKENS_SHOWN = 120
MORE_GATES = {
    "trigger": (gettext_lazy("trigger"), gettext_lazy("small talk asks for nothing: %(talk)s")),
    "state": (gettext_lazy("state"), gettext_lazy("%(status)s: only active ones are recalled")),
    "user": (gettext_lazy("user"), gettext_lazy("belongs to another user")),
    "words": (gettext_lazy("words"), gettext_lazy("shares no term with the question")),
    "candidates": (
        gettext_lazy("candidates"),
        gettext_lazy("matched, but too many others match better"),
    ),
    "limit": (
        gettext_lazy("limit"),
        gettext_lazy("ranked %(rank)s, and the limit is %(limit)s"),
    ),
    "budget": (
        gettext_lazy("budget"),
        gettext_lazy("ranked %(rank)s, but did not fit the token budget"),
    ),
    "index": (
        gettext_lazy("index"),
        gettext_lazy("the index does not hold it as it reads now"),
    ),
}


UNBORN = gettext_lazy("was not remembered yet")
LACKING = gettext_lazy("does not hold what the question requires: %(terms)s")
NO_TERM = gettext_lazy("the question has no term that can be looked for")


class WhyNotForm(forms.Form):
    memory = forms.UUIDField(label=gettext_lazy("Id of the memory"))


@dataclass(frozen=True)
class Outcome:
    """Where a memory came out: given at `rank`, or kept back at `gate`, and why."""

    rank: int | None
    gate: str = ""
    why: str = ""


@dataclass(frozen=True)
class Tokens:
    """Pairs of a memory's tokens and whether they met, those that did first; `more` are left
    out."""

    shown: list[tuple[str, bool]]
    more: int


@dataclass(frozen=True)
class Explained:
    """`then`: as the record has it or, where it does not name the memory, as the store was.
    `now`: asked again as it was used. `asked`: the question's terms and how each was met."""

    memory: Memory
    then: Outcome
    now: Outcome
    asked: list[tuple[str, str]]
    words: Tokens
    pairs: Tokens
    steps: list[Step]


@require_safe
def one(request, recall_id):
    """Ask a record why it does not hold a memory; nothing is written, no recall is recorded."""
    recall = recall_or_404(request, recall_id)
    form = WhyNotForm(request.GET if "memory" in request.GET else None)
    explained = None
    if form.is_valid():
        try:
            explained = explain(seat(request), recall, form.cleaned_data["memory"])
        except NotFound:
            form.add_error("memory", _("There is no such memory in this workspace."))
        except (InvalidRequest, ScopeError):
            form.add_error(None, _("This record's question can no longer be asked."))
    crumbs = [
        (_("Recall log"), reverse("recalls")),
        (str(recall), reverse("recall", args=[recall.public_id])),
        (_("Why not"), None),
    ]
    context = {"recall": recall, "form": form, "explained": explained, "crumbs": crumbs}
    return page(request, "console/why_not.html", context)


def explain(at: Seat, recall: Recall, memory_id: UUID) -> Explained:
    """Raises `NotFound`, `InvalidRequest`, `ScopeError`."""
    # The question as it was used: the turns that it looked back at have gone on since.
    request = replace(
        request_of(at.scope.narrow(recall.user_id), recall), query=recall.query_used, session_id=""
    )
    answer = why_not(request, memory_id, within=at.scope)
    memory = answer.memory
    row = _row(memory, recall.as_of) if recall.as_of else memory
    asked, words, pairs = sides(answer)
    return Explained(
        memory,
        then(recall, request, memory),
        outcome(recall, row, answer, answer.query_terms, answer.shared),
        asked,
        words,
        pairs,
        steps(recall, memory, answer.advice, at.membership),
    )


def sides(answer: WhyNot) -> tuple[list[tuple[str, str]], Tokens, Tokens]:
    """The question's terms with how each was met, and the memory's words and pairs."""
    how = {match.term: match.how for match in answer.shared}
    met = [term for term in answer.query_terms if term.text in how]
    spellings = {spelling for term in met for spelling in (term.text, *term.also)}
    return (
        [(term.text, how.get(term.text, "")) for term in answer.query_terms],
        tokens(answer.memory_terms.words, lambda word: word in spellings),
        tokens(answer.memory_terms.bigrams, lambda pair: any(_holds(t, pair) for t in met)),
    )


def then(recall: Recall, request: RecallRequest, memory: Memory) -> Outcome:
    """What became of the memory when the record was made."""
    kept = recall.candidates.filter(memory_id=memory.public_id).first()
    if kept is not None:
        return Outcome(kept.rank, *GATES.get(kept.gate, (kept.gate, kept.reason)))
    moment = recall.as_of or recall.at
    row = _row(memory, moment)
    question = Question(Trigger(recall.triggered, recall.trigger_reason), recall.query_used)
    seen = look(request, moment, question=question, past=moment)
    place = placed(request, row, seen, moment) if row else Place("state", "")
    met = matches_of(seen.query, row)[0] if row else ()
    return outcome(recall, row, place, seen.query.terms, met)


def outcome(
    recall: Recall,
    row: Memory | None,
    place: Place | WhyNot,
    terms: Sequence[QueryTerm],
    met: Sequence[Match],
) -> Outcome:
    """A place in the reader's language; `row` is the memory as the place was worked out from."""
    if not place.gate:
        return Outcome(place.rank)
    gate, why = (GATES | MORE_GATES).get(place.gate, (place.gate, None))
    if why is None:
        return Outcome(None, gate, place.reason)
    held = {match.term for match in met}
    lacking = [term.text for term in terms if term.required and term.text not in held]
    if row is None:
        why = UNBORN
    elif place.gate == "words" and not terms:
        why = NO_TERM
    elif place.gate == "words" and lacking:
        why = LACKING
    values = {
        "talk": SMALL_TALK.get(recall.trigger_reason, recall.trigger_reason),
        "status": Status(row.status).label if row else "",
        "terms": ", ".join(lacking),
        "rank": place.rank,
        "limit": recall.filters.get("limit", DEFAULT_LIMIT),
    }
    return Outcome(None, gate, str(why) % values)


def tokens(found: Sequence[str], met: Callable[[str], bool]) -> Tokens:
    pairs = sorted(((token, met(token)) for token in dict.fromkeys(found)), key=lambda p: not p[1])
    return Tokens(pairs[:TOKENS_SHOWN], max(len(pairs) - TOKENS_SHOWN, 0))


def _holds(term: QueryTerm, pair: str) -> bool:
    return pair in term.bigrams or bool(term.prefix and pair.startswith(term.prefix))


def _row(memory: Memory, moment: datetime) -> Memory | None:
    return as_it_was({memory.pk: memory}, moment).get(memory.pk)
