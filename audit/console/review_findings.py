"""Memories that were no longer valid when an agent was given them: told of here, and decided in
their inbox."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from audit.models import Finding, FindingState
from memory.models import Scope

from .inbox_parts import facts_of
from .review_kinds import Item, Kind, Token


class Findings(Kind):
    name = item_type = "finding"
    title, label = _("Served though invalid"), _("served though invalid")
    template = "console/review_finding.html"
    time = "last_at"
    reasons = {"served_stale": _("was no longer valid when an agent was given it")}
    # The inbox has its own badge.
    counted = False

    def rows(self, scope: Scope) -> QuerySet[Finding]:
        return Finding.objects.within(scope).filter(state=FindingState.OPEN)

    def find(self, scope: Scope, tokens: Sequence[Token]) -> list[Finding]:
        pks = [int(t.key) for t in tokens if t.key.isdecimal() and len(t.key) < 19]
        return list(Finding.objects.within(scope).filter(pk__in=pks))

    def shown(self, scope: Scope, rows: Sequence[Finding]) -> list[Item]:
        facts = facts_of(scope, rows)
        told = {row.pk: facts[row.memory_id].told for row in rows}
        return [
            Item(
                self,
                Token(self.item_type, str(row.pk)),
                row.last_at,
                row.user_id,
                [str(self.reasons["served_stale"])],
                (row, facts[row.memory_id]),
                told[row.pk] and told[row.pk].public_id,
            )
            for row in rows
        ]


KINDS = [Findings()]
