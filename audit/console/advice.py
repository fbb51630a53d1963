"""What would recall a memory, in the reader's language, with the way to do it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Membership, Memory, Recall
from memory.recall.advice import Advice

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
REPLACING = {
    "restore": gettext_lazy("Restore it. It takes the place of what is current now."),
    "approve": gettext_lazy("Approve it. It takes the place of what is current now."),
    "remember": gettext_lazy("Write it again. It takes the place of what is current now."),
}
WITH_AND_WITHOUT = gettext_lazy(
    "Ask with “%(term)s”, which it says, and without %(without)s, which it does not hold."
)
# Those of the store; the others change the question.
CHANGES = {"restore", "approve", "remember", "extend_expiry", "reindex"}
# What the explorer's form can change of a question, by what it then says.
EXPLORER = {
    "ask_for_user": ("user_id",),
    "drop_filter:agent_id": (),
    "drop_filter:kinds": (),
    "drop_filter:domains": (),
    "drop_filter:as_of": (),
    "drop_filter:prompt_tokens": (),
    "ask_without_term": ("query",),
    "ask_with_term": ("query",),
    "raise_limit": ("limit",),
    "raise_budget": ("budget_tokens",),
    "widen_time": ("since", "until"),
}


@dataclass(frozen=True)
class Step:
    """One change. `address`: where the person may make it, "" for nowhere in the console."""

    text: str
    action: str = ""
    address: str = ""


def steps(
    recall: Recall, memory: Memory, advised: Sequence[Advice], membership: Membership
) -> list[Step]:
    """The changes in their order. The last one of the question leads to the explorer, with all of
    the question's made."""
    asks = [advice for advice in advised if advice.kind not in CHANGES]
    found = []
    for advice in advised:
        action, address = "", ""
        if advice.kind == "restore" and membership.may_correct and memory.status in RESTORABLE:
            action = _("Go and restore it")
            address = f"{reverse('memory', args=[memory.public_id])}#actions"
        elif asks and advice is asks[-1] and explorer_can(recall, asks):
            action, address = _("Ask like this"), ask_again(recall, **_asked(recall, asks))
        found.append(Step(sentence(advice), action, address))
    return found


def explorer_can(recall: Recall, asks: Sequence[Advice]) -> bool:
    """Whether the explorer's form can say this question, so changed. A time of the past it has
    only to the second, which may be too early."""
    kinds = {advice.kind for advice in asks}
    return kinds <= EXPLORER.keys() and (recall.as_of is None or "drop_filter:as_of" in kinds)


def _asked(recall: Recall, asks: Sequence[Advice]) -> dict[str, str]:
    # It was explained as it was used: the turns that it looked back at have gone on since.
    changes = {"query": recall.query_used, "session_id": ""}
    for advice in asks:
        names = EXPLORER[advice.kind]
        changes |= {name: advice.values[name] for name in names if name in advice.values}
        if advice.kind.startswith("drop_filter:"):
            changes[advice.kind.removeprefix("drop_filter:")] = ""
    return changes


def sentence(advice: Advice) -> str:
    """One change for a person to read; in the engine's own words where none are known here."""
    values = dict(advice.values)
    if advice.kind == "widen_time":
        at = absolute(datetime.fromisoformat(next(iter(values.values()))))
        return _("Ask for a time that takes in %(at)s, when it happened.") % {"at": at}
    if advice.kind not in SENTENCES:
        return advice.sentence
    if advice.kind == "extend_expiry":
        values["expires_at"] = absolute(datetime.fromisoformat(values["expires_at"]))
    text = SENTENCES[advice.kind]
    if values.get("replaces"):
        text = REPLACING.get(advice.kind, text)
    if advice.kind == "ask_with_term" and values["without"]:
        text = WITH_AND_WITHOUT
    values["without"] = ", ".join(f"“{term}”" for term in values.get("without", ()))
    return str(text) % values
