"""Rows by their keys, thousands of them."""

import json
from collections.abc import Iterable

from django.db.models.expressions import RawSQL


def among(keys: Iterable[int]) -> RawSQL:
    """For `pk__in`: one parameter, however many keys. With one for each of 10,000, compiling and
    binding them took 30 ms a query, and a page asks several."""
    return RawSQL("SELECT value FROM json_each(%s)", (json.dumps(list(keys)),))
