from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from memory.management.backups import BackupError, make_backup


class Command(BaseCommand):
    help = (
        "Copy the whole store into a new folder while it goes on being used, check the copy "
        "(pages, links, indexes row by row, ledger) and write a manifest that proves it."
    )

    def add_arguments(self, parser):
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--with-secrets", action="store_true", help="Pepper, secret key and .env as well"
        )
        parser.add_argument("--with-images", action="store_true")

    def handle(self, *, folder: Path, with_secrets: bool, with_images: bool, **options):
        try:
            manifest = make_backup(
                folder, with_secrets=with_secrets, with_images=with_images, say=self.stdout.write
            )
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        counts = manifest["counts"]
        self.stdout.write(
            f"{folder}: {counts['memory_memory']} memories, {counts['memory_turn']} turns, "
            f"{manifest['ledger']['entries']} ledger entries"
        )
        self.stdout.write(f"ledger head: {manifest['ledger']['head']}")
        for left in manifest["left_out"]:
            self.stdout.write(self.style.WARNING(f"NOT in this backup: {left}"))
        if not with_secrets:
            self.stdout.write(
                self.style.WARNING(
                    "Keep the pepper elsewhere: without it no API key and no ledger entry of this "
                    "backup can be verified, and it cannot be restored."
                )
            )
