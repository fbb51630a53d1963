import json
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils import translation
from django.utils.dateparse import parse_datetime

from audit.diagnose.case import Case, open_case
from audit.diagnose.registry import symptoms
from audit.diagnose.run import diagnose
from audit.diagnose.told import as_dict, as_text
from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Recall, ScopeError
from memory.recall import InvalidRequest
from memory.write.revise import NotFound

from .health import environment_language


class Command(BaseCommand):
    help = (
        "Why an answer went wrong: asks retrieval, rank, freshness, context and model, in this "
        "order, and names the first cause. Changes nothing. Exit 2: could not run."
    )

    def add_arguments(self, parser):
        parser.add_argument("symptom", choices=symptoms())
        parser.add_argument("question", nargs="?", default="")
        parser.add_argument("--user")
        parser.add_argument("--agent", default="")
        parser.add_argument("--session", default="")
        parser.add_argument("--as-of", help="The store as it was then: 2026-03-01T09:00+08:00")
        parser.add_argument("--recall", type=UUID, help="A recall record, instead of a question.")
        parser.add_argument("--expected", type=UUID, help="The memory that it is about.")
        parser.add_argument("--answer", default="", help="What the model said.")
        parser.add_argument("--format", choices=["text", "json"], default="text")
        parser.add_argument(
            "--lang",
            choices=[code for code, _ in settings.LANGUAGES],
            help="Language of the report; default: that of the environment.",
        )
        add_workspace_argument(parser)

    def handle(self, *, symptom, lang, **options):
        with translation.override(lang or environment_language()):
            try:
                found = diagnose(symptom, _case(**options))
            except (InvalidRequest, ScopeError) as error:
                raise CommandError(str(error), returncode=2) from error
            except NotFound as error:
                raise CommandError(f"not in this workspace: {error}", returncode=2) from error
            if options["format"] == "json":
                self.stdout.write(json.dumps(as_dict(found), ensure_ascii=False, indent=2))
            else:
                self.stdout.write(as_text(found))


def _case(*, question, user, recall, expected, **options) -> Case:
    if bool(question) == bool(recall):
        raise CommandError("give a question with --user, or --recall", returncode=2)
    if question and not user:
        raise CommandError("whose memory? say --user", returncode=2)
    scope = command_scope(options["workspace"])
    as_of = options["as_of"] and parse_datetime(options["as_of"])
    if options["as_of"] and (as_of is None or as_of.tzinfo is None):
        raise CommandError("--as-of: a time with its offset", returncode=2)
    return open_case(
        scope,
        record=_record(Recall.objects.within(scope), recall) if recall else None,
        query=question,
        user_id=user,
        agent_id=options["agent"],
        session_id=options["session"],
        as_of=as_of or None,
        memory_id=expected,
        answer=options["answer"],
    )


def _record(rows: QuerySet, recall_id: UUID) -> Recall:
    found = rows.filter(public_id=recall_id).first()
    if found is None:
        raise NotFound(f"recall {recall_id}")
    return found
