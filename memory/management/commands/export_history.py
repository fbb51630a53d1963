from django.core.management.base import BaseCommand

from memory.exchange.history import stream
from memory.management.moment import read_moment
from memory.management.workspace import add_workspace_argument, command_scope


class Command(BaseCommand):
    help = (
        "Write the ledger as a git history, a commit a batch, for an empty repository: "
        "manage.py export_history | git -C DIR fast-import"
    )

    def add_arguments(self, parser):
        parser.add_argument("--user", help="Only this one's file.")
        parser.add_argument(
            "--since", help="One commit with the store as it was then, and what came after it."
        )
        add_workspace_argument(parser)

    def handle(self, *, user: str | None, since: str | None, **options):
        scope = command_scope(options["workspace"], user)
        # The stream is bytes: it counts them.
        out = getattr(self.stdout._out, "buffer", self.stdout._out)
        for piece in stream(scope, read_moment("--since", since)):
            out.write(piece)
        out.flush()
