"""Which memories an export holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from memory.models import Batch, Change, Erasure, Memory, Scope, Turn

# Rows read at once.
PAGE = 500


@dataclass(frozen=True)
class Choice:
    """`rows` are the memories. `is_whole`: they are all that the scope holds, and so turns that
    no memory came from and the tombstones of erased ones go with them; of chosen memories only
    the turns that they came from do. `moment`: the store as it was then."""

    scope: Scope
    rows: QuerySet[Memory]
    is_whole: bool = True
    moment: datetime | None = None

    @property
    def turns(self) -> QuerySet[Turn]:
        turns = Turn.objects.within(self.scope)
        if self.moment is not None:
            turns = turns.filter(created_at__lte=self.moment)
        if not self.is_whole:
            turns = turns.filter(public_id__in=self.rows.order_by().values("turn_id"))
        return turns

    @property
    def erasures(self) -> QuerySet[Erasure]:
        return (
            Erasure.objects.within(self.scope)
            if self.is_whole
            else Erasure.objects.within(self.scope).none()
        )

    @property
    def batches(self) -> QuerySet[Batch]:
        return Batch.objects.within(self.scope)

    @property
    def changes(self) -> QuerySet[Change]:
        return Change.objects.filter(batch__in=self.batches)


def choose(
    scope: Scope,
    *,
    statuses: Sequence[str] = (),
    kinds: Sequence[str] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    moment: datetime | None = None,
) -> Choice:
    """The memories of a scope in some states, of some kinds (none named: all), that happened, or
    were first remembered, from `since` to before `until`."""
    rows = Memory.objects.within(scope)
    if since or until:
        rows = rows.annotate(happened=Coalesce("occurred_at", "created_at"))
    wanted = {
        "status__in": statuses,
        "kind__in": kinds,
        "happened__gte": since,
        "happened__lt": until,
    }
    asked = {name: value for name, value in wanted.items() if value}
    return Choice(scope, rows.filter(**asked), not asked, moment)
