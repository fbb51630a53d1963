"""Real processes on the test's own database file.

They are forked from a server that has loaded the site and the dictionary and opened no database:
to load them takes 3 s, and the tests start dozens.
"""

import multiprocessing
import os
import signal
import sys
import threading
from importlib import import_module

from django.conf import settings
from django.db import connection

# Nobody has to wait longer for a process.
PATIENCE = 120
# What a process has of the settings of the test that starts it.
SETTINGS = ("PEPPER", "MODEL_URL", "MODEL_NAME")
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.memory.write.preloaded"])


class Started:
    """A process with standard input and output piped."""

    def __init__(self, work: str, arguments: list[str]):
        reads, self._to = _forks.Pipe(duplex=False)
        self._from, writes = _forks.Pipe(duplex=False)
        held = {name: getattr(settings, name) for name in SETTINGS}
        database = str(connection.settings_dict["NAME"])
        given = (reads, writes, database, held, work, arguments)
        self._process = _forks.Process(target=_run, args=given)
        self._process.start()
        reads.close()
        writes.close()
        self.stdin = os.fdopen(self._to.fileno(), "w", closefd=False)
        self.stdout = os.fdopen(self._from.fileno(), closefd=False)

    @property
    def returncode(self) -> int | None:
        """As of `subprocess`: less than nothing for who was killed."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self._process.pid, number)

    def ended(self) -> str:
        """What it prints to its end; it is killed when that does not come."""
        late = threading.Timer(PATIENCE, self._process.kill)
        late.start()
        try:
            self.stdin.close()
            self._to.close()
            printed = self.stdout.read()
            self._process.join()
        finally:
            late.cancel()
        self.stdout.close()
        self._from.close()
        return printed


def start(work: str, *arguments: object) -> Started:
    """Run `module:function` with text arguments in a new process."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mase_site.settings")
    return Started(work, [str(one) for one in arguments])


def _run(reads, writes, database: str, held: dict, work: str, arguments: list[str]) -> None:
    settings.DATABASES["default"]["NAME"] = database
    for name, value in held.items():
        setattr(settings, name, value)
    os.dup2(reads.fileno(), 0)
    os.dup2(writes.fileno(), 1)
    reads.close()
    writes.close()
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    module, name = work.split(":")
    getattr(import_module(module), name)(*arguments)


def say(line: str) -> None:
    print(line, flush=True)


def finished(process: Started) -> list[str]:
    """The lines that a process printed; it must have ended well."""
    printed = process.ended()
    assert process.returncode == 0
    return printed.splitlines()


def killed(process: Started) -> None:
    """Waits for a process that is to be killed by its own work."""
    process.ended()
    assert process.returncode == -signal.SIGKILL


def ready_then_go(processes: list[Started]) -> None:
    """Wait until each has said "ready", then let all go at once."""
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()


def wait_for_go() -> None:
    say("ready")
    sys.stdin.readline()
