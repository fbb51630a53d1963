"""Names and figures in the sentences of a diagnosis."""

from django.utils.text import Truncator
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from memory.models import Memory, Source
from memory.recall import Ranked

from .case import Case, last_said

NAMED = 80


def named(memory: Memory) -> str:
    """What a memory says, short enough to stand in a sentence."""
    return Truncator(memory.text).chars(NAMED)


def since(case: Case, memory: Memory) -> str:
    """How long ago somebody last said that it is so: "5 days"."""
    return timesince(last_said(memory), case.moment, depth=1)


def from_where(memory: Memory) -> str:
    return str(Source(memory.source).label) if memory.source else _("source unknown")


def said_when(case: Case, memory: Memory) -> str:
    """Where it came from and how long ago, beside its name."""
    return _("%(source)s, %(age)s ago") % {
        "source": from_where(memory),
        "age": since(case, memory),
    }


def score(item: Ranked) -> str:
    """The score and its parts: 0.71 = relevance 0.31 + importance 0.20 + freshness 0.20."""
    parts = " + ".join(f"{_(name)} {value:.2f}" for name, value in item.parts.items())
    return f"{item.score:.2f} = {parts}"


def listed(names: list[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
