import argparse
import json
import os
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from audit.health.check import Severity
from audit.health.formats import FORMATS
from audit.hygiene.clean import NotCleaned
from audit.hygiene.lab import Look, Refused, look_at
from memory.exchange.formats import AUTO, formats
from memory.exchange.source import FormatError

from .health import environment_language

PRINTED = ("text", "json", "html")
SHOWN = 20


class Command(BaseCommand):
    help = (
        "The health report on another system's export, with a plan to clean it up. Nothing of it "
        "is stored. Exit 0: nothing at or above --fail-on; 1: something; 2: could not run."
    )
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", default=AUTO, choices=[AUTO, *formats()])
        parser.add_argument("--out-plan", type=Path, metavar="FILE", help="The plan, as JSON")
        parser.add_argument(
            "--clean",
            type=Path,
            metavar="FILE",
            help="The export cleaned, in its own format (mem0 JSON or JSON lines)",
        )
        parser.add_argument("--keep-personal-data", action="store_true", help="Mask secrets alone")
        parser.add_argument("--format-report", choices=PRINTED, default="text")
        parser.add_argument("--fail-on", choices=Severity.ORDER[1:], default=Severity.ERROR)
        parser.add_argument("--lang", choices=[code for code, _ in settings.LANGUAGES])
        parser.add_argument("--inside", help=argparse.SUPPRESS)

    def handle(self, *, file: Path, inside: str | None, lang: str | None, **options):
        if inside is not None:
            self._look_over(file, inside, options["format"])
            return
        with translation.override(lang or environment_language()):
            try:
                look = look_at(file, form=options["format"], say=self.stderr.write)
                self._write(look, file, options)
            except (Refused, NotCleaned) as error:
                raise CommandError(f"{file}: {error}", returncode=2) from error
            except OSError as error:
                told = f"cannot write {error.filename}: {error.strerror}"
                raise CommandError(told, returncode=2) from error
            self._print(look, options["format_report"], options["fail_on"])
        if Severity.reaches(look.report.worst, options["fail_on"]):
            raise CommandError(f"hygiene: {look.report.worst}", returncode=1)

    def _write(self, look: Look, file: Path, options: dict) -> None:
        if options["clean"]:
            personal = not options["keep_personal_data"]
            _private(options["clean"], look.cleaned(file.read_bytes(), personal=personal))
        if options["out_plan"]:
            text = json.dumps(look.plan_document(), ensure_ascii=False, indent=1)
            _private(options["out_plan"], text.encode())

    def _print(self, look: Look, form: str, fail_on: str) -> None:
        self.stdout.write(FORMATS[form]([look.report], fail_on))
        if form != "text":
            return
        self.stdout.write(f"\n{look.format}: {look.rows} memories, {len(look.rejects)} unreadable")
        for action, count in look.actions.items():
            self.stdout.write(f"  {action}: {count}")
        for step in look.steps[:SHOWN]:
            name = look.ids.get(step.place, "")
            self.stdout.write(f"  row {step.place[0]} {name} {step.action}: {step.reason}")
        if (more := len(look.steps) - SHOWN) > 0:
            self.stdout.write(f"  and {more} more; --out-plan writes them all")

    def _look_over(self, file: Path, name: str, form: str) -> None:
        """Within the store that is thrown away."""
        from audit.hygiene.inside import look_over

        call_command("migrate", verbosity=0, interactive=False)
        try:
            told = look_over(
                file, name, form, lambda what, count: self.stderr.write(f"{what} {count or ''}")
            )
        except FormatError as error:
            told = {"refused": {"code": error.code, "message": str(error)}}
        self.stdout.write(json.dumps(told))


def _private(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
