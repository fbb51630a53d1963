"""Candidates and held memories in the review queue."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory.models import Memory, Scope, Status
from memory.write import queue
from memory.write.apply import apply
from memory.write.held import (
    CONFLICT,
    LOW_CONFIDENCE,
    NO_EVIDENCE,
    PERSONAL_DATA,
    PLANTED,
    REVIEW,
)
from memory.write.plan import Applied, StalePlan
from memory.write.review import BY_PERSON, plan_approve, plan_reject

from .differences import value_diff
from .memory_parts import Evidence, evidence
from .review_kinds import Item, Kind, Said, Token, Verb
from .templatetags.console import quoted, word_diff

REASONS = {
    LOW_CONFIDENCE: _("not sure enough"),
    CONFLICT: _("speaks against a value from a more trusted source"),
    NO_EVIDENCE: _("its words were not found in what was said"),
    PERSONAL_DATA: _("holds personal data"),
    PLANTED: _("reads like an instruction to the agent"),
    REVIEW: _("this kind of memory is always reviewed"),
    BY_PERSON: _("held by a person"),
}


@dataclass(frozen=True)
class Waiting:
    """A memory that waits; `current` is the value that it would replace, `evidence` the turn that
    it came from."""

    memory: Memory
    current: Memory | None
    evidence: Evidence | None

    @property
    def marked(self) -> SafeString:
        """The text, what it is held for marked in it."""
        found = [one for one in self.memory.held_for if one.get("field") == "text"]
        start, end = (found[0].get("start"), found[0].get("end")) if found else (None, None)
        return quoted(self.memory.text, start, end)

    @property
    def difference(self) -> SafeString:
        """From the current value to this one."""
        if self.current.value and self.memory.value:
            return value_diff(self.current.value, self.memory.value)
        return word_diff(self.current.text, self.memory.text)


class WaitingMemories(Kind):
    item_type = "memory"
    template = "console/review_memory.html"
    time = "updated_at"
    reasons = REASONS
    verbs = (
        Verb("approve", _("Approve"), "check", "a"),
        Verb("reject", _("Reject"), "ban", "r"),
    )

    def __init__(self, status: Status, title):
        self.name, self.title, self.label, self.status = status.value, title, status.label, status

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        return Memory.objects.within(scope).filter(status=self.status).select_related("turn")

    def of_reason(self, rows: QuerySet, reason: str) -> QuerySet:
        if reason not in self.reasons:
            return rows.none()
        held = rows.annotate(held_text=Cast("held_for", TextField()))
        return held.filter(held_text__contains=f'"code": "{reason}"')

    def of_memory_kind(self, scope: Scope, rows: QuerySet, kind: str) -> QuerySet:
        return rows.filter(kind=kind)

    def of_memory(self, rows: QuerySet, memory_id: UUID) -> QuerySet:
        return rows.filter(public_id=memory_id)

    def marked(self, row: Memory) -> UUID:
        return row.public_id

    def of_marks(self, ids: Collection[UUID]) -> Q:
        return Q(public_id__in=ids)

    def find(self, scope: Scope, tokens: Sequence[Token]) -> list[Memory]:
        ids = [_uuid(token.key) for token in tokens]
        # As the page shows them, so that of two for one key the newer is the last approved.
        return list(Memory.objects.within(scope).filter(public_id__in=ids).order_by("pk"))

    def shown(self, scope: Scope, rows: Sequence[Memory]) -> list[Item]:
        current = current_values(scope, rows)
        return [
            Item(
                self,
                self._token(row, current.get(row.public_id)),
                row.updated_at,
                row.user_id,
                _reasons(row),
                Waiting(row, current.get(row.public_id), evidence(row)),
                row.public_id,
            )
            for row in rows
        ]

    def decide(
        self,
        scope: Scope,
        verb: str,
        rows: Sequence[Memory],
        tokens: Sequence[Token],
        said: Said,
    ) -> Applied:
        seen = {_uuid(token.key): token.seen.partition(":") for token in tokens}
        with queue.turn():
            rows = self.find(scope, tokens)
            moved = [row.public_id for row in rows if str(row.revision) != seen[row.public_id][0]]
            if moved:
                raise StalePlan(moved)
            plan = plan_reject
            if verb == "approve":
                against = {i: UUID(one[2]) if one[2] else None for i, one in seen.items()}
                plan = partial(plan_approve, against=against)
            return apply(plan(scope, rows).plan(verb, said.reason))

    def _token(self, row: Memory, current: Memory | None) -> Token:
        seen = f"{row.revision}:{current.public_id if current else ''}"
        return Token(self.item_type, str(row.public_id), seen)


def _reasons(memory: Memory) -> list[str]:
    codes = dict.fromkeys(one["code"] for one in memory.held_for)
    return [str(REASONS.get(code, code)) for code in codes]


def current_values(scope: Scope, rows: Sequence[Memory]) -> Mapping[UUID, Memory]:
    """By memory, the value that is current for its key."""
    keyed = [row for row in rows if row.single_valued]
    wanted = Q(pk__in=[])
    for row in keyed:
        wanted |= Q(**{name: getattr(row, name) for name in _KEY})
    found = Memory.objects.within(scope).filter(wanted, status=Status.ACTIVE, single_valued=True)
    by_key = {_key(row): row for row in found}
    return {row.public_id: by_key[_key(row)] for row in keyed if _key(row) in by_key}


_KEY = ("user_id", "agent_id", "entity_key", "attribute_key")


def _key(row: Memory) -> tuple[str, ...]:
    return tuple(getattr(row, name) for name in _KEY)


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return UUID(int=0)


KINDS = [
    WaitingMemories(Status.CANDIDATE, _("Candidates")),
    WaitingMemories(Status.QUARANTINED, _("Held")),
]
