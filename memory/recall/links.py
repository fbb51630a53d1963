"""How a second hop asks the store: as it is, or as it was."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.index.by_key import active_hits, hits_as_of
from memory.index.links import Shared, named, shared, shared_as_of
from memory.index.search import Hit
from memory.models import Memory

from .filtering import filters_of
from .past import standing
from .rank import Ranked
from .request import RecallRequest

# With more memories beside it a name is a crowd; two more show that, whatever the memory itself is.
CROWD = 8
FEW = CROWD + 2


@dataclass(frozen=True)
class Links:
    """The links that hold at `past`, else now, and the memories behind them that a request's
    filters let pass. Rows in `gone` are thought not to be there."""

    request: RecallRequest
    moment: datetime
    past: datetime | None = None
    ends: Callable[[Memory], datetime | None] | None = None
    gone: Collection[int] = ()

    def shared(self, first: Sequence[Ranked], beside: Collection[int]) -> list[Shared]:
        """The memories that name what one of the `first` names: all of those `beside`, and a few
        others a name."""
        scope, rows = self.request.scope, {item.memory.pk: item.memory for item in first}
        if self.past is None:
            return shared(scope, list(rows), beside, FEW)
        names = {pk: named(row) for pk, row in rows.items()}
        return shared_as_of(scope, names, beside, FEW, self.past)

    def hits(self, pks: Sequence[int]) -> list[tuple[Hit, Memory | Hit]]:
        """Hits with their rows, by primary key."""
        pks = [pk for pk in pks if pk not in self.gone]
        if self.past is None:
            filters = filters_of(self.request, self.moment)
            return [(hit, hit) for hit in active_hits(self.request.scope, pks, filters)]
        rows = Memory.objects.within(self.request.scope).filter(pk__in=pks)
        return self.hits_of(list(rows.values_list("public_id", flat=True)))

    def hits_of(self, memory_ids: Iterable[UUID]) -> list[tuple[Hit, Memory | Hit]]:
        """The same of the past, by public id."""
        # A row's end may have moved since: it is judged by the row as it was.
        filters = replace(filters_of(self.request, None), statuses=())
        hits = hits_as_of(self.request.scope, list(memory_ids), filters, self.past)
        rows = standing(self.request.scope, hits, self.past, self.moment, self.ends)
        return [(hit, rows[hit.pk]) for hit in hits if hit.pk in rows and hit.pk not in self.gone]
