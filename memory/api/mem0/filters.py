"""mem0's filters as conditions on our rows: AND, OR and NOT of names with operators."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, StrIndex

from memory.models import Memory
from memory.write.proposal import InvalidInput

from .form import APP

# SQLite takes no expression deeper than 1,000 and no pattern longer than 50,000 bytes.
MOST_CONDITIONS, MOST_LISTED, LONGEST = 400, 200, 1000
LARGEST = 2**63 - 1
# A name that is the same written in a JSON path.
KEY = re.compile(r'[^"\\\x00-\x1f]{1,200}')
ANY = "*"
# mem0's names of whose a memory is; "app_id" has no column here.
ENTITIES = {"user_id": "user_id", "agent_id": "agent_id", "run_id": "session_id"}
TIMES = ("created_at", "updated_at")
ORDERED = ("gt", "gte", "lt", "lte")
OPERATORS = ("eq", "ne", "in", "contains", "icontains", *ORDERED)
JOINS = ("AND", "OR", "NOT")
Scalar = str | int | float | bool | None


@dataclass
class Conditions:
    """`q` with the `aliases` that it speaks of, `count` conditions in all. `names` are whose
    memories it asks for by one name each, whatever else holds: what it is certain of."""

    q: Q
    aliases: dict[str, Any] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    count: int = 0

    @property
    def is_of_one_user(self) -> bool:
        """Whether it asks for all of one user and nothing else."""
        return self.count == 1 and list(self.names) == ["user_id"]

    def rows(self, rows: QuerySet[Memory]) -> QuerySet[Memory]:
        return rows.alias(**self.aliases).filter(self.q)


def read_filters(filters: Mapping[str, Any] | None) -> Conditions:
    """The conditions of a filter. Raises `InvalidInput` for an unknown name or operator, a value
    that cannot be compared, and for a filter that says nothing."""
    reader = _Reader()
    q = reader.group(filters or {}, "filters")
    if not q:
        raise InvalidInput([("filters", "say whose memories: an empty filter is refused")])
    return Conditions(q, reader.aliases, dict(_certain(filters or {})), reader.count)


def _certain(filters: Mapping[str, Any]):
    """The names that every row that is met has, as (name, value)."""
    for name, wanted in filters.items():
        if name in ("AND", "OR"):
            parts = [wanted] if isinstance(wanted, dict) else wanted
            for part in parts if name == "AND" or len(parts) == 1 else ():
                yield from _certain(part)
        elif name in (*ENTITIES, APP):
            only = wanted.get("eq") if isinstance(wanted, dict) else wanted
            if isinstance(wanted, dict) and len(wanted.get("in") or ()) == 1:
                only = wanted["in"][0]
            if isinstance(only, str) and only not in ("", ANY):
                yield name, only


class _Reader:
    def __init__(self):
        self.aliases: dict[str, Any] = {}
        self.count = self.spent = 0

    def group(self, filters: Any, place: str) -> Q:
        """All of a group's conditions together."""
        if not isinstance(filters, dict):
            raise InvalidInput([(place, "an object of names and what they have to be")])
        q = Q()
        for name, wanted in filters.items():
            where = f"{place}.{name}"
            q &= (
                self.joined(name, wanted, where) if name in JOINS else self.one(name, wanted, where)
            )
        return q

    def joined(self, how: str, parts: Any, place: str) -> Q:
        parts = [parts] if isinstance(parts, dict) else parts
        if not isinstance(parts, list) or not parts:
            raise InvalidInput([(place, "a list of filters, not empty")])
        found = [self.group(part, f"{place}.{at}") for at, part in enumerate(parts)]
        if not all(found):
            raise InvalidInput([(place, "holds a filter that says nothing")])
        q = Q(*found, _connector=Q.AND if how == "AND" else Q.OR)
        return ~q if how == "NOT" else q

    def one(self, name: str, wanted: Any, place: str) -> Q:
        self.count += 1
        self.spend(1)
        if name == "metadata" and isinstance(wanted, dict) and wanted:
            self.spend(len(wanted))
            parts = [self.compared(*self.kept(key), v, place) for key, v in wanted.items()]
            return Q(*parts)
        if name in ENTITIES:
            return self.compared(ENTITIES[name], F(ENTITIES[name]), wanted, place)
        if name == APP:
            return self.compared(*self.kept(APP), wanted, place)
        if name in TIMES:
            return _of_time(name, wanted, place)
        if name == "categories":
            return self.categories(wanted, place)
        if name in ("keywords", "memory"):
            return self.compared("text", F("text"), wanted, place)
        if name in ("memory_ids", "id"):
            return Q(fact__in=_ids(wanted, place))
        raise InvalidInput([(place, "no such name in a filter")])

    def spend(self, conditions: int) -> None:
        self.spent += conditions
        if self.spent > MOST_CONDITIONS:
            raise InvalidInput([("filters", f"at most {MOST_CONDITIONS} conditions in all")])

    def kept(self, key: str) -> tuple[str, Any]:
        """A name for the value that metadata keeps under a key."""
        if not KEY.fullmatch(key):
            raise InvalidInput([("filters.metadata", "a name without quotes and backslashes")])
        alias = f"kept_{len(self.aliases)}"
        self.aliases[alias] = KeyTransform(key, F("metadata"))
        return alias, KeyTextTransform(key, F("metadata"))

    def compared(self, column: str, text: Any, wanted: Any, place: str) -> Q:
        """`column` as it is compared, and as `text` to look inside."""
        is_column = column in _COLUMNS
        missing = Q(**{column: ""}) if is_column else Q(**{f"{column}__isnull": True})
        if wanted is None:
            return missing
        if wanted == ANY:
            return ~missing
        # What is not there compares as neither true nor false, and a NOT would lose it.
        q = Q() if is_column or _is_ne(wanted) else ~missing
        for operator, value in _operations(wanted, place):
            q &= self._operated(operator, column, text, value, missing, place)
        return q

    def _operated(
        self, operator: str, column: str, text: Any, value: Any, missing: Q, place: str
    ) -> Q:
        if operator == "in":
            value = _listed(value, place)
            self.spend(len(value))
            return Q(*(self.compared(column, text, _scalar(v, place), place) for v in value),
                     _connector=Q.OR)  # fmt: skip
        value = _scalar(value, place)
        if operator == "eq":
            return missing if value in (None, "") else Q(**{column: value})
        if operator == "ne":
            return ~missing if value in (None, "") else missing | ~Q(**{column: value})
        if operator in ORDERED:
            return Q(**{f"{column}__{operator}": value})
        if not isinstance(value, str) or not value:
            raise InvalidInput([(place, f"{operator} takes a text, not empty")])
        return _inside(self.aliases, text, value, ignoring_case=operator == "icontains")

    def categories(self, wanted: Any, place: str) -> Q:
        self.aliases["tags_text"] = Cast("tags", TextField())
        wanted = wanted if isinstance(wanted, dict | str) else {"in": wanted}
        if wanted == ANY:
            return ~Q(tags=[])
        q = Q()
        for operator, value in _operations(wanted, place):
            names = _listed(value if isinstance(value, list) else [value], place)
            self.spend(len(names))
            if not all(isinstance(name, str) and name for name in names):
                raise InvalidInput([(place, "names of categories")])
            if operator not in ("eq", "in", "ne", "contains"):
                raise InvalidInput([(place, f"{operator} does not go with categories")])
            held = Q(*(Q(tags_text__contains=json.dumps(n)) for n in names), _connector=Q.OR)
            q &= ~held if operator == "ne" else held
        return q


_COLUMNS = frozenset(field.name for field in Memory._meta.concrete_fields)


def _is_ne(wanted: Any) -> bool:
    return isinstance(wanted, dict) and list(wanted) == ["ne"]


def _inside(aliases: dict, text: Any, value: str, *, ignoring_case: bool) -> Q:
    alias = f"inside_{len(aliases)}"
    if ignoring_case:
        aliases[alias] = Cast(text, TextField())
        return Q(**{f"{alias}__icontains": value})
    # SQLite's LIKE does not tell capitals apart, its instr does.
    aliases[alias] = StrIndex(text, Value(value))
    return Q(**{f"{alias}__gt": 0})


def _operations(wanted: Any, place: str):
    if isinstance(wanted, list):
        wanted = {"in": wanted}
    if not isinstance(wanted, dict):
        wanted = {"eq": wanted}
    if not wanted:
        raise InvalidInput([(place, "says nothing")])
    for operator, value in wanted.items():
        if operator not in OPERATORS:
            raise InvalidInput([(place, f"one of {', '.join(OPERATORS)}; not {operator[:40]}")])
        yield operator, value


def _scalar(value: Any, place: str) -> Scalar:
    if value is not None and not isinstance(value, Scalar):
        raise InvalidInput([(place, "a text, a number, true, false or null")])
    if isinstance(value, str) and len(value) > LONGEST:
        raise InvalidInput([(place, f"at most {LONGEST} characters")])
    if isinstance(value, int) and abs(value) > LARGEST:
        raise InvalidInput([(place, "a smaller number")])
    return value


def _listed(values: Any, place: str) -> list:
    if not isinstance(values, list) or not 1 <= len(values) <= MOST_LISTED:
        raise InvalidInput([(place, f"a list of 1 to {MOST_LISTED}")])
    return values


def _of_time(name: str, wanted: Any, place: str) -> Q:
    q = Q()
    for operator, value in _operations(wanted, place):
        begin, end = _span(value, place)
        if operator in ("gte", "lt"):
            q &= Q(**{f"{name}__{operator}": begin})
        elif operator == "gt":
            q &= Q(**{f"{name}__{'gte' if end > begin else 'gt'}": end})
        elif operator == "lte":
            q &= Q(**{f"{name}__{'lt' if end > begin else 'lte'}": end})
        elif operator in ("eq", "ne"):
            within = Q(**{f"{name}__gte": begin, f"{name}__{'lt' if end > begin else 'lte'}": end})
            q &= ~within if operator == "ne" else within
        else:
            raise InvalidInput([(place, f"{operator} does not go with a time")])
    return q


def _span(value: Any, place: str) -> tuple[datetime, datetime]:
    """The instant, or the day from its beginning to its end, that a text names; without an offset
    in UTC, as mem0 writes them."""
    try:
        if isinstance(value, str) and len(value) == len("2026-03-01"):
            begin = datetime.combine(date.fromisoformat(value), time(), UTC)
            return begin, begin + timedelta(days=1)
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC), moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput([(place, "a day or a time such as 2026-03-01T09:00:00Z")]) from None


def _ids(wanted: Any, place: str) -> list[UUID]:
    if isinstance(wanted, dict) and list(wanted) == ["in"]:
        wanted = wanted["in"]
    wanted = _listed(wanted if isinstance(wanted, list) else [wanted], place)
    try:
        return [UUID(value) for value in wanted]
    except (TypeError, ValueError, AttributeError):
        raise InvalidInput([(place, "ids of memories")]) from None
