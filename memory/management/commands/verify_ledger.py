from django.core.management.base import BaseCommand, CommandError

from memory.write.ledger import first_break


class Command(BaseCommand):
    help = "Walk the ledger's hash chain; names the first broken entry."

    def handle(self, **options):
        found = first_break()
        if found:
            entry = found.entry
            raise CommandError(
                f"entry {entry.pk} ({entry.action} {entry.memory_id}, {entry.at:%Y-%m-%d %H:%M}) "
                f"{found.what}",
                returncode=1,
            )
        self.stdout.write(self.style.SUCCESS("every entry of the ledger holds"))
