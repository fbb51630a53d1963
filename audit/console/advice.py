"""What would recall a memory, in the reader's language, with the way to do it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Membership, Recall
from memory.recall.advice import Advice
from memory.recall.request import DEFAULT_BUDGET, RecallRequest
from memory.recall.why_not import WhyNot

from .memory_parts import RESTORABLE
from .recalls import ask_again
from .templatetags.console import absolute

SENTENCES = {
    "restore": gettext_lazy("Restore it."),
    "approve": gettext_lazy("Approve it."),
    "remember": gettext_lazy("Write it again."),
    "extend_expiry": gettext_lazy("Let it hold until %(expires_at)s."),
    "ask_for_user": gettext_lazy("Ask for the user %(user_id)s, whose memory it is."),
    "drop_filter:agent_id": gettext_lazy("Ask without naming an agent."),
    "drop_filter:kinds": gettext_lazy("Ask without naming kinds."),
    "drop_filter:domains": gettext_lazy("Ask without naming domains."),
    "drop_filter:as_of": gettext_lazy("Ask the store as it is now."),
    "drop_filter:prompt_tokens": gettext_lazy(
        "Name no size of the prompt: memory's share of it is too small."
    ),
    "ask_without_term": gettext_lazy("Ask without %(without)s, which it does not hold."),
    "ask_with_term": gettext_lazy("Ask with “%(term)s”, which it says."),
    "raise_limit": gettext_lazy("Ask for at most %(limit)s memories instead."),
    "raise_budget": gettext_lazy("Give it a budget of %(budget_tokens)s tokens."),
    "reindex": gettext_lazy("Rebuild the index with the command “reindex”."),
}
REPLACES = gettext_lazy("It takes the place of what is current now.")
# What the explorer's form can change, and how.
_ASKS: dict[str, Callable[[dict], dict[str, Any]]] = {
    "ask_for_user": lambda values: {"user_id": values["user_id"]},
    "drop_filter:agent_id": lambda _values: {"agent_id": ""},
    "drop_filter:kinds": lambda _values: {"kinds": []},
    "drop_filter:domains": lambda _values: {"domains": ""},
    "drop_filter:as_of": lambda _values: {},
    "ask_without_term": lambda values: {"query": values["query"]},
    "ask_with_term": lambda values: {"query": values["query"]},
    "raise_limit": lambda values: {"limit": values["limit"]},
}
_NOT_IN_THE_EXPLORER = {"since", "until", "prompt_tokens"}


@dataclass(frozen=True)
class Step:
    """One change. `address`: where the person may make it, "" for nowhere in the console."""

    text: str
    action: str = ""
    address: str = ""


def steps(recall: Recall, answer: WhyNot, membership: Membership) -> list[Step]:
    """The changes in their order; the last of those of the question leads to the explorer with
    all of them made, if its form can say the whole question."""
    told = [
        Step(sentence(advice), *_restoring(advice, answer, membership)) for advice in answer.advice
    ]
    asks = [place for place, advice in enumerate(answer.advice) if advice.kind not in _CHANGES]
    address = _explorer(recall, [answer.advice[place] for place in asks])
    if asks and address:
        told[asks[-1]] = Step(told[asks[-1]].text, _("Ask so"), address)
    return told


_CHANGES = {"restore", "approve", "remember", "extend_expiry", "reindex"}


def sentence(advice: Advice) -> str:
    """One change for a person to read; the engine's own words where none are known here."""
    values = dict(advice.values)
    if advice.kind == "widen_time":
        bounds = [absolute(datetime.fromisoformat(at)) for at in values.values()]
        return _("Ask for a time that takes in %(at)s, when it happened.") % {"at": bounds[0]}
    if advice.kind not in SENTENCES:
        return advice.sentence
    if "expires_at" in values:
        values["expires_at"] = absolute(datetime.fromisoformat(values["expires_at"]))
    without = values["without"] = "、".join(values.get("without", ()))
    text = str(SENTENCES[advice.kind]) % values
    if advice.kind == "ask_with_term" and without:
        text = f"{text} {SENTENCES['ask_without_term'] % values}"
    return f"{text} {REPLACES}" if values.get("replaces") else text
