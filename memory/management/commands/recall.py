import json

from django.core.management.base import BaseCommand, CommandError

from memory.index.turns import TurnHit
from memory.management.moment import read_moment
from memory.management.workspace import add_workspace_argument, command_scope
from memory.recall import PROFILES, Answer, InvalidRequest, Ranked, RecallRequest, recall
from memory.recall.answer import as_dict
from memory.recall.request import DEFAULT_TURNS
from memory.recall.turn_rank import RankedTurn
from memory.write.draft import one_sentence
from memory.write.queue import QueueTimeout


class Command(BaseCommand):
    help = "What an agent would be given for a question, and why."

    def add_arguments(self, parser):
        parser.add_argument("question")
        parser.add_argument("--user", required=True)
        parser.add_argument("--agent", default="")
        parser.add_argument("--as-of", help="The store as it was then: 2026-03-01T09:00+08:00")
        parser.add_argument("--limit", type=int, default=8)
        parser.add_argument("--turns", type=int, default=DEFAULT_TURNS, help="0: none")
        parser.add_argument("--profile", default="balanced", choices=sorted(PROFILES))
        parser.add_argument("--explain", action="store_true")
        parser.add_argument("--json", action="store_true")
        add_workspace_argument(parser)

    def handle(self, *, question: str, user: str, **options):
        moment = read_moment("--as-of", options["as_of"])
        request = RecallRequest(
            command_scope(options["workspace"], user),
            question,
            agent_id=options["agent"],
            as_of=moment,
            limit=options["limit"],
            turns=options["turns"],
            profile=options["profile"],
        )
        try:
            answer = recall(request)
        except (InvalidRequest, QueueTimeout) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_dict(answer), ensure_ascii=False, indent=2))
            return
        self.stdout.write(answer.context.text or "(nothing)")
        if options["explain"]:
            self._explain(answer)

    def _explain(self, answer: Answer) -> None:
        used = ", ".join(term.text for term in answer.query.terms)
        dropped = ", ".join(f"{text} ({reason})" for text, reason in answer.query.dropped)
        self.stdout.write(f"\nterms used: {used or '-'}\nterms dropped: {dropped or '-'}")
        if near := answer.near:
            problem = f" gave no answer ({near.problem}): words alone" if near.problem else ""
            self.stdout.write(f"meaning: {near.model}{problem}")
        for number, item in enumerate(answer.items, start=1):
            self.stdout.write(f"{number}. {_why(item)}\n   {item.memory.text}")
        for number, item in enumerate(answer.turns, start=1):
            self.stdout.write(f"turn {number}. {_why(item)}\n   {_said(item.turn)}")
        for drop in answer.dropped:
            self.stdout.write(f"-  dropped at {drop.gate}: {drop.reason}\n   {drop.memory.summary}")
        for drop in answer.dropped_turns:
            self.stdout.write(
                f"-  turn dropped at {drop.gate}: {drop.reason}\n   {_said(drop.turn)}"
            )
        self.stdout.write(f"{answer.took_ms:.1f} ms, record {answer.record.public_id}")


def _why(item: Ranked | RankedTurn) -> str:
    parts = " + ".join(f"{name} {value:.3f}" for name, value in item.parts.items())
    matched = ", ".join(match.term for match in item.matches)
    cosine = getattr(item, "cosine", None)
    near = "" if cosine is None else f"; cosine {cosine:.3f}"
    return f"{item.score:.3f} = {parts}; matched {matched}{near}"


def _said(turn: TurnHit) -> str:
    return f"{turn.role}: {one_sentence(turn.content)}"
