"""One write is one transaction, taken in turn."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from . import queue


@contextmanager
def write_transaction() -> Iterator[None]:
    """Wait in the queue, then BEGIN IMMEDIATE; commit or roll back as a whole."""
    with queue.turn(), transaction.atomic():
        yield
