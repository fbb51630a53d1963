from django.core.management.base import BaseCommand, CommandError

from memory.write.ledger import contains, walk


class Command(BaseCommand):
    help = (
        "Walk the ledger's hash chain; names the first broken entry. Exit 1: it does not hold, "
        "or does not contain what --contains asks for."
    )

    def add_arguments(self, parser):
        parser.add_argument(
            "--contains",
            metavar="HASH",
            help="A head that was printed earlier: that a tail was cut off shows in nothing else.",
        )

    def handle(self, *, contains: str | None = None, **options):
        found = walk()
        if found.broken:
            row = found.broken.row
            raise CommandError(
                f"entry {row.id} ({row.action} {row.memory_id}, {row.at}) {found.broken.what}",
                returncode=1,
            )
        self.stdout.write(self.style.SUCCESS("every entry of the ledger holds"))
        self.stdout.write(f"entries: {found.entries}")
        self.stdout.write(f"head: {found.head}")
        if contains is not None:
            self._look_for(contains.strip().lower())

    def _look_for(self, head: str) -> None:
        if not contains(head):
            raise CommandError(f"no entry bears the hash {head}", returncode=1)
        self.stdout.write(self.style.SUCCESS(f"{head} is in the chain"))
