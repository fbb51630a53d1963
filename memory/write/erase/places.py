"""Where an erased memory's words may lie besides its own rows: one place a kind of thing.

A place above this layer registers its own; the engine does not know of it.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import Model

from .subject import Subject

PAGE = 500
_places: dict[str, "Place"] = {}
_before: list[Callable[[], Any]] = []


class Place:
    """A table that may hold words of what is erased.

    `look` only reads and may take long; `clean` runs in the transaction of the erasure, which
    holds up every writer. What came between the two is looked at again by `clean`'s caller.
    """

    name = ""
    model: type[Model]

    def rows(self, subject: Subject):
        """The rows that may hold something, with all that is read of them."""
        return subject.own(self.model)

    def holds(self, subject: Subject, row: Any) -> bool:
        """Whether this row holds something that has to go."""
        raise NotImplementedError

    def clean(self, subject: Subject, rows: list[Any]) -> int:
        """Take it away from these rows; how many of them held something."""
        raise NotImplementedError

    def newest(self) -> int:
        """The key of the newest row there is; 0: none."""
        rows = getattr(self.model, "everywhere", self.model._default_manager)
        return rows.order_by("-pk").values_list("pk", flat=True).first() or 0

    def look(self, subject: Subject, after: int = 0) -> list[int]:
        """The keys of the rows after this one that hold something. Linear in the user's rows."""
        found = self.rows(subject).filter(pk__gt=after).order_by("pk")
        return [row.pk for row in found.iterator(PAGE) if self.holds(subject, row)]

    def loaded(self, subject: Subject, keys: Iterable[int]) -> list[Any]:
        keys = list(keys)
        pieces = [keys[n : n + PAGE] for n in range(0, len(keys), PAGE)]
        return [row for piece in pieces for row in self.rows(subject).filter(pk__in=piece)]


def place(cls: type[Place]) -> type[Place]:
    """Register a place, once by its name."""
    _places[cls.name] = cls()
    return cls


def places() -> list[Place]:
    return list(_places.values())


def before_looking(function: Callable[[], Any]) -> None:
    """Register what has to be done first: what is not yet written cannot be found."""
    if function not in _before:
        _before.append(function)


def settle() -> None:
    for function in _before:
        function()
