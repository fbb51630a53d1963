"""Memories of a list, and how many it shows."""

import re

from tests.factories import remember

from .pages_kit import text_of


def rows_in(response) -> int:
    return len(re.findall(r'<td class="statement[ "]', text_of(response)))


def many(count: int, **fields) -> None:
    for n in range(count):
        remember(
            text=f"note {n:03}", entity=f"item {n}", attribute="colour", value=f"v{n}", **fields
        )
