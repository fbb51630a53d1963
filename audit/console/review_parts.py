"""What stands around the list of the review queue: tabs, reasons, what was just done."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from .keyset import COUNT_CAP
from .listing import State
from .review_kinds import Asked, Token, Verb, kinds

SESSION_BACK = "review_back"


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
