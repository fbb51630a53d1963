"""What the workers of the tests do, in processes of their own."""

import logging
import os
import signal
import sys

from memory.jobs.worker import Worker
from memory.write import intake
from tests.memory.write.processes import say, wait_for_go


def once() -> None:
    Worker(once=True).run()


def until_told() -> None:
    """Work until SIGTERM, and say all that was worth a warning."""
    logging.basicConfig(stream=sys.stdout, level=logging.WARNING, force=True)
    worker = Worker()
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    wait_for_go()
    worker.run()
    say("stopped")


def die(where: str, at: str) -> None:
    """Work, and be killed at the so-maniest reading: while the model is asked, inside the
    transaction that stores what it found, or right after that."""
    module, name = {
        "asking": (intake.passage, "by_model"),
        "storing": (intake.Extraction, "save"),
        "stored": (intake, "read"),
    }[where]
    real, calls = getattr(module, name), []

    def deadly(*given, **named):
        calls.append(1)
        answer = real(*given, **named)
        if len(calls) == int(at):
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    setattr(module, name, deadly)
    once()
