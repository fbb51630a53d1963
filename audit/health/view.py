"""Reading the store as it is at one moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_view() -> Iterator[None]:
    """All reads inside see the store as the first of them saw it, and hold up no writer.

    Without it a write between two reads looks like drift. Writes open with BEGIN IMMEDIATE here,
    which would take the writers' lock for as long as a report takes: hence DEFERRED.
    """
    mode, connection.transaction_mode = connection.transaction_mode, "DEFERRED"
    try:
        with transaction.atomic():
            yield
    finally:
        connection.transaction_mode = mode
