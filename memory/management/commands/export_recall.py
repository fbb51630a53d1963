import json
from pathlib import Path
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Recall
from memory.recall.sealed import export


class Command(BaseCommand):
    help = "Write one recall record as a document that verify_recall takes."

    def add_arguments(self, parser):
        parser.add_argument("recall_id", type=UUID)
        parser.add_argument(
            "--redact", action="store_true", help="Texts and names of people as hashes only."
        )
        parser.add_argument("--out", type=Path, help="The file to write; else it is printed.")
        add_workspace_argument(parser)

    def handle(self, *, recall_id: UUID, redact: bool, out: Path | None, **options):
        scope = command_scope(options["workspace"])
        record = Recall.objects.within(scope).filter(public_id=recall_id).first()
        if record is None:
            raise CommandError(f"no recall {recall_id} in this workspace")
        text = json.dumps(export(record, redact), ensure_ascii=False, indent=2)
        if out is None:
            self.stdout.write(text)
            return
        try:
            out.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"cannot write {out}: {error.strerror}", returncode=2) from error
