import json
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.models import Correction, CorrectionVerdict, Memory, Scope, Status
from memory.write.correction.preview import needed_count
from memory.write.correction.road import Choice, apply_correction, propose
from memory.write.plan import Applied, Conflict, StalePlan
from memory.write.proposal import InvalidInput
from memory.write.queue import QueueTimeout


class Command(BaseCommand):
    help = (
        "Correct in plain words: preview, or with --apply change exactly what was previewed. "
        "Exit 1: refused and nothing changed; 2: could not run."
    )

    def add_arguments(self, parser):
        parser.add_argument("text")
        parser.add_argument("--user", required=True)
        parser.add_argument("--agent", default="")
        parser.add_argument("--session", default="", help="Tells what is talked of.")
        parser.add_argument("--apply", action="store_true")
        parser.add_argument("--confirm", type=int, help="How many facts change, if more than one.")
        parser.add_argument("--memory", type=UUID, help="The candidate that is meant.")
        parser.add_argument("--value", help="What is right, where the text does not say it.")
        parser.add_argument("--reason", default="")
        parser.add_argument("--json", action="store_true")
        add_workspace_argument(parser)

    def handle(self, *, text: str, user: str, **options):
        scope = command_scope(options["workspace"], user)
        if options["value"] and not options["memory"]:
            raise CommandError("--value is about a --memory", returncode=2)
        try:
            found = propose(scope, text, session_id=options["session"], agent_id=options["agent"])
            applied = _applied(scope, found, options) if options["apply"] else None
        except (InvalidInput, Conflict, StalePlan, QueueTimeout) as error:
            raise CommandError(str(error)) from error
        told = _told(scope, found, applied)
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))
        else:
            self._print(told)

    def _print(self, told: dict[str, Any]) -> None:
        self.stdout.write(f"{told['verdict']}: {told['message']}")
        for name in ("targets", "candidates"):
            for row in told[name]:
                self.stdout.write(f"{name[:-1]} {row['id']}: {_arrow(row)}")
        if told["blocked"]:
            self.stdout.write(f"blocked: {told['count']} facts, at most {told['cap']}")
        elif told["batch_id"]:
            self.stdout.write(f"applied as batch {told['batch_id']}")
        elif told["confirm"]:
            self.stdout.write(
                f"nothing has changed; --apply --confirm {told['confirm']} applies it"
            )
        elif told["targets"]:
            self.stdout.write("nothing has changed; --apply applies it")


def _applied(scope: Scope, found: Correction, options: dict[str, Any]) -> Applied:
    choice = options["memory"] and Choice(options["memory"], options["value"])
    return apply_correction(
        scope,
        found,
        reason=options["reason"],
        confirm_count=options["confirm"],
        choice=choice or None,
    )


def _told(scope: Scope, found: Correction, applied: Applied | None) -> dict[str, Any]:
    open_to_apply = applied is None and found.verdict == CorrectionVerdict.CORRECTION
    return {
        "id": str(found.public_id),
        "verdict": str(found.verdict),
        "reason": found.reason,
        "message": found.message,
        "targets": _rows(scope, found.targets),
        "candidates": _rows(scope, found.candidates),
        "count": found.count,
        "cap": found.cap,
        "blocked": found.blocked,
        "confirm": needed_count(found) if open_to_apply else None,
        "batch_id": str(applied.batch.public_id) if applied else None,
    }


def _rows(scope: Scope, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    wanted = [entry["id"] for entry in entries]
    rows = Memory.objects.within(scope).filter(public_id__in=wanted)
    texts = {str(row.public_id): row.text for row in rows}
    return [{"id": e["id"], "text": texts.get(e["id"], ""), "set": e["set"]} for e in entries]


def _arrow(row: dict[str, Any]) -> str:
    if row["set"].get("status") == Status.RETRACTED:
        return f"{row['text']} → retracted"
    return f"{row['text']} → {row['set'].get('value', '?')}"
