"""The worker as a child of a server that one person started."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

STOP_SECONDS = 5


@contextmanager
def worker_beside() -> Iterator[subprocess.Popen]:
    """A worker as long as the block lasts. It also ends when this process is killed."""
    command = [sys.executable, "-m", "django", "worker", "--beside", str(os.getpid())]
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": settings.SETTINGS_MODULE}
    # In a group of its own: Ctrl-C in the terminal stops the server, which then stops this.
    child = subprocess.Popen(  # noqa: S603  (nothing in it comes from outside)
        command, cwd=settings.BASE_DIR, env=environment, start_new_session=True
    )
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # It was at something that it may be killed in.
            child.kill()
            child.wait()
