"""Counting no further than a person is told of."""

from django.db.models import PositiveIntegerField, Subquery


class CappedCount(Subquery):
    """How many rows a sliced queryset of an outer row has, read no further than its slice."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = PositiveIntegerField()
