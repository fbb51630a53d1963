from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.write.erase.certificate import (
    LIMIT,
    NoCertificate,
    read_certificate,
    verify_certificate,
)

STORES = {
    "equal": "its tombstones and entries of the ledger stand in this store",
    "differs": "this store says something else of this erasure",
    "missing": "this store has no such erasure",
    "not_asked": "no store was asked",
}


class Command(BaseCommand):
    help = (
        "Whether the certificate of an erasure (JSON or HTML) is as this installation made it, "
        "and what it says stands in the store. Exit 0: valid, 1: not, 2: could not be read."
    )

    # A failed system check would exit with 1, which here means something else.
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)
        parser.add_argument("--alone", action="store_true", help="Do not look into the store.")
        add_workspace_argument(parser)

    def handle(self, *, file: Path, alone: bool, **options):
        try:
            scope = None if alone else command_scope(options["workspace"])
            with file.open("rb") as opened:
                result = verify_certificate(read_certificate(opened.read(LIMIT + 1)), scope)
        except OSError as error:
            raise CommandError(f"cannot read {file}: {error.strerror}", returncode=2) from error
        except DatabaseError as error:
            raise CommandError(f"{error}; is the database migrated?", returncode=2) from error
        except NoCertificate as error:
            raise CommandError(f"{file}: {error}", returncode=2) from error
        signed = "as it was made" if result.signed else "NOT as this installation made it"
        self.stdout.write(f"{signed}: {STORES[result.in_store]}")
        if not result.valid:
            raise CommandError(f"{file}: not valid", returncode=1)
