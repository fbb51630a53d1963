import json
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Kind
from memory.recall import PROFILES, InvalidRequest, RecallRequest
from memory.recall.request import DEFAULT_BUDGET, DEFAULT_LIMIT
from memory.recall.why_not import WhyNot, as_dict, why_not
from memory.write.revise import NotFound


class Command(BaseCommand):
    help = "Why a question does not recall a memory, and the smallest change by which it would."

    def add_arguments(self, parser):
        parser.add_argument("question")
        parser.add_argument("memory_id", type=UUID)
        parser.add_argument("--user", required=True)
        parser.add_argument("--agent", default="")
        parser.add_argument("--kind", action="append", default=[], choices=Kind.values)
        parser.add_argument("--domain", action="append", default=[])
        parser.add_argument("--limit", type=int, default=DEFAULT_LIMIT)
        parser.add_argument("--budget", type=int, default=DEFAULT_BUDGET, help="In tokens.")
        parser.add_argument("--profile", default="balanced", choices=sorted(PROFILES))
        parser.add_argument("--json", action="store_true")
        add_workspace_argument(parser)

    def handle(self, *, question: str, memory_id: UUID, user: str, **options):
        request = RecallRequest(
            command_scope(options["workspace"], user),
            question,
            agent_id=options["agent"],
            limit=options["limit"],
            kinds=options["kind"],
            domains=options["domain"],
            profile=options["profile"],
            budget_tokens=options["budget"],
        )
        try:
            answer = why_not(request, memory_id, within=command_scope(options["workspace"]))
        except InvalidRequest as error:
            raise CommandError(str(error)) from error
        except NotFound as error:
            raise CommandError(f"no memory {memory_id} in this workspace") from error
        if options["json"]:
            self.stdout.write(json.dumps(as_dict(answer), ensure_ascii=False, indent=2))
        else:
            self._tell(answer)

    def _tell(self, answer: WhyNot) -> None:
        self.stdout.write(answer.memory.text)
        if answer.found:
            self.stdout.write(f"is recalled, at rank {answer.rank}")
            return
        asked = ", ".join(term.text for term in answer.query_terms)
        rows = [f"[{' '.join(term.bigrams)}]" for term in answer.query_terms if term.bigrams]
        shared = ", ".join(f"{match.term} ({match.how})" for match in answer.shared)
        held = answer.memory_terms
        self.stdout.write(f"dropped at {answer.gate}: {answer.reason}")
        self.stdout.write(f"question: {asked or '-'}; in a row: {' '.join(rows) or '-'}")
        self.stdout.write(
            f"memory: {', '.join(held.words) or '-'}; in a row: {' '.join(held.bigrams) or '-'}"
        )
        self.stdout.write(f"shared: {shared or '-'}")
        for number, advice in enumerate(answer.advice, start=1):
            self.stdout.write(f"{number}. {advice.sentence}")
        if not answer.advice:
            self.stdout.write("no change is known that would recall it")
