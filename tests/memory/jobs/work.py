"""What the workers of the tests do, in processes of their own."""

import logging
import os
import signal
import sys

from memory.jobs import work
from memory.jobs.worker import Worker
from memory.write import intake
from memory.write.proposal import Proposal
from memory.write.remember import remember
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


def ten_words(kill_at: str = "0") -> None:
    """Carry out jobs that remember ten words, and be killed inside the so-maniest piece."""

    @work.runner("words", "Words", goes_on=True)
    def run(job, report) -> None:
        for number in range(job.done + 1, 11):
            with work.patient_transaction():
                written = remember(work.scope_of(job), [Proposal("ann", f"word number {number}")])
                report.row(number, written.outcomes[0].action)
                report(number, 10)
                if number == int(kill_at):
                    os.kill(os.getpid(), signal.SIGKILL)
            report.pause()

    once()
