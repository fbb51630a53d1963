from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from memory.exchange.export import export
from memory.management.moment import read_moment
from memory.management.workspace import add_workspace_argument, command_scope


class Command(BaseCommand):
    help = (
        "Write the memories of every state as text: a file a user, a block a memory, a line a "
        "field, in an order that stays, for people and for git diff."
    )

    def add_arguments(self, parser):
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")
        parser.add_argument("--user", help="Only this one's file.")
        parser.add_argument("--as-of", help="The store as it was then: 2026-03-01T09:00+08:00")
        add_workspace_argument(parser)

    def handle(self, *, out: Path, user: str | None, **options):
        moment = read_moment("--as-of", options["as_of"])
        scope = command_scope(options["workspace"], user)
        try:
            written = export(scope, out, moment)
        except OSError as error:
            raise CommandError(f"cannot write {out}: {error.strerror}", returncode=2) from error
        self.stdout.write(f"{len(written)} files in {out}")
