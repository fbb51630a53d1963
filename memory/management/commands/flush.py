from django.core.management.commands.flush import Command as Flush
from django.db import DEFAULT_DB_ALIAS, connection

from memory.index import storage


class Command(Flush):
    """Django's flush, which may also empty the append-only ledger: an operator who empties the
    whole database does so knowingly."""

    def handle(self, **options):
        ours = options["database"] == DEFAULT_DB_ALIAS and connection.vendor == "sqlite"
        if not ours or not storage.is_installed():
            return super().handle(**options)
        with storage.ledger_unguarded():
            return super().handle(**options)
