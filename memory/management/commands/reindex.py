from django.core.management.base import BaseCommand, CommandError

from memory.index import upkeep
from memory.index.embedding import EmbeddingError, embedder
from memory.management.progress import Line
from memory.write.embed import repair
from memory.write.transaction import write_transaction

SHOWN = 20


class Command(BaseCommand):
    help = (
        "Rebuild the search indexes from the table, and make each vector anew that is missing, of "
        "another model or of another text; or compare them row by row."
    )

    def add_arguments(self, parser):
        parser.add_argument(
            "--check", action="store_true", help="Change nothing; exit 1 when anything differs."
        )

    def handle(self, *, check: bool, verbosity: int, **options):
        if check:
            self._check()
            return
        total = upkeep.size()
        with (
            Line(self.stderr, "rows", quiet=not verbosity) as line,
            write_transaction(),
        ):
            done = upkeep.rebuild(lambda n: line(n, total))
        self.stdout.write(self.style.SUCCESS(f"reindexed {done} memories"))
        if model := embedder():
            try:
                with Line(self.stderr, "vectors", quiet=not verbosity) as line:
                    made = repair(model, line)
            except EmbeddingError as error:
                raise CommandError(f"vectors stopped, what was made is kept: {error}") from error
            self.stdout.write(self.style.SUCCESS(f"made {made} vectors by {model.name}"))

    def _check(self) -> None:
        found = [
            f"{drift.index}: {drift.what} {drift.public_id or drift.rowid}"
            for drift in upkeep.drift()
        ]
        if model := embedder():
            from memory.index.vectors import misfits

            found += [f"vector: {what} {memory.public_id}" for memory, what in misfits(model.name)]
        for line in found[:SHOWN]:
            self.stdout.write(line)
        if found:
            raise CommandError(
                f"{len(found)} differences; manage.py reindex repairs them", returncode=1
            )
        self.stdout.write(self.style.SUCCESS("the indexes say what the table says"))
