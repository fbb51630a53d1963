from django.core.management.base import BaseCommand
from django.db import connection

from memory.index import rows
from memory.index.storage import checkpoint, log_bytes
from memory.write import queue
from memory.write.sweep import expire_due


class Command(BaseCommand):
    help = "Upkeep, to be run by a timer: expire what is due, merge the indexes, fold the log."

    def add_arguments(self, parser):
        parser.add_argument(
            "--optimise", action="store_true", help="Merge each index into one piece (off-peak)."
        )

    def handle(self, *, optimise: bool, **options):
        expired = expire_due()
        with queue.turn():
            if optimise:
                rows.optimise()
            else:
                rows.merge_a_little(steps=64)
            before = log_bytes()
            folded = checkpoint()
        self.stdout.write(f"expired {expired}")
        self.stdout.write(
            f"write-ahead log {before:,} bytes, {'folded in' if folded else 'in use by a reader'}"
        )
        connection.close()
