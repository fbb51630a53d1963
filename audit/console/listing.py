"""Lists of memories: what else could be chosen, and in what order.

The pages of memories and of history stand on this.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, FloatField, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _
from django_filters import MultipleChoiceFilter

from memory.index.among import among
from memory.models import Kind, Memory, Source, Status

from .keyset import COUNT_CAP, Page, paginate
from .memory_filter import ANY, NONE, MemoryFilter, checks
from .typed import NOT

# A facet longer than this is no help; its field takes the rest.
FACET_SIZE = 8
ORDERS = {
    # Rows are numbered as they are first remembered; this order needs no sorting.
    "created": "pk",
    "updated": "updated_at",
    "importance": "importance",
    "confidence": "stated_confidence",
}
# What `counts` may be in an address.
COUNTS = frozenset({"all"})
SORTS = frozenset(way + name for name in ORDERS for way in ("", "-"))
# No index gives these: sorting 100,000 rows by one took 505 ms.
_UNINDEXED = frozenset({"importance", "stated_confidence"})


@dataclass(frozen=True)
class Chip:
    """A filter that is set, in words. `left` is how many rows there would be without it, None
    where nobody asked."""

    name: str
    label: str
    text: str
    left: int | None = None


def chips(chosen: MemoryFilter, *, count: bool = False) -> list[Chip]:
    """The filters that are set, but for the state, which has its tabs; with `count`, what dropping
    each of them would give."""
    found = []
    for name, value in chosen.wanted.items():
        if name == "status":
            continue
        left = chosen.without(name).qs.order_by()[: COUNT_CAP + 1].count() if count else None
        values = value if isinstance(value, list) else [value]
        named = getattr(chosen, "named", {}).get(name, {})
        told = (named.get(one) or said_of(name, one, chosen.filters) for one in values)
        text = ", ".join(map(str, told))
        found.append(Chip(name, str(chosen.filters[name].label), text, left))
    return found


def said_of(name: str, value: Any, filters: Mapping = MemoryFilter.base_filters) -> str:
    """A value of a filter in words, where it has any."""
    name = name.removeprefix(NOT)
    names = checks() if name == "check" else filters[name].extra.get("choices", ())
    return str(dict(names).get(value, value))


@dataclass(frozen=True)
class Facet:
    """One filter as links. `more`: there are other values, to be typed into a field. `counted`:
    the options say of how many rows each of them is."""

    name: str
    title: str
    options: list[dict[str, Any]]
    more: bool
    counted: bool


# Of a hundred thousand rows this many tell the common values; reading 10,000 took 60 ms.
SAMPLE = 1000
FACETS = ("kind", "source", "user_id", "agent_id", "domain")
_NAMED = {"kind": dict(Kind.choices), "source": dict(Source.choices) | {NONE: _("no source")}}


def facets(chosen: MemoryFilter, names: tuple[str, ...] = FACETS) -> list[Facet]:
    """The values that the rows hold, most frequent first: in one query, and in one more for each
    of these filters that is set, as its other values are among the rows that it leaves out.

    Beyond `COUNT_CAP` rows a sample tells the values, beside all those that have a name of ours,
    and no counts are shown; unless the address asks for all of them: a second at 1,000,000.
    """
    found, exact = _sample(chosen, *names)
    counts = {name: Counter(row[place] for row in found) for place, name in enumerate(names)}
    sure = dict.fromkeys(names, exact)
    for name in chosen.wanted.keys() & set(names):
        others, sure[name] = _sample(chosen.without(name, once=False), name, many=not exact)
        counts[name] = Counter(value for (value,) in others)
    for name in names:
        if not sure[name] and chosen.data.get("counts") == "all" and countable(chosen):
            counts[name], sure[name] = _counted(chosen, name), True
    made = [_facet(chosen, name, counts[name], sure[name]) for name in names]
    return [facet for facet in made if facet.options]


def countable(chosen: MemoryFilter) -> bool:
    """Whether the rows beyond `COUNT_CAP` can be counted by value: not what a search found, nor
    the past, which has no index."""
    return not (chosen.is_past or {"q", "check"} & set(chosen.wanted))


def _counted(chosen: MemoryFilter, name: str) -> Counter:
    rows = chosen.without(name, once=False).qs.order_by()
    return Counter(dict(rows.values_list(name).annotate(n=Count("pk"))))


def _sample(chosen: MemoryFilter, *names: str, many: bool = False) -> tuple[list[tuple], bool]:
    """These columns of the rows, and whether they are of all rows. `many`: there are more than
    `COUNT_CAP`, as is known already."""
    rows = chosen.qs.order_by()
    exact = not (many or chosen.is_cut) and chosen.total <= COUNT_CAP
    size = COUNT_CAP if exact else SAMPLE
    every = Memory.objects.within(chosen.scope)
    if chosen.is_bounded and (len(chosen.keys) <= SAMPLE or len(chosen.statuses) != 1):
        rows = every.filter(pk__in=among(chosen.keys[:size]))
    elif len(chosen.statuses) == 1 and not {"q", "check"} & set(chosen.wanted):
        # Their state's index holds the columns too; 10,000 rows by their keys took 34 ms, not 10.
        rows = chosen.without("", once=False).qs.order_by("-pk")
    elif chosen.is_bounded:
        rows = every.filter(pk__in=among(chosen.keys[:size]))
    else:
        # First the keys, which stand in every index.
        rows = every.filter(pk__in=rows.values("pk")[:size])
    return list(rows.values_list(*names)[:size]), exact


def _facet(chosen: MemoryFilter, name: str, counts: Counter, exact: bool) -> Facet:
    if name == "source" and "" in counts:
        counts[NONE] = counts.pop("")
    counts.pop("", None)
    wanted = chosen.wanted.get(name, [])
    picked = wanted if isinstance(wanted, list) else [wanted]
    values = [value for value, _n in counts.most_common(FACET_SIZE)]
    named = () if exact else _NAMED.get(name, ())
    values += [value for value in (*picked, *named) if value not in values]
    options = [
        {
            "value": value,
            "text": _NAMED.get(name, {}).get(value, value),
            "count": counts[value] if exact else None,
            "active": value in picked,
            "address": _toggled(chosen, name, value, picked),
        }
        for value in values
    ]
    is_open = name not in _NAMED and (len(counts) > FACET_SIZE or not exact)
    return Facet(name, str(chosen.filters[name].label), options, is_open, exact)


def _toggled(chosen: MemoryFilter, name: str, value: str, picked: list[str]) -> str:
    """The query with this value taken away if it is set, else set: beside the others where a
    filter takes several."""
    query = chosen.data.copy()
    query.pop("cursor", None)
    others = [other for other in picked if other != value]
    if value not in picked:
        several = isinstance(chosen.filters[name], MultipleChoiceFilter)
        others = [*others, value] if several else [value]
    query.setlist(name, others)
    return f"?{query.urlencode()}"


@dataclass(frozen=True)
class State:
    """A tab of the list: the memories in one state, or in any."""

    value: str
    text: str
    count: int
    capped: bool
    active: bool = False


def states(chosen: MemoryFilter) -> list[State]:
    """Active, superseded and all, and every other state that has rows; counts are capped."""
    counts, cut = _by_status(chosen)
    shown, found = chosen.statuses, []
    for value, text in Status.choices:
        count, active = counts[value], value in shown
        if count or active or value in (Status.ACTIVE, Status.SUPERSEDED):
            capped = count > COUNT_CAP or cut
            found.append(State(value, text, min(count, COUNT_CAP), capped, active))
    total = sum(state.count for state in found)
    capped = any(state.capped for state in found)
    return [*found, State(ANY, str(_("All")), total, capped, not shown)]


def order_of(chosen: MemoryFilter) -> str:
    """The order asked for if it is known, else the one that an index gives without sorting."""
    asked = chosen.data.get("sort", "")
    if asked.removeprefix("-") in ORDERS:
        return asked
    return "-updated" if len(chosen.statuses) == 1 else "-created"


def column_of(chosen: MemoryFilter, order: str) -> tuple[QuerySet, str]:
    """The rows with the column of an order of `ORDERS`, and that column ("-" before it: down). Of
    an order that no index gives these are the newest `COUNT_CAP`; `chosen.is_sort_cut` says that
    there are more."""
    rows, name = chosen.qs, ORDERS[order.removeprefix("-")]
    # The index by time of change is one of each state.
    if name in _UNINDEXED or (name == "updated_at" and len(chosen.statuses) != 1):
        rows = _newest(chosen, rows)
    return _stated(rows, name), f"-{name}" if order.startswith("-") else name


def page_of(chosen: MemoryFilter, order: str, cursor: str | None) -> Page:
    """A page; the first one when the rows after the cursor are gone meanwhile."""
    rows, column = column_of(chosen, order)
    is_sorted = not chosen.is_bounded and column.removeprefix("-") not in _UNINDEXED
    whole = None if is_sorted else _stated(Memory.objects.within(chosen.scope), column)
    total = chosen.total
    page = paginate(rows, column, cursor, whole=whole, total=total)
    return page if page.rows or not cursor else paginate(rows, column, whole=whole, total=total)


def _stated(rows: QuerySet, column: str) -> QuerySet:
    """With a confidence for each: one not stated comes last."""
    if column.removeprefix("-") != "stated_confidence":
        return rows
    confidence = Coalesce("confidence", Value(-1.0), output_field=FloatField())
    return rows.annotate(stated_confidence=confidence)


def _newest(chosen: MemoryFilter, rows: QuerySet) -> QuerySet:
    if chosen.is_bounded:
        return rows
    older = rows.order_by("-pk").values_list("pk", flat=True)[COUNT_CAP : COUNT_CAP + 1]
    last = next(iter(older), None)
    chosen.is_sort_cut = last is not None
    return rows if last is None else rows.filter(pk__gt=last)


def _by_status(chosen: MemoryFilter) -> tuple[Counter, bool]:
    """How many rows there are in each state whatever state is asked for, each counted to one more
    than `COUNT_CAP`; and whether there may be more in all of them."""
    if chosen.is_bounded:
        found = chosen.found
        counts = Counter({status: len(found.of(status)) for status in Status.values})
        return counts, found.is_cut or found.is_cut_elsewhere
    rows = chosen.without("status").qs.order_by()
    if chosen.is_past:
        return Counter(dict(rows.values_list("status").annotate(n=Count("pk")))), False
    return Counter(
        {s: rows.filter(status=s)[: COUNT_CAP + 1].count() for s in Status.values}
    ), False


@dataclass(frozen=True)
class Heading:
    """A word in a column's head. `sort` is what its link asks for, "" if it does not sort;
    `direction` is "" unless the list is sorted by it."""

    text: str
    sort: str = ""
    direction: str = ""


def headings(order: str, columns: Sequence[Sequence[tuple[str, Any]]]) -> list[list[Heading]]:
    """The heads of columns, each of one or more (name, text); those in `ORDERS` sort."""
    return [[_heading(order, name, text) for name, text in column] for column in columns]


def _heading(order: str, name: str, text: str) -> Heading:
    if name not in ORDERS:
        return Heading(text)
    if order == f"-{name}":
        return Heading(text, name, "descending")
    return Heading(text, f"-{name}", "ascending" if order == name else "")
