"""What a list shows whose filters no index gives in its order."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from memory.index.among import among
from memory.models import Status

from .keyset import COUNT_CAP

if TYPE_CHECKING:
    from .memory_filter import MemoryFilter


class Found:
    """The keys of what a choice finds in each state, newest first: looked for once, as a list asks
    for its rows a dozen times, for counts and facets too. `is_cut`: there may be more of what is
    shown than is known here; `is_cut_elsewhere`: of another state."""

    # What the search for words heeds by itself.
    _HEEDED = frozenset({"q", "status", "kind", "domain", "source", "user_id", "session_id"})

    def __init__(self, choice: "MemoryFilter"):
        self._choice, self.is_cut, self.is_cut_elsewhere = choice, False, False
        self._keys: dict[str, list[int]] = {}
        # A state has an index of the present only.
        if {"q", "check"} & set(choice.wanted) or choice.is_past:
            self._keys = self._at_once()

    def of(self, *statuses: str) -> list[int]:
        """The keys of what is in these states, one more than `COUNT_CAP` of each at most."""
        found = [self._of_state(status) for status in statuses]
        return found[0] if len(found) == 1 else sorted(chain.from_iterable(found), reverse=True)

    def _of_state(self, status: str) -> list[int]:
        if status not in self._keys:
            rows = self._choice.of_any_state(self._choice.queryset).filter(status=status)
            found = rows.order_by("-pk").values_list("pk", flat=True)
            self._keys[status] = list(found[: COUNT_CAP + 1])
        return self._keys[status]

    def _at_once(self) -> dict[str, list[int]]:
        keys: dict[str, list[int]] = {status: [] for status in Status.values}
        for status, pk in self._look(()):
            keys[status].append(pk)
        if self.is_cut and self._choice.statuses:
            # What is shown is looked for again: it may be what was cut off.
            self.is_cut_elsewhere, self.is_cut = True, False
            keys |= {status: [] for status in self._choice.statuses}
            for status, pk in self._look(self._choice.statuses):
                keys[status].append(pk)
        return keys

    def _look(self, statuses: Sequence[str]) -> list[tuple[str, int]]:
        choice, names = self._choice, set(self._choice.wanted)
        rows = choice.of_any_state(choice.queryset)
        if "q" in names:
            found = choice.of_words(statuses)
            self.is_cut |= len(found) > COUNT_CAP
            if names <= self._HEEDED:
                return found
            rows = rows.filter(pk__in=among(pk for _, pk in found))
        if "check" in names:
            found = choice.of_check(choice.wanted["check"])
            self.is_cut |= len(found) > COUNT_CAP
            if names <= {"check", "status"}:
                return [one for one in found if not statuses or one[0] in statuses]
        if statuses:
            rows = rows.filter(status__in=statuses)
        found = list(rows.order_by("-pk").values_list("status", "pk")[: COUNT_CAP + 1])
        self.is_cut |= len(found) > COUNT_CAP
        return found
