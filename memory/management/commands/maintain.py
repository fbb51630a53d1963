from django.core.management.base import BaseCommand
from django.db import connection

from memory.jobs.upkeep import upkeep
from memory.write.sweep import expire_due


class Command(BaseCommand):
    help = (
        "Upkeep at once, as the worker does it now and then: expire what is due, give memories the "
        "end that their policy makes, merge the indexes, fold the log."
    )

    def add_arguments(self, parser):
        parser.add_argument(
            "--optimise", action="store_true", help="Merge each index into one piece (off-peak)."
        )

    def handle(self, *, optimise: bool, **options):
        done = upkeep(optimise=optimise)
        self.stdout.write(f"another end by policy {done.redated}")
        self.stdout.write(f"expired {expire_due()}")
        self.stdout.write(
            f"write-ahead log {done.log_bytes:,} bytes, "
            f"{'folded in' if done.folded else 'in use by a reader'}"
        )
        connection.close()
