import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.recall.verify import (
    DOCUMENT_LIMIT,
    UnreadableDocument,
    Verification,
    as_dict,
    read_document,
    verify,
)

STORES = {
    "equal": "the record in this store says the same",
    "differs": "the record in this store differs",
    "erased": "an erasure took words out of the record in this store since",
    "missing": "this store has no such record",
    "not_asked": "no store was asked",
}


class Command(BaseCommand):
    help = (
        "Whether an exported recall record is as it was exported, and its record here still says "
        "the same. Exit 0: valid, 1: not, 2: could not be read."
    )

    # A failed system check would exit with 1, which here means something else.
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)
        parser.add_argument("--alone", action="store_true", help="Do not look into the store.")
        parser.add_argument("--json", action="store_true")
        add_workspace_argument(parser)

    def handle(self, *, file: Path, alone: bool, **options):
        try:
            scope = None if alone else command_scope(options["workspace"])
            with file.open("rb") as opened:
                result = verify(read_document(opened.read(DOCUMENT_LIMIT + 1)), scope)
        except OSError as error:
            raise CommandError(f"cannot read {file}: {error.strerror}", returncode=2) from error
        except DatabaseError as error:
            raise CommandError(f"{error}; is the database migrated?", returncode=2) from error
        except UnreadableDocument as error:
            raise CommandError(f"{file}: {error}", returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_dict(result), ensure_ascii=False, indent=2))
        else:
            self._tell(result)
        if not result.valid:
            raise CommandError(f"{file}: not valid", returncode=1)

    def _tell(self, result: Verification) -> None:
        self.stdout.write(f"{'valid' if result.valid else 'NOT VALID'}: {STORES[result.in_store]}")
        if result.differences:
            self.stdout.write(f"differs in: {', '.join(result.differences)}")
        if result.redacted:
            self.stdout.write(f"kept back as hashes: {', '.join(result.redacted)}")
        self.stdout.write(f"digest {result.digest}")
