import os
import signal

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from memory.jobs.worker import Worker
from memory.text import segment
from memory.write.queue import QueueTimeout


class Command(BaseCommand):
    help = (
        "Background work: reads what was said for what is worth remembering, expires what is due, "
        "and so on. Runs beside the server until it is stopped; several may run at once."
    )

    def add_arguments(self, parser):
        parser.add_argument(
            "--once", action="store_true", help="Do what is due now, and end (for a timer)."
        )
        parser.add_argument(
            "--beside", type=int, metavar="PID", help="End when the process that started this has."
        )

    def handle(self, *, once: bool, beside: int | None, **options):
        worker = Worker(once=once, go_on=lambda: beside in (None, os.getppid()))
        before = {
            number: signal.signal(number, lambda *_: worker.stop())
            for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            segment.warm()
            worker.run()
        except (DatabaseError, QueueTimeout) as error:
            raise CommandError(str(error)) from error
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
