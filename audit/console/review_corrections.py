"""Corrections that a person has to look at: ambiguous ones, and those over the cap. They are told
of here, and decided on their own page."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from memory.models import Correction, CorrectionState, CorrectionVerdict, Scope

from .correction_parts import sentence
from .review_kinds import Item, Kind, Token

_AMBIGUOUS, _BLOCKED = "ambiguous_correction", "over_the_cap"
_OF_REASON = {
    _AMBIGUOUS: Q(verdict=CorrectionVerdict.AMBIGUOUS, blocked=False),
    _BLOCKED: Q(blocked=True),
}


class Corrections(Kind):
    name = item_type = "correction"
    title = _("Corrections")
    template = "console/review_correction.html"
    time = "at"
    reasons = {
        _AMBIGUOUS: _("it is not clear which fact a correction means"),
        _BLOCKED: _("a correction is about more facts than one may change"),
    }

    def rows(self, scope: Scope) -> QuerySet[Correction]:
        waiting = _OF_REASON[_AMBIGUOUS] | _OF_REASON[_BLOCKED]
        return Correction.objects.within(scope).filter(waiting, state=CorrectionState.OPEN)

    def of_reason(self, rows: QuerySet[Correction], reason: str) -> QuerySet[Correction]:
        return rows.filter(_OF_REASON[reason]) if reason in _OF_REASON else rows.none()

    def find(self, scope: Scope, tokens: Sequence[Token]) -> list[Correction]:
        pks = [int(t.key) for t in tokens if t.key.isdecimal() and len(t.key) < 19]
        return list(Correction.objects.within(scope).filter(pk__in=pks))

    def shown(self, scope: Scope, rows: Sequence[Correction]) -> list[Item]:
        return [
            Item(
                self,
                Token(self.item_type, str(row.pk)),
                row.at,
                row.user_id,
                [str(self.reasons[_BLOCKED if row.blocked else _AMBIGUOUS])],
                (row, sentence(row)),
            )
            for row in rows
        ]


KINDS = [Corrections()]
