"""What waits for a person, by what the role may do about it, and for how long it has waited."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.models import Finding
from audit.questions.results import failing
from memory import clock
from memory.models import Correction, CorrectionState, Membership, Right, Scope, Status

from .inbox_parts import chosen_by
from .keyset import COUNT_CAP
from .review_forms import AGES
from .review_kinds import Asked, kinds, marks_of


@dataclass(frozen=True)
class Wait:
    """So many things of one sort, and the list of exactly these."""

    text: str
    count: int
    address: str
    symbol: str = ""

    @property
    def shown(self) -> int:
        return min(self.count, COUNT_CAP)

    @property
    def capped(self) -> bool:
        return self.count > COUNT_CAP


@dataclass(frozen=True)
class Waits:
    """`ages` are the things to review that have waited for at least so many days."""

    todo: list[Wait]
    ages: list[Wait]

    @property
    def is_clear(self) -> bool:
        return not any(one.count for one in self.todo)


def waits_for(membership: Membership, scope: Scope, person: int) -> Waits:
    """What waits in the workspace for somebody of this role; nothing for who only reads."""
    todo, ages = [], []
    if membership.may(Right.CORRECT):
        counts = _review(scope)
        total = {name: sum(one[name] for one in counts.values()) for name in ("n", *_ages())}
        held = counts[Status.QUARANTINED.value]["n"]
        todo += [
            Wait(_("To be reviewed"), total["n"], reverse("review"), "eye"),
            Wait(_("of these held"), held, f"{reverse('review')}?status=quarantined", "lock"),
            _mine(scope, person),
            _corrections(scope),
        ]
        ages = [
            Wait(text, total[name], f"{reverse('review')}{query}")
            for name, text, query in (
                ("n", _("all"), ""),
                *((f"d{days}", _at_least(days), f"?days={days}") for days in AGES),
            )
        ]
    if membership.may(Right.MEASURE):
        failed = failing(scope).order_by()[: COUNT_CAP + 1].count()
        address = f"{reverse('questions')}?result=failed"
        todo.append(Wait(_("Failing questions"), failed, address, "circle-x"))
    return Waits(todo, ages)


def _at_least(days: int) -> str:
    return ngettext("for %d day or more", "for %d days or more", days) % days


def _ages() -> list[str]:
    return [f"d{days}" for days in AGES]


def _review(scope: Scope) -> dict[str, dict[str, int]]:
    """By kind of item: all that the queue lists, and of these those of each age; counted up to
    `COUNT_CAP` + 1."""
    marks, now = marks_of(scope), clock.now()
    found = {}
    for kind in kinds():
        rows = kind.chosen(scope, Asked(), marks.get(kind.item_type, ())).order_by()
        counts: dict[str, Any] = {
            f"d{days}": Count("pk", filter=Q(**{f"{kind.time}__lte": now - timedelta(days=days)}))
            for days in AGES
        }
        seen = rows.values("pk", kind.time)[: COUNT_CAP + 1]
        found[kind.name] = seen.aggregate(n=Count("pk"), **counts)
    return found


def _mine(scope: Scope, person: int) -> Wait:
    rows = Finding.objects.within(scope).filter(chosen_by("mine", person))
    count = rows.order_by()[: COUNT_CAP + 1].count()
    return Wait(_("Findings of mine"), count, f"{reverse('inbox')}?status=mine", "user")


def _corrections(scope: Scope) -> Wait:
    rows = Correction.objects.within(scope).filter(state=CorrectionState.OPEN).order_by()
    return Wait(
        _("Open corrections"), rows[: COUNT_CAP + 1].count(), reverse("corrections"), "pencil"
    )
