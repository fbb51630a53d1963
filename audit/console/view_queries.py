"""What a list's query may hold, page by page, and what of a kept query still means something."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.http import QueryDict
from django_filters import FilterSet

# None: any text. Else the only values that there are.
Values = Collection[str] | Callable[[], Collection[str]] | None
# Where one is in a list, and which view is open, is no part of what a view keeps.
PLACE = frozenset({"view", "cursor", "peek", "done"})
NO_VIEW = "none"


class Known:
    """The parameters of a list and, where they are few, their values. Read when asked, as some
    come and go with what is installed."""

    def __init__(self, read: Callable[[], Mapping[str, Values]], **others: Values):
        self._read, self._others = read, others

    @classmethod
    def of_filter(cls, filters: type[FilterSet], **others: Values) -> "Known":
        def read() -> dict[str, Values]:
            found = filters.base_filters.items()
            return {name: _values(one.extra.get("choices")) for name, one in found}

        return cls(read, **others)

    @classmethod
    def of_form(cls, form: type, **others: Values) -> "Known":
        def read() -> dict[str, Values]:
            found = form.base_fields.items()
            return {name: _values(getattr(field, "choices", None)) for name, field in found}

        return cls(read, **others)

    def sifted(self, text: str) -> tuple[QueryDict, list[str]]:
        """A query without what is no parameter or value of the list (any more), and what that
        was, as "name=value". Empty values and the place in the list go unsaid."""
        known = dict(self._read()) | self._others
        kept, gone = QueryDict(mutable=True), []
        for name, values in QueryDict(text).lists():
            if name in PLACE:
                continue
            for value in filter(None, values):
                if name in known and _fits(value, known[name]):
                    kept.appendlist(name, value)
                else:
                    gone.append(f"{name}={value}")
        return kept, gone


def same(one: QueryDict, other: QueryDict) -> bool:
    """Whether two queries ask for the same, in whatever order they say it."""
    return _pairs(one) == _pairs(other)


def with_view(query: QueryDict, view: int | str) -> str:
    """The query string that opens a view, or none of them, with this query."""
    told = query.copy()
    told["view"] = str(view)
    return f"?{told.urlencode()}"


def _pairs(query: QueryDict) -> list[tuple[str, str]]:
    return sorted((name, value) for name, values in query.lists() for value in values if value)


def _fits(value: str, known: Values) -> bool:
    if callable(known):
        known = known()
    return known is None or value in known


def _values(choices: Any) -> Values:
    if choices is None:
        return None
    if callable(choices):
        choices = choices()
    return [str(value) for value, _text in choices]
