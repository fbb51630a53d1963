from django.core.management.commands.flush import Command as Flush
from django.db import connections

from memory.index import schema


class Command(Flush):
    """Django's flush, which may also empty the append-only ledger: an operator who empties the
    whole database does so knowingly."""

    def handle(self, **options):
        connection = connections[options["database"]]
        guarded = (
            connection.vendor == "sqlite"
            and "memory_change" in connection.introspection.table_names()
        )
        if not guarded:
            return super().handle(**options)
        with connection.cursor() as cursor:
            for statement in schema.UNGUARD:
                cursor.execute(statement)
        try:
            super().handle(**options)
        finally:
            with connection.cursor() as cursor:
                for statement in schema.GUARD:
                    cursor.execute(statement)
