"""Possible duplicates in the review queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory.models import DuplicatePair, Memory, Scope
from memory.write.plan import Applied, Conflict
from memory.write.review import merge_pairs
from memory.write.sameness import keep_apart, offer_again, open_pairs

from .differences import side_by_side
from .memory_parts import Evidence, evidence
from .review_kinds import Item, Kind, Said, Token, Verb


@dataclass(frozen=True)
class Side:
    """`marked`: its text, with the words that the other one does not say."""

    memory: Memory
    marked: SafeString
    evidence: Evidence | None


@dataclass(frozen=True)
class Pair:
    """Two memories that may say the same, the older first."""

    pair: DuplicatePair
    first: Side
    second: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.first, self.second


class Pairs(Kind):
    name = item_type = "pair"
    title, label = _("Possible duplicates"), _("possible duplicate")
    template = "console/review_pair.html"
    time = "found_at"
    reasons = {"similar": _("two memories may say the same")}
    verbs = (
        Verb("merge", _("Merge"), "git-merge", "m"),
        Verb("apart", _("Keep apart"), "copy"),
    )
    back = {"apart": "offer"}

    def rows(self, scope: Scope) -> QuerySet[DuplicatePair]:
        return open_pairs(scope)

    def of_memory_kind(self, scope: Scope, rows: QuerySet, kind: str) -> QuerySet:
        of_kind = Memory.objects.within(scope).filter(kind=kind)
        return rows.filter(Exists(of_kind.filter(public_id=OuterRef("first"))))

    def of_memory(self, rows: QuerySet, memory_id: UUID) -> QuerySet:
        return rows.filter(Q(first=memory_id) | Q(second=memory_id))

    def find(self, scope: Scope, tokens: Sequence[Token]) -> list[DuplicatePair]:
        pks = [int(t.key) for t in tokens if t.key.isdecimal() and len(t.key) < 19]
        return list(DuplicatePair.objects.within(scope).filter(pk__in=pks).order_by("pk"))

    def shown(self, scope: Scope, rows: Sequence[DuplicatePair]) -> list[Item]:
        ids = {memory_id for pair in rows for memory_id in (pair.first, pair.second)}
        found = Memory.objects.within(scope).filter(public_id__in=ids).select_related("turn")
        by_id = {row.public_id: row for row in found}
        return [
            Item(
                self,
                Token(self.item_type, str(pair.pk)),
                pair.found_at,
                pair.user_id,
                [str(self.reasons["similar"])],
                _beside(pair, by_id[pair.first], by_id[pair.second]),
                pair.first,
            )
            for pair in rows
        ]

    def decide(
        self,
        scope: Scope,
        verb: str,
        rows: Sequence[DuplicatePair],
        tokens: Sequence[Token],
        said: Said,
    ) -> Applied | None:
        if verb == "offer":
            offer_again(scope, rows, said.reason)
            return None
        if open_pairs(scope).filter(pk__in=[pair.pk for pair in rows]).count() != len(rows):
            raise Conflict("somebody else has decided")
        if verb == "apart":
            keep_apart(scope, rows, said.reason)
            return None
        return merge_pairs(scope, rows, _kept(rows, said), said.reason)


def _beside(pair: DuplicatePair, first: Memory, second: Memory) -> Pair:
    left, right = side_by_side(first.text, second.text)
    return Pair(pair, Side(first, left, evidence(first)), Side(second, right, evidence(second)))


def _kept(rows: Sequence[DuplicatePair], said: Said) -> dict[int, UUID]:
    """Which side the form says to keep."""
    chosen = {pair.pk: said.more.get(f"keep-{pair.pk}", "") for pair in rows}
    return {
        pair.pk: side
        for pair in rows
        for side in (pair.first, pair.second)
        if chosen[pair.pk] == str(side)
    }


KINDS = [Pairs()]
