"""Kinds of filters that the lists have beside the library's."""

import django_filters
from django import forms
from django.db.models import QuerySet

from .typed import bounds

# A typed range's sign and the lookup that it means.
_LOOKUPS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte", "=": "exact"}


class RangeFilter(django_filters.CharFilter):
    """A number in a range as it is typed: "<0.5", ">=3", "4". What is none chooses nothing."""

    def filter(self, rows: QuerySet, value: str) -> QuerySet:
        if not value:
            return rows
        try:
            sign, number = bounds(value)
        except ValueError:
            return rows.none()
        return rows.filter(**{f"{self.field_name}__{_LOOKUPS[sign]}": number})


class ManyField(forms.Field):
    """Any values, each sent under the same name; empty ones are none."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: list[str] | None) -> list[str]:
        return list(filter(None, value or ()))


class NoneOfFilter(django_filters.Filter):
    """The rows that have none of these values."""

    field_class = ManyField

    def filter(self, rows: QuerySet, value: list[str]) -> QuerySet:
        return rows.exclude(**{f"{self.field_name}__in": value}) if value else rows
