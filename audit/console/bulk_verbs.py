"""What can be done to many memories at once, in words."""

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memory.write.planner import WAITING


@dataclass(frozen=True)
class Text:
    """`text` is on the button, `does` says what it comes to; `asks` names the value that goes with
    it; `key` is its letter on the keyboard."""

    name: str
    text: Any
    does: Any
    symbol: str
    key: str = ""
    asks: Any = ""

    @property
    def title(self) -> str:
        return f"{self.text}{'…' if self.asks else ''}"


_ALL = (
    Text("approve", _("Approve"), _("They become active, in place of what is current now."),
         "check", "a"),
    Text("reject", _("Reject"), _("They are not to be remembered. They stay in the history."),
         "ban", "r"),
    Text("retract", _("Retract"),
         _("They are marked as wrong and leave recall; they stay in the history."),
         "circle-x", "r"),
    Text("hold", pgettext_lazy("of memories", "Hold"),
         _("They leave recall and wait in the review queue for a decision on each."),
         "lock", "q"),
    Text("expire", _("End"), _("They held until now and do no longer; they leave recall."),
         "clock-off"),
    Text("confirm", _("Confirm"),
         _("They are said to hold still: surer than before, and confirmed as of now."), "check"),
    Text("merge", _("Merge"),
         _("Of each statement the best sourced one stays; the others are superseded by it."),
         "git-merge", "m"),
    Text("tag", _("Add a tag"), _("They get one more tag; nothing else changes."), "tag",
         asks=_("Tag")),
    Text("domain", _("Set the domain"), _("The domain's policy rules them from now on."), "tag",
         asks=_("Domain")),
    Text("kind", _("Set the kind"), _("The kind's policy rules them from now on."), "tag",
         asks=_("Kind")),
    Text("importance", _("Set the importance"), _("It weighs in every recall."), "tag",
         asks=_("Importance")),
)  # fmt: skip
TEXTS = {one.name: one for one in _ALL}
DECIDING = tuple(one for one in _ALL if not one.asks)
SETTING = tuple(one for one in _ALL if one.asks)


def keyless(asked: QueryDict) -> str:
    """Of rejecting and retracting, which share a key, the one that has it not in a list of these
    states: what waits is rejected, anything else is retracted."""
    states = asked.getlist("status")
    return "retract" if states and set(states) <= set(WAITING) else "reject"
