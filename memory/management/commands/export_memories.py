import os
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from memory.exchange.choice import choose
from memory.exchange.out import FORMS, write
from memory.management.moment import read_moment
from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Kind, Status


class Command(BaseCommand):
    help = (
        "Export memories: jsonl (loses nothing, can be imported again), csv (for a spreadsheet) or "
        "markdown (a zip of notes, one an entity). Without filters of every state and kind."
    )

    def add_arguments(self, parser):
        parser.add_argument("--format", choices=sorted(FORMS), required=True)
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument("--user", help="Only this one's.")
        parser.add_argument("--status", action="append", choices=Status.values, default=[])
        parser.add_argument("--kind", action="append", choices=Kind.values, default=[])
        parser.add_argument("--since", help="What happened from then on: 2026-03-01T09:00+08:00")
        parser.add_argument("--until", help="And before then.")
        parser.add_argument("--as-of", help="The store as it was then.")
        parser.add_argument("--with-ledger", action="store_true", help="jsonl of a whole workspace")
        parser.add_argument("--bom", action="store_true", help="csv that Excel knows for UTF-8")
        add_workspace_argument(parser)

    def handle(self, *, out: Path, **options):
        chosen = choose(
            command_scope(options["workspace"], options["user"]),
            statuses=options["status"],
            kinds=options["kind"],
            since=read_moment("--since", options["since"]),
            until=read_moment("--until", options["until"]),
            moment=read_moment("--as-of", options["as_of"]),
        )
        form = options["format"]
        try:
            self._write(form, out, chosen, _extras(form, options))
        except ValueError as error:
            raise CommandError(str(error), returncode=2) from error
        except OSError as error:
            raise CommandError(f"cannot write {out}: {error.strerror}", returncode=2) from error
        self.stdout.write(f"{out}: {out.stat().st_size:,} bytes")

    def _write(self, form: str, out: Path, chosen, extras: dict[str, bool]) -> None:
        """Whole or not at all, and for nobody else to read."""
        partial = out.with_name(f".{out.name}.partial")
        try:
            with os.fdopen(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as f:
                write(form, f, chosen, **extras)
            partial.replace(out)
        finally:
            partial.unlink(missing_ok=True)


def _extras(form: str, options: dict) -> dict[str, bool]:
    given = {"with_ledger": "jsonl", "bom": "csv"}
    for name, of in given.items():
        if options[name] and form != of:
            told = name.replace("_", "-")
            raise CommandError(f"--{told} is for {of} alone", returncode=2)
    return {name: options[name] for name, of in given.items() if form == of}
