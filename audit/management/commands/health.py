import os
from datetime import datetime

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import translation

from audit.health.check import Severity
from audit.health.figures import Report
from audit.health.formats import FORMATS
from audit.health.past import past_reports
from audit.health.report import run_reports, save_report
from memory.management.moment import read_moment
from memory.management.progress import Line
from memory.models import Scope, Workspace


class CouldNotRun(CommandError):
    def __init__(self, message: str):
        super().__init__(message, returncode=2)


class Command(BaseCommand):
    help = (
        "Report on the health of the store. Exit 0: nothing at or above --fail-on; "
        "1: something; 2: could not run."
    )
    # A failed system check would exit with 1, which here means something else.
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("--format", choices=FORMATS, default="text")
        parser.add_argument("--fail-on", choices=Severity.ORDER[1:], default=Severity.ERROR)
        parser.add_argument("--save", action="store_true", help="Keep the report.")
        parser.add_argument(
            "--as-of", help="The store as it was then (2026-03-01T09:00+08:00); cannot be kept."
        )
        parser.add_argument("--workspace", metavar="NAME", help="Only this one; default: all.")
        parser.add_argument(
            "--lang",
            choices=[code for code, _ in settings.LANGUAGES],
            help="Language of the report; default: that of the environment.",
        )

    def handle(self, *, format, fail_on, save, as_of, workspace, lang, **options):
        if save and as_of:
            raise CouldNotRun("a report of the past is not kept: --save or --as-of")
        moment = read_moment("--as-of", as_of)
        with translation.override(lang or environment_language()):
            try:
                reports = self._reports(workspace, save, moment, options["verbosity"])
                printed = FORMATS[format](reports, fail_on)
            except CouldNotRun:
                raise
            except DatabaseError as error:
                raise CouldNotRun(f"{error}; is the database migrated?") from error
            except Exception as error:
                raise CouldNotRun(f"{type(error).__name__}: {error}") from error
            self.stdout.write(printed)
        worst = Severity.worst(report.worst for report in reports)
        if Severity.reaches(worst, fail_on):
            raise CommandError(f"health: {worst}", returncode=1)

    def _reports(
        self, name: str | None, save: bool, as_of: datetime | None, verbosity: int
    ) -> list[Report]:
        workspaces = Workspace.objects.all()
        if name is not None:
            workspaces = workspaces.filter(name=name)
        scopes = [Scope(workspace.pk, "command", "command") for workspace in workspaces]
        if not scopes:
            raise CouldNotRun(f"no workspace {name!r}" if name else "there is no workspace yet")
        with Line(self.stderr, "steps", quiet=not verbosity) as line:
            reports = past_reports(scopes, as_of) if as_of else run_reports(scopes, progress=line)
        if save:
            for scope, report in zip(scopes, reports, strict=True):
                save_report(scope, report)
        return reports


def environment_language() -> str:
    """The first of LANGUAGE, LC_ALL, LC_MESSAGES and LANG that names a language of the project
    (gettext's own order), else the project's default."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        for locale in os.environ.get(name, "").split(":"):
            code = translation.to_language(locale.partition(".")[0])
            try:
                return translation.get_supported_language_variant(code)
            except LookupError:
                continue
    return settings.LANGUAGE_CODE
