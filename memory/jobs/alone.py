"""One process at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def alone(name: str) -> Iterator[bool]:
    """True within, for one process of this store at a time; the kernel takes the lock from a
    process that was killed."""
    path = f"{connection.settings_dict['NAME']}.job-{name}"
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
