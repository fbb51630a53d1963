from django.core.management.base import BaseCommand, CommandError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Status
from memory.write.proposal import InvalidInput, Proposal
from memory.write.queue import QueueTimeout
from memory.write.remember import remember


class Command(BaseCommand):
    help = "Write a memory."

    def add_arguments(self, parser):
        parser.add_argument("text")
        parser.add_argument("--user", required=True)
        parser.add_argument("--agent", default="")
        parser.add_argument("--session", default="")
        parser.add_argument("--reason", default="")
        add_workspace_argument(parser)

    def handle(self, *, text: str, user: str, agent: str, session: str, reason: str, **options):
        scope = command_scope(options["workspace"], user)
        proposal = Proposal(
            text=text, user_id=user, agent_id=agent, session_id=session, source="user_said"
        )
        try:
            outcome = remember(scope, [proposal], reason=reason).outcomes[0]
        except (InvalidInput, QueueTimeout) as error:
            raise CommandError(str(error)) from error
        memory, previous = outcome.memory, outcome.previous
        self.stdout.write(f"{outcome.action} {memory.public_id}")
        if memory.held_for:
            codes = ", ".join(dict.fromkeys(reason["code"] for reason in memory.held_for))
            self.stdout.write(f"held for: {codes}")
        if previous:
            replaced = previous.status == Status.SUPERSEDED
            self.stdout.write(f"{'instead of' if replaced else 'beside'}: {previous.text}")
