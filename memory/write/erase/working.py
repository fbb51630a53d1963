"""Working memory that says the words of an erased memory: such a value is removed."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory.models import Scope

from ..working import WorkingItem, WorkingSession, items_of, remove_from, sessions
from .places import Place, place
from .subject import Subject

Held = tuple[str, str]


@place
class Working(Place):
    """Its keys are a session's name and the item's; they tell no order, and there are few."""

    name = "working"

    def newest(self) -> int:
        return 0

    def look(self, subject: Subject, after: int = 0) -> list[Held]:
        return [
            (session.name, item.key)
            for session, item in self._items(subject)
            if self._says(subject, item)
        ]

    def loaded(self, subject: Subject, keys: Iterable[Held]) -> list[Held]:
        return sorted(set(keys))

    def clean(self, subject: Subject, rows: list[Held]) -> int:
        return sum(remove_from(_whole(subject), name, key) for name, key in rows)

    def _items(self, subject: Subject) -> Iterator[tuple[WorkingSession, WorkingItem]]:
        scope = _whole(subject)
        for session in sessions(scope):
            if "" in subject.users or session.user_id in subject.users:
                yield from ((session, item) for item in items_of(scope, session.name))

    def _says(self, subject: Subject, item: WorkingItem) -> bool:
        value = (
            item.value
            if isinstance(item.value, str)
            else json.dumps(item.value, ensure_ascii=False)
        )
        return subject.words.holds(f"{item.key}: {value}")


def _whole(subject: Subject) -> Scope:
    return replace(subject.scope, user_id=None)
