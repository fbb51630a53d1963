from argparse import BooleanOptionalAction
from itertools import count

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import translation
from django.utils.translation import gettext as _

from audit.questions.ask import Ran, live, run
from audit.questions.formats import FORMATS
from audit.questions.formats.text import headline
from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Scope, Workspace
from memory.write.queue import QueueTimeout

from .health import CouldNotRun, environment_language


class Command(BaseCommand):
    help = (
        "Ask the acceptance questions. Exit 0: all hold; 1: one does not, or there is none; "
        "2: could not run."
    )
    # A failed system check would exit with 1, which here means something else.
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("--format", choices=FORMATS, default="text")
        parser.add_argument("--user", help="Only the questions of this user.")
        parser.add_argument(
            "--save",
            action=BooleanOptionalAction,
            default=True,
            help="Keep the results and the records of the recalls.",
        )
        parser.add_argument(
            "--lang",
            choices=[code for code, _name in settings.LANGUAGES],
            help="Language of the answer; default: that of the environment.",
        )
        add_workspace_argument(parser)

    def handle(self, *, format, user, save, lang, workspace, **options):
        with translation.override(lang or environment_language()):
            try:
                scope = command_scope(workspace, user)
                ran = self._ran(scope, save)
                name = Workspace.objects.get(pk=scope.workspace_id).name
                self.stdout.write(FORMATS[format](name, ran))
            except CommandError:
                raise
            except DatabaseError as error:
                raise CouldNotRun(f"{error}; is the database migrated?") from error
            except QueueTimeout as error:
                raise CouldNotRun(str(error)) from error
            except Exception as error:
                raise CouldNotRun(f"{type(error).__name__}: {error}") from error
            told = headline(ran)
        if not ran.passed:
            raise CommandError(f"questions: {told}", returncode=1)

    def _ran(self, scope: Scope, save: bool) -> Ran:
        questions = list(live(scope))
        steps = count(1)

        def progress(done: int) -> None:
            # A short suite is over before anybody wonders; progress is no part of the result.
            if next(steps) > 1 or done < len(questions):
                total = {"done": done, "total": len(questions)}
                self.stderr.write(_("asked %(done)d of %(total)d") % total)

        return run(scope, questions, keep=save, progress=progress)
