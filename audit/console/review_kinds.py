"""What may stand in the review queue. A module makes a `Kind` of item and names it here."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from typing import Any
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from audit.models import ReviewMark
from memory import clock
from memory.models import Scope
from memory.write.plan import Applied

# In the order of their tabs.
MODULES = ("review_memories", "review_corrections", "review_pairs", "review_findings")


@dataclass(frozen=True)
class Asked:
    """What the address of the list asks for; an empty part asks for nothing."""

    tab: str = ""
    reason: str = ""
    user_id: str = ""
    kind: str = ""
    days: int = 0
    memory: UUID | None = None
    snoozed: bool = False

    @property
    def is_narrowed(self) -> bool:
        return self != Asked(tab=self.tab)


@dataclass(frozen=True)
class Token:
    """One item as a form sends it: `key` is its public id or number, `seen` what it was when the
    person looked."""

    item_type: str
    key: str
    seen: str = ""

    @classmethod
    def read(cls, text: str) -> "Token":
        item_type, _, rest = text.partition(":")
        key, _, seen = rest.partition(":")
        return cls(item_type, key, seen)

    def __str__(self) -> str:
        return f"{self.item_type}:{self.key}:{self.seen}"


@dataclass(frozen=True)
class Said:
    """What a person said with a decision. `more` are the form's other fields."""

    reason: str
    until: date | None = None
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verb:
    """Something that a person may decide; `key` is its letter on the keyboard."""

    name: str
    text: Any
    symbol: str
    key: str = ""


@dataclass(frozen=True)
class Item:
    """One thing that waits. `told` is what the kind's own template shows of it, `peek` the memory
    that is shown beside the list."""

    kind: "Kind"
    token: Token
    at: Any
    user_id: str
    reasons: Sequence[str]
    told: Any
    peek: UUID | None = None

    @property
    def value(self) -> str:
        """What the form sends of it."""
        return str(self.token)

    @property
    def name(self) -> str:
        """Its id on the page."""
        return f"{self.token.item_type}-{self.token.key}"


class Kind:
    """One kind of item: where its rows are, what is shown of them, what can be decided.

    Kinds of one `item_type` are decided together, as one batch. `verbs` are what `decide` can
    do, `back` names by verb what takes it back where there is no batch to undo.
    """

    name: str
    item_type: str
    # Of many, and of one.
    title: Any
    label: Any = ""
    template: str
    # The column by which items are ordered, and the code of every item's reason.
    time: str
    reasons: Mapping[str, Any] = {}
    verbs: tuple[Verb, ...] = ()
    back: Mapping[str, str] = {}
    # Whether the queue's badge counts it.
    counted = True

    def can(self, verb: str) -> bool:
        return verb in {one.name for one in self.verbs} | set(self.back.values())

    def rows(self, scope: Scope) -> QuerySet:
        """All that waits in the scope."""
        raise NotImplementedError

    def of_reason(self, rows: QuerySet, reason: str) -> QuerySet:
        return rows if reason in self.reasons else rows.none()

    def of_memory_kind(self, scope: Scope, rows: QuerySet, kind: str) -> QuerySet:
        return rows.none()

    def of_memory(self, rows: QuerySet, memory_id: UUID) -> QuerySet:
        return rows.none()

    def shown(self, scope: Scope, rows: Sequence[Model]) -> list[Item]:
        """The items of these rows, in their order; as many queries for one as for fifty."""
        raise NotImplementedError

    def decide(
        self, scope: Scope, verb: str, rows: Sequence[Model], tokens: Sequence[Token], said: Said
    ) -> Applied | None:
        """Do it; None where it makes no batch. Raises `Conflict`, `StalePlan`, `InvalidInput`,
        `ForbiddenMove`, `QueueTimeout`."""
        raise NotImplementedError

    def marked(self, row: Model) -> UUID:
        """The id by which a row is put off."""
        return UUID(int=row.pk)

    def of_marks(self, ids: Collection[UUID]) -> Q:
        """The rows that these marks put off."""
        return Q(pk__in=[mark.int for mark in ids])

    def find(self, scope: Scope, tokens: Iterable[Token]) -> list[Model]:
        """The rows that these tokens name, whether they still wait or not."""
        raise NotImplementedError

    def chosen(self, scope: Scope, asked: Asked, marks: Collection[UUID]) -> QuerySet:
        """The rows that the address asks for; `marks` are those of `marks_of` for this type."""
        rows = self.due(self.rows(scope), marks, asked.snoozed)
        if asked.user_id:
            rows = rows.filter(user_id=asked.user_id)
        if asked.reason:
            rows = self.of_reason(rows, asked.reason)
        if asked.kind:
            rows = self.of_memory_kind(scope, rows, asked.kind)
        if asked.memory:
            rows = self.of_memory(rows, asked.memory)
        if asked.days:
            rows = rows.filter(**{f"{self.time}__lte": clock.now() - timedelta(days=asked.days)})
        return rows

    def due(self, rows: QuerySet, marks: Collection[UUID], snoozed: bool = False) -> QuerySet:
        """The rows that are not put off until a day to come; with `snoozed`, those that are."""
        off = self.of_marks(marks)
        return rows.filter(off) if snoozed else rows.exclude(off)


@cache
def kinds() -> tuple[Kind, ...]:
    found: list[Kind] = []
    for name in MODULES:
        found += import_module(f"audit.console.{name}").KINDS
    return tuple(found)


def kind_of(item_type: str) -> Kind | None:
    """The kind that decides about items of this type."""
    return next((kind for kind in kinds() if kind.item_type == item_type), None)


def marks_of(scope: Scope) -> Mapping[str, list[UUID]]:
    """What is put off until a day to come, by type of item."""
    live = ReviewMark.objects.filter(workspace_id=scope.workspace_id, snoozed_until__gt=clock.now())
    found: dict[str, list[UUID]] = {}
    for item_type, item_id in live.values_list("item_type", "item_id"):
        found.setdefault(item_type, []).append(item_id)
    return found


def waiting(scope: Scope, most: int) -> int:
    """How much waits in the scope, counted no further than one beyond `most`, in two queries."""
    marks = marks_of(scope)
    rows = [
        kind.due(kind.rows(scope), marks.get(kind.item_type, ())).order_by().values("pk")
        for kind in kinds()
        if kind.counted
    ]
    return len(rows[0].union(*rows[1:], all=True)[: most + 1])
