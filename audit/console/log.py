"""What the two logs have in common: filters by owner and day, and facets with counts."""

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Count, Q, QuerySet
from django.forms import DateInput
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, DateFilter, FilterSet

from memory.index import keyset
from memory.models import Owner, Scope

# A log grows without end and most filters have no index. Whatever is asked, no more than this
# many rows are read; the page says so where that cut something off.
WINDOW = 10_000
FACET_VALUES = 12
USERS_OFFERED = 200
DAYS = [MinValueValidator(date(1970, 1, 1)), MaxValueValidator(date(9000, 1, 1))]


class LogFilter(FilterSet):
    """Filters of a log. Those in `bounding` go first; the others see the newest `WINDOW` rows
    that these leave, in `order`. What does not parse filters nothing. `is_cut` after `qs`: older
    rows were not looked at."""

    bounding = ("user_id", "since", "until")
    # The words of stored values, by filter.
    named: Mapping[str, Mapping[str, Any]] = {}
    order = "-id"

    user_id = CharFilter(label=_("User"), max_length=200)
    since = DateFilter(
        method="from_day", label=_("First day"), validators=DAYS, widget=DateInput({"type": "date"})
    )
    until = DateFilter(
        method="to_day", label=_("Last day"), validators=DAYS, widget=DateInput({"type": "date"})
    )

    is_cut = False

    @property
    def wanted(self) -> dict[str, Any]:
        """What was asked for and understood."""
        self.form.is_valid()
        return {name: value for name, value in self.form.cleaned_data.items() if value}

    def without(self, name: str) -> "LogFilter":
        """The same choice with one filter dropped."""
        data = self.data.copy()
        data.pop(name, None)
        return type(self)(data, self.queryset)

    @cached_property
    def window(self) -> tuple[QuerySet, bool]:
        """The newest rows that the bounding filters leave, and whether that cut any off."""
        self.form.is_valid()
        rows = self._apply(self.queryset, self.bounding)
        edge = beyond_newest(rows, order=self.order)
        if edge is None:
            return rows, False
        # The edge is a closer bound than the first day, and of two the engine uses one: with
        # both, each question to 500,000 recalls of some days read them all (1 s).
        rest = [name for name in self.bounding if name != "since" or self.order == "-id"]
        return self._apply(self.queryset, rest).filter(edge), True

    @property
    def window_size(self) -> int:
        return WINDOW

    def from_day(self, rows: QuerySet, name: str, day: date) -> QuerySet:
        return rows.filter(at__gte=timezone.make_aware(datetime.combine(day, time.min)))

    def to_day(self, rows: QuerySet, name: str, day: date) -> QuerySet:
        return rows.filter(at__lte=timezone.make_aware(datetime.combine(day, time.max)))

    def filter_queryset(self, queryset: QuerySet) -> QuerySet:
        others = [name for name in self.filters if name not in self.bounding]
        if not any(self.form.cleaned_data.get(name) for name in others):
            return self._apply(queryset, self.bounding)
        rows, self.is_cut = self.window
        return self._apply(rows, others)

    def facet(self, name: str, labels: Mapping[str, str] | None = None) -> list[dict]:
        """The values of one filter among the newest rows, the most frequent first, as
        `blocks/facets.html` takes them. Counts only where no row was cut off."""
        rows, cut = self.window
        rows = self._apply(rows, [n for n in self.filters if n not in (*self.bounding, name)])
        field, chosen = self.filters[name].field_name, self.data.get(name, "")
        counts = dict(
            rows.order_by()
            .values_list(field)
            .annotate(n=Count("pk"))
            .order_by("-n", field)[:FACET_VALUES]
        )
        if chosen and chosen not in counts:
            counts[chosen] = 0
        return [
            {
                "value": value,
                "text": (labels or {}).get(value, value),
                "count": None if cut else count,
                "active": value == chosen,
            }
            for value, count in counts.items()
            if value
        ]

    def _apply(self, rows: QuerySet, names) -> QuerySet:
        for name in names:
            if name in self.form.cleaned_data:
                rows = self.filters[name].filter(rows, self.form.cleaned_data[name])
        return rows


def newest(rows: QuerySet) -> QuerySet:
    """The newest `WINDOW` of `rows`."""
    edge = beyond_newest(rows)
    return rows if edge is None else rows.filter(edge)


def beyond_newest(rows: QuerySet, order: str = "-id") -> Q | None:
    """What holds for the first `WINDOW` of `rows` in `order` only; None where there are no more."""
    name = order.removeprefix("-")
    found = keyset.ordered(rows, order).values_list(name, "pk")[WINDOW : WINDOW + 1].first()
    if found is None:
        return None
    return Q(**{f"{name}__gte": found[0]}) & keyset.beyond(keyset.reverse(order), *found)


def users_of(scope: Scope) -> list[str]:
    """Users that have memories, for a field to suggest: the first `USERS_OFFERED` by name."""
    owners = Owner.objects.filter(workspace_id=scope.workspace_id).exclude(user_id="")
    if scope.user_id is not None:
        owners = owners.filter(user_id=scope.user_id)
    return list(owners.order_by("user_id").values_list("user_id", flat=True)[:USERS_OFFERED])
