import json
from pathlib import Path
from uuid import UUID

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from memory.index import backup, upkeep
from memory.models import Scope, Workspace
from memory.write.erase.road import erase
from memory.write.ledger import walk
from memory.write.revise import NotFound, find


class Command(BaseCommand):
    help = (
        "Look the whole store over: the database's pages and links, every row of the search "
        "indexes, every entry of the ledger. Prints JSON. Exit 1: something is wrong."
    )
    # A failed system check would exit with 1, which here means something else.
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument(
            "--settle",
            type=Path,
            metavar="FILE",
            help="First bring it up to this release, and erase the memories whose ids (JSON) are "
            "in the file: for a store that is being restored.",
        )

    def handle(self, *, settle: Path | None = None, **options):
        erased = _settled(settle) if settle else 0
        wrong = backup.complaints(backup.store_path())
        drift = sum(1 for _ in upkeep.drift())
        found = walk()
        if drift:
            wrong.append(f"the search indexes differ from the tables in {drift} places")
        if found.broken:
            wrong.append(f"entry {found.broken.number} of the ledger {found.broken.what}")
        told = {
            "wrong": wrong,
            "ledger": {"entries": found.entries, "head": found.head},
            "erased": erased,
        }
        self.stdout.write(json.dumps(told, ensure_ascii=False))
        if wrong:
            raise CommandError("; ".join(wrong), returncode=1)


def _settled(file: Path) -> int:
    call_command("migrate", verbosity=0, interactive=False)
    done = 0
    for memory_id in map(UUID, json.loads(file.read_text(encoding="utf-8"))):
        for workspace in Workspace.objects.all():
            scope = Scope(workspace.pk, "command", "command")
            try:
                erase(scope, find(scope, memory_id), "was erased before a restore")
            except NotFound:
                continue
            done += 1
    return done
