"""Why a memory was not recalled: the first gate, both sides' tokens, and what would recall it."""

from dataclasses import dataclass, replace
from uuid import UUID

from django import forms
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory.models import Memory, Recall, Scope, ScopeError, Status
from memory.recall import InvalidRequest
from memory.recall.gates import placed
from memory.recall.look import look, matches_of
from memory.recall.past import as_it_was
from memory.recall.question import Question
from memory.recall.relevance import Match
from memory.recall.replay import request_of
from memory.recall.trigger import Trigger
from memory.recall.why_not import WhyNot, why_not
from memory.text.terms import QueryTerm
from memory.write.revise import NotFound

from .access import recall_or_404, seat
from .advice import Step, steps
from .pages import page
from .recalls import GATES, SMALL_TALK

TOKENS_SHOWN = 120
MORE_GATES = {
    "trigger": (gettext_lazy("trigger"), gettext_lazy("small talk asks for nothing: %(talk)s")),
    "state": (
        gettext_lazy("state"),
        gettext_lazy("only active memories are recalled; it is: %(status)s"),
    ),
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


class WhyNotForm(forms.Form):
    memory = forms.UUIDField(label=gettext_lazy("Id of the memory"))


@dataclass(frozen=True)
class Outcome:
    """Where a memory came out: given at `rank`, or kept back at `gate`, and why."""

    rank: int | None
    gate: str = ""
    why: str = ""

    @property
    def given(self) -> bool:
        return not self.gate


@dataclass(frozen=True)
class Explained:
    """`then` as the record has it or, where it does not name the memory, as the store was;
    `now` with the question as it was used. Tokens are pairs of text and whether they met."""

    answer: WhyNot
    then: Outcome
    now: Outcome
    asked: list[tuple[str, str]]
    words: "Tokens"
    pairs: "Tokens"
    steps: list[Step]


@dataclass(frozen=True)
class Tokens:
    """Tokens of a memory, those that met always among them; `more` are not shown."""

    shown: list[tuple[str, bool]]
    more: int


@require_safe
def one(request, recall_id):
    """Ask a record why it does not hold a memory; no recall is recorded, nothing is written."""
    recall = recall_or_404(request, recall_id)
    form = WhyNotForm(request.GET if "memory" in request.GET else None)
    explained = None
    if form.is_valid():
        try:
            explained = explain(seat(request).scope, recall, form.cleaned_data["memory"])
        except NotFound:
            form.add_error("memory", _("There is no such memory in this workspace."))
        except (InvalidRequest, ScopeError):
            form.add_error(None, _("This record's question can no longer be asked."))
    context = {
        "recall": recall,
        "form": form,
        "explained": explained,
        "crumbs": [
            (_("Recall log"), reverse("recalls")),
            (str(recall), reverse("recall", args=[recall.public_id])),
            (_("Why not"), None),
        ],
    }
    return page(request, "console/why_not.html", context)


def explain(scope: Scope, recall: Recall, memory_id: UUID) -> Explained:
    """Raises `NotFound`, `InvalidRequest` and `ScopeError` as `why_not` does."""
    request = request_of(scope.narrow(recall.user_id), recall)
    # As it was used: the session's turns have gone on since.
    request = replace(request, query=recall.query_used, session_id="")
    answer = why_not(request, memory_id, within=scope)
    how = {match.term: match.how for match in answer.shared}
    return Explained(
        answer,
        then(scope, recall, answer.memory),
        _outcome(recall, answer, answer.memory, answer.query_terms, answer.shared),
        [(term.text, how.get(term.text, "")) for term in answer.query_terms],
        _tokens(answer.memory_terms.words, _met_as_words(answer)),
        _tokens(answer.memory_terms.bigrams, _met_as_characters(answer)),
        steps(recall, answer),
    )
