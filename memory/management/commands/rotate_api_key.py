from django.core.management.base import BaseCommand, CommandError

from memory.management.workspace import add_workspace_argument, chosen_workspace
from memory.models import ApiKey
from memory.write.transaction import write_transaction

MOST_DAYS = 90


class Command(BaseCommand):
    help = (
        "Make a new API key in the place of one, and print it, once. The old one lives on for a "
        "while, so that nobody is cut off."
    )

    def add_arguments(self, parser):
        parser.add_argument("key", help="Its name, or what it begins with (mase_1a2b3c4d).")
        parser.add_argument(
            "--days", type=int, default=7, help="How long the old one lives on; 0: not at all."
        )
        add_workspace_argument(parser)

    def handle(self, *, key: str, days: int, **options):
        if not 0 <= days <= MOST_DAYS:
            raise CommandError(f"--days is a number from 0 to {MOST_DAYS}")
        workspace = chosen_workspace(options["workspace"])
        try:
            with write_transaction():
                made, text = ApiKey.objects.rotate(self._found(workspace, key), days)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text)
        old = made.replaces
        old.refresh_from_db()
        self.stderr.write(f"It cannot be shown again. {old} ends {old.expires_at.isoformat()}.")

    def _found(self, workspace, named: str) -> ApiKey:
        rows = workspace.keys.filter(revoked_at=None, replaced_by=None)
        live = [row for row in rows if row.is_live and named in (row.name, f"mase_{row.prefix}")]
        if not live:
            raise CommandError(f"no key {named!r} is in use in workspace {workspace.name}")
        if len(live) > 1:
            told = ", ".join(f"mase_{row.prefix}" for row in live)
            raise CommandError(f"several keys have this name: {told}")
        return live[0]
