"""Words that the program itself writes into its records, in the reader's language."""

import re

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.models import Verdict

_FIXED = {
    "its time is over": gettext_lazy("its time is over"),
    "a memory from its turns no longer holds": gettext_lazy(
        "a memory from its turns no longer holds"
    ),
}
_READ = {
    "one": gettext_lazy("by its id"),
    "page": gettext_lazy("on its page"),
    "list": gettext_lazy("in a list"),
    "history": gettext_lazy("with its history"),
    "export": gettext_lazy("in an export"),
}
_TURNS = re.compile(r"(\d+) turns(?:; (.*))?", re.DOTALL)
_SAID = re.compile(r"(\w+), said of recall ([0-9a-f-]{36})")


def told(reason: str) -> str:
    """The reason as a reader is told it; what the program did not write comes back as it is."""
    if reason in _FIXED:
        return str(_FIXED[reason])
    if turns := _TURNS.fullmatch(reason or ""):
        count = int(turns[1])
        text = ngettext("%(count)d turn", "%(count)d turns", count) % {"count": count}
        return f"{text}; {turns[2]}" if turns[2] else text
    if (said := _SAID.fullmatch(reason or "")) and said[1] in Verdict.values:
        verdict = Verdict(said[1]).label
        return _("%(verdict)s, said of recall %(id)s") % {"verdict": verdict, "id": said[2]}
    return reason or ""


def read_as(how: str) -> str:
    """How a memory was read, as its record of accesses has it."""
    return str(_READ.get(how, how))
