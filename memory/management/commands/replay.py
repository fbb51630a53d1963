import json
from collections.abc import Mapping
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Memory, Recall
from memory.recall import InvalidRequest
from memory.recall.replay import Move, Replay, as_dict, replay


class Command(BaseCommand):
    help = "Ask a recorded recall again: of the store as it was, and as it is now."

    def add_arguments(self, parser):
        parser.add_argument("recall_id", type=UUID)
        parser.add_argument("--json", action="store_true")
        add_workspace_argument(parser)

    def handle(self, *, recall_id: UUID, **options):
        scope = command_scope(options["workspace"])
        record = Recall.objects.within(scope).filter(public_id=recall_id).first()
        if record is None:
            raise CommandError(f"no recall {recall_id} in this workspace")
        try:
            answer = replay(scope, record)
        except InvalidRequest as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(as_dict(answer), ensure_ascii=False, indent=2))
            return
        shown = {placed.memory_id for placed in (*answer.then, *answer.now)}
        rows = Memory.objects.within(scope).filter(public_id__in=shown)
        self._tell(answer, {row.public_id: row.text for row in rows})

    def _tell(self, answer: Replay, texts: Mapping[UUID, str]) -> None:
        record = answer.record
        same = "answers as recorded" if answer.equal else "does not answer as recorded"
        self.stdout.write(f"{record.query}\n{record.at:%Y-%m-%d %H:%M}: the store of then {same}")
        for title, ranking in (("then", answer.then), ("now", answer.now)):
            self.stdout.write(f"{title}:{'' if ranking else ' nothing'}")
            for placed in ranking:
                text = texts.get(placed.memory_id, "(gone)")
                self.stdout.write(f"{placed.rank}. {placed.score:.3f} {text}")
        for move in answer.moves:
            self._move(move, texts)

    def _move(self, move: Move, texts: Mapping[UUID, str]) -> None:
        was, is_now = move.was_rank or "-", move.now_rank or "-"
        text = texts.get(move.memory_id, "(gone)")
        self.stdout.write(f"{was} -> {is_now}, {move.cause.kind}: {text}")
        for batch in move.cause.batches:
            reason = f": {batch.reason}" if batch.reason else ""
            self.stdout.write(
                f"   {batch.verb} by {batch.actor}, {batch.at:%Y-%m-%d %H:%M}{reason}, "
                f"batch {batch.public_id}"
            )
        for change in move.cause.policies:
            policy = change.policy
            was, new = change.changes["half_life_hours"]
            self.stdout.write(
                f"   {policy} by {policy.actor}, {policy.at:%Y-%m-%d %H:%M}: "
                f"half-life {was} h -> {new} h"
            )
