"""What stands around the list of the review queue: tabs, reasons, what was just done."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.models import Kind, Scope

from .keyset import COUNT_CAP
from .listing import Chip, State
from .review_kinds import Asked, Token, Verb, kinds
from .review_paging import count

SESSION_BACK = "review_back"
FILTERS = {
    "reason": gettext_lazy("Reason"),
    "kind": gettext_lazy("Kind"),
    "user_id": gettext_lazy("User"),
    "days": gettext_lazy("Waiting for"),
    "memory": gettext_lazy("Memory"),
    "snoozed": gettext_lazy("Put off"),
}


@dataclass(frozen=True)
class Back:
    """How to take back what a person has just done where it made no batch."""

    verb: str
    items: list[str]


def tabs(asked: Asked, counts: Mapping[str, int]) -> list[State]:
    """All, and each kind, with how many of them wait."""
    found = [_tab("", _("All"), sum(counts.values()), asked)]
    return found + [_tab(kind.name, kind.title, counts[kind.name], asked) for kind in kinds()]


def reasons_of(tab: str) -> list[tuple[str, Any]]:
    """The reasons that an item may wait for, of one kind or of all: code and words."""
    found: dict[str, Any] = {}
    for kind in kinds():
        if tab in ("", kind.name):
            found |= kind.reasons
    return list(found.items())


def chips(scope: Scope, asked: Asked) -> list[Chip]:
    """The filters that keep everything away, each with what dropping it would give."""
    found = []
    for name, text in FILTERS.items():
        if getattr(asked, name):
            left = count(scope, replace(asked, **{name: getattr(Asked(), name)}))
            found.append(Chip(name, str(text), _said(asked, name), left))
    return found


def _said(asked: Asked, name: str) -> str:
    value = getattr(asked, name)
    if name == "days":
        return ngettext("%(n)s day or longer", "%(n)s days or longer", value) % {"n": value}
    if name == "snoozed":
        return _("yes")
    words = {"reason": dict(reasons_of(asked.tab)), "kind": dict(Kind.choices)}.get(name, {})
    return str(words.get(value, value))


def verbs_of(tab: str) -> list[Verb]:
    """What can be decided about items of one kind or of any."""
    found = {verb.name: verb for k in kinds() if tab in ("", k.name) for verb in k.verbs}
    return list(found.values())


def taken_back_by(request) -> Back | None:
    """What takes back the last decision, told once."""
    kept = request.session.pop(SESSION_BACK, None)
    return Back(kept["verb"], [str(Token.read(item)) for item in kept["items"]]) if kept else None


def _tab(value: str, text: Any, count: int, asked: Asked) -> State:
    return State(value, text, min(count, COUNT_CAP), count > COUNT_CAP, value == asked.tab)
