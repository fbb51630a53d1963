"""Which memories a query string chooses."""

import json
from collections.abc import Sequence
from typing import Any

import django_filters
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from audit.health import registry
from audit.health.check import MemoryCheck
from audit.health.counted import Behind, behind
from memory.index.among import among
from memory.index.browse import browse_states
from memory.index.filters import Filters
from memory.index.graph import memories_naming
from memory.models import Kind, Memory, Scope, Source, Status
from memory.text.normalise import key

from .filter_kinds import NoneOfFilter, RangeFilter
from .found import Found
from .keyset import COUNT_CAP
from .typed import NEGATED, NOT

ANY, NONE = "any", "none"
# () would be every one.
NO_STATE = ("",)
# No index gives these in the order of a list.
WITHOUT_INDEX = frozenset({"confidence", "importance", "tag", "source", "agent_id", "attribute"})
# Nor these where they are rare: the rows of a kind that no memory is of took 0.3 s among 100,000.
_OFTEN_RARE = frozenset({"kind", "domain", "user_id", "session_id"}) | {NOT + n for n in NEGATED}


def checks() -> list[tuple[str, Any]]:
    found = registry.checks().items()
    return [(name, check.title) for name, check in found if isinstance(check, MemoryCheck)]


class MemoryFilter(django_filters.FilterSet):
    """The memories that a query string chooses; a value that means nothing chooses nothing.

    Active ones only, unless `status` says otherwise or one fact or health check is asked for.
    """

    check = django_filters.ChoiceFilter(choices=checks, method="by_check", label=_("Health check"))
    fact = django_filters.UUIDFilter(field_name="fact", label=_("Fact"))
    status = django_filters.MultipleChoiceFilter(
        choices=[*Status.choices, (ANY, _("any"))], method="as_is", label=_("State")
    )
    user_id = django_filters.CharFilter(field_name="user_id", label=_("User"))
    agent_id = django_filters.CharFilter(field_name="agent_id", label=_("Agent"))
    session_id = django_filters.CharFilter(field_name="session_id", label=_("Session"))
    kind = django_filters.MultipleChoiceFilter(
        choices=Kind.choices, distinct=False, label=_("Kind")
    )
    domain = django_filters.CharFilter(field_name="domain", label=_("Domain"))
    entity = django_filters.CharFilter(method="by_entity", label=_("Entity"))
    attribute = django_filters.CharFilter(
        field_name="attribute_key", method="by_key", label=_("Attribute")
    )
    tag = django_filters.CharFilter(method="by_tag", label=_("Tag"))
    confidence = RangeFilter(field_name="confidence", label=_("Confidence"))
    importance = RangeFilter(field_name="importance", label=_("Importance"))
    since = django_filters.IsoDateTimeFilter(
        field_name="updated_at", lookup_expr="gte", label=_("Changed since")
    )
    until = django_filters.IsoDateTimeFilter(
        field_name="updated_at", lookup_expr="lt", label=_("Changed until")
    )
    source = django_filters.MultipleChoiceFilter(
        choices=[*Source.choices, (NONE, _("no source"))], method="by_source", label=_("Source")
    )
    not_status = NoneOfFilter(method="as_is", label=_("Not in state"))
    not_kind = NoneOfFilter(field_name="kind", label=_("Not of kind"))
    not_source = NoneOfFilter(method="by_other_source", label=_("Not from source"))
    not_user_id = NoneOfFilter(field_name="user_id", label=_("Not of user"))
    not_agent_id = NoneOfFilter(field_name="agent_id", label=_("Not of agent"))
    not_session_id = NoneOfFilter(field_name="session_id", label=_("Not of session"))
    not_domain = NoneOfFilter(field_name="domain", label=_("Not of domain"))
    q = django_filters.CharFilter(method="as_is", label=_("Search"))

    def __init__(
        self,
        data: QueryDict,
        scope: Scope,
        statuses: tuple[str, ...] | None = None,
        *,
        is_past: bool = False,
    ):
        super().__init__(data, Memory.objects.within(scope))
        self.scope, self.fixed, self.is_past = scope, statuses, is_past
        self.looks_once = True
        self.checked: dict[str, list[tuple[str, int]]] = {}
        self.is_cut = self.is_sort_cut = False
        self.behind: Behind | None = None

    @cached_property
    def wanted(self) -> dict[str, Any]:
        """What was asked for and understood."""
        self.form.is_valid()
        return {name: value for name, value in self.form.cleaned_data.items() if value}

    @cached_property
    def statuses(self) -> tuple[str, ...]:
        """The states to show; () is every state."""
        if self.fixed is not None:
            return self.fixed
        chosen, never = self.wanted.get("status"), self.wanted.get("not_status")
        if never:
            some = chosen if chosen and ANY not in chosen else Status.values
            return tuple(status for status in some if status not in never) or NO_STATE
        if chosen:
            return () if ANY in chosen else tuple(chosen)
        return () if {"fact", "check"} & set(self.wanted) else (Status.ACTIVE.value,)

    @cached_property
    def is_bounded(self) -> bool:
        """Whether the rows are looked for at once, the newest `COUNT_CAP` of them; `is_cut`, after
        `qs`, says that there are more."""
        names = set(self.wanted)
        if {"q", "check"} & names or not self.looks_once:
            return bool({"q", "check"} & names)
        if WITHOUT_INDEX & names or not _OFTEN_RARE & names:
            return bool(WITHOUT_INDEX & names)
        if any(name.startswith(NOT) for name in names):
            # No index counts these: counting what is none reads as much as looking for it.
            return len(self.found.of(*(self.statuses or Status.values))) <= COUNT_CAP
        return self._counted <= COUNT_CAP

    @cached_property
    def total(self) -> int:
        """How many rows there are, counted to one more than `COUNT_CAP`."""
        return len(self.keys) + self.is_cut if self.is_bounded else self._counted

    @cached_property
    def _counted(self) -> int:
        return self._filtered(self.queryset).order_by()[: COUNT_CAP + 1].count()

    @cached_property
    def keys(self) -> list[int]:
        """The keys of what is shown, newest first, where the choice `is_bounded`."""
        found = self.found.of(*(self.statuses or Status.values))
        self.is_cut = self.found.is_cut or len(found) > COUNT_CAP
        return found[:COUNT_CAP]

    @cached_property
    def found(self) -> Found:
        return Found(self)

    def filter_queryset(self, queryset: QuerySet) -> QuerySet:
        if self.is_bounded:
            return queryset.filter(pk__in=among(self.keys))
        return self._filtered(queryset)

    def _filtered(self, queryset: QuerySet) -> QuerySet:
        rows = self.of_any_state(queryset)
        return rows.filter(status__in=self.statuses) if self.statuses else rows

    def of_any_state(self, queryset: QuerySet) -> QuerySet:
        """What the filters leave of these rows, but for words and states."""
        return super().filter_queryset(queryset)

    def as_is(self, rows: QuerySet, name: str, value: Any) -> QuerySet:
        return rows

    def by_source(self, rows: QuerySet, name: str, values: list[str]) -> QuerySet:
        return rows.filter(source__in=_sources(values))

    def by_other_source(self, rows: QuerySet, name: str, values: list[str]) -> QuerySet:
        return rows.exclude(source__in=_sources(values))

    def by_key(self, rows: QuerySet, name: str, text: str) -> QuerySet:
        """Names are compared as they are remembered: after the one normaliser."""
        return rows.filter(**{name: key(text)})

    def by_entity(self, rows: QuerySet, name: str, text: str) -> QuerySet:
        """The memories about an entity, and the active ones that name it."""
        return memories_naming(rows, self.scope, text)

    def by_tag(self, rows: QuerySet, name: str, tag: str) -> QuerySet:
        tags = rows.annotate(spelt_tags=Cast("tags", TextField()))
        return tags.filter(spelt_tags__contains=json.dumps(tag))

    def by_check(self, rows: QuerySet, name: str, check_id: str) -> QuerySet:
        return rows.filter(pk__in=among(pk for _, pk in self.of_check(check_id)))

    def of_check(self, check_id: str) -> list[tuple[str, int]]:
        """State and key of the newest rows that the check counts, one more than `COUNT_CAP` at
        most; looked for once. `behind` tells by when."""
        if check_id not in self.checked:
            self.behind = behind(check_id, self.scope)
            pairs = self.behind.rows.order_by("-pk").values_list("status", "pk")[: COUNT_CAP + 1]
            self.checked[check_id] = list(pairs)
        return self.checked[check_id]

    def of_words(self, statuses: Sequence[str]) -> list[tuple[str, int]]:
        """State and key of the newest rows that hold all the words, whatever their order in the
        text, one more than `COUNT_CAP` at most."""
        wanted = self.wanted
        filters = Filters(
            statuses=statuses,
            kinds=wanted.get("kind", ()),
            domains=[wanted["domain"]] if "domain" in wanted else (),
            sources=_sources(wanted.get("source", ())),
            user_id=wanted.get("user_id"),
            session_id=wanted.get("session_id"),
        )
        return browse_states(self.scope, wanted["q"], filters, limit=COUNT_CAP + 1)

    def without(self, name: str, *, once: bool = True) -> "MemoryFilter":
        """The same choice with one filter dropped; to be asked for one thing only without
        `once`."""
        data = self.data.copy()
        data.pop(name, None)
        if name == "status":
            data["status"] = ANY
        other = MemoryFilter(data, self.scope, self.fixed, is_past=self.is_past)
        other.checked, other.looks_once = self.checked, once
        return other


def _sources(values: Sequence[str]) -> list[str]:
    return ["" if source == NONE else source for source in values]
