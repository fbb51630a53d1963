"""A command of ours run on another data folder, in a process of its own."""

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

# What a store in another folder is not to do: ask a model, or share this one's cache.
_ALONE = {
    "MASE_EMBEDDING": "", "MASE_MODEL_URL": "", "MASE_CACHE_URL": "", "MASE_PRODUCTION": "false",
    "MASE_LOG_LEVEL": "ERROR",
}  # fmt: skip


class Failed(Exception):
    """The command did not do its work; the message is what it said last."""


def store_in(folder: Path) -> Path:
    """Where a data folder has its database."""
    return folder / "mase.sqlite3"


def run_in(
    folder: Path,
    *command: str,
    seconds: float,
    say: Callable[[str], None] = lambda line: None,
    pepper: str = "",
) -> str:
    """What a command prints that works on the data folder `folder`, with this installation's
    secrets or another `pepper`. Each line of its errors is passed to `say`. Raises `Failed`, also
    after `seconds`."""
    environment = (
        os.environ
        | _ALONE
        | {
            "MASE_DATA_DIR": str(folder),
            "MASE_PEPPER": pepper or settings.PEPPER,
            "MASE_SECRET_KEY": settings.SECRET_KEY,
        }
    )
    child = subprocess.Popen(  # noqa: S603  (nothing in it comes from outside)
        [sys.executable, "-m", "django", *command],
        cwd=settings.BASE_DIR, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        start_new_session=True,
    )  # fmt: skip
    return _heard(child, seconds, say)


def _heard(child: subprocess.Popen, seconds: float, say: Callable[[str], None]) -> str:
    told: deque[str] = deque(maxlen=5)
    is_late = threading.Event()

    def listen() -> None:
        for line in child.stderr:
            told.append(line.rstrip())
            say(line.rstrip())

    def end() -> None:
        is_late.set()
        child.kill()

    listener, clock = threading.Thread(target=listen, daemon=True), threading.Timer(seconds, end)
    listener.start()
    clock.start()
    try:
        said = child.stdout.read()
        child.wait()
        listener.join()
    finally:
        clock.cancel()
        child.kill()
        child.wait()
        for stream in (child.stdout, child.stderr):
            stream.close()
    if is_late.is_set():
        raise Failed(f"took longer than {seconds:g} seconds")
    if child.returncode:
        raise Failed("; ".join(told) or f"ended with {child.returncode}")
    return said
