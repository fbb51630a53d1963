from django.core.management.base import BaseCommand, CommandError

from memory.index import upkeep
from memory.write.transaction import write_transaction

SHOWN = 20


class Command(BaseCommand):
    help = "Rebuild the search indexes from the table, or compare them row by row."

    def add_arguments(self, parser):
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; exit 1 when anything differs."
        )

    def handle(self, *, check: bool, verbosity: int, **options):
        if check:
            self._check()
            return
        with write_transaction():
            done = upkeep.rebuild(lambda n: verbosity and self.stdout.write(f"{n} memories"))
        self.stdout.write(self.style.SUCCESS(f"reindexed {done} memories"))

    def _check(self) -> None:
        found = list(upkeep.drift())
        for drift in found[:SHOWN]:
            self.stdout.write(f"{drift.index}: {drift.what} {drift.public_id or drift.rowid}")
        if found:
            raise CommandError(
                f"{len(found)} differences; manage.py reindex repairs them", returncode=1
            )
        self.stdout.write(self.style.SUCCESS("the indexes say what the table says"))
