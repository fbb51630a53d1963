from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from memory.index.backup import store_path
from memory.management.backups import BackupError, restore_backup


class Command(BaseCommand):
    help = (
        "Put a backup in the place of the store, after checking all of it. The server and the "
        "worker must be stopped. What was erased since stays erased; the old file is kept aside."
    )
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("folder", type=Path)
        parser.add_argument("--force", action="store_true", help="Also over a store with rows")
        parser.add_argument(
            "--with-secrets", action="store_true", help="Give back the pepper and the secret key"
        )

    def handle(self, *, folder: Path, force: bool, with_secrets: bool, **options):
        try:
            done = restore_backup(
                folder,
                store_path(),
                force=force,
                with_secrets=with_secrets,
                say=self.stdout.write,
            )
        except (BackupError, OSError, DatabaseError) as error:
            raise CommandError(str(error)) from error
        finally:
            connections.close_all()
        self.stdout.write(self.style.SUCCESS("restored"))
        if done.aside:
            self.stdout.write(f"the store that was there: {done.aside}")
        if done.erased:
            self.stdout.write(f"erased again, as they were since: {done.erased}")
        for left in done.left:
            self.stdout.write(self.style.WARNING(f"was not in the backup: {left}"))
