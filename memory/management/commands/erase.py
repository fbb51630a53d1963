from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from memory.management.workspace import add_workspace_argument, command_scope
from memory.write.erase.certificate import PLACES
from memory.write.erase.road import erase, preview
from memory.write.erase.subject import Removed
from memory.write.plan import Conflict, StalePlan
from memory.write.queue import QueueTimeout
from memory.write.revise import Erased, NotFound, find


class Command(BaseCommand):
    help = (
        "Remove a memory's fact for good: every version, and its words wherever they lie. Without "
        "--yes only what would go is told. Exit 1: refused and nothing changed; 2: could not run."
    )

    def add_arguments(self, parser):
        parser.add_argument("memory_id", type=UUID)
        parser.add_argument("--reason", required=True)
        parser.add_argument("--yes", action="store_true", help="Do it; there is no way back.")
        add_workspace_argument(parser)

    def handle(self, *, memory_id: UUID, reason: str, yes: bool, **options):
        scope = command_scope(options["workspace"])
        if not reason.strip():
            raise CommandError("say a --reason", returncode=2)
        try:
            memory = find(scope, memory_id)
            if not yes:
                self._tell(preview(scope, memory))
                self.stdout.write("nothing has changed; --yes erases it for good")
                return
            done = erase(scope, memory, reason)
        except Erased as error:
            kept = error.erasure
            raise CommandError(
                f"was erased by {kept.actor} at {kept.at:%Y-%m-%d %H:%M}; "
                f"tombstone {kept.public_id}"
            ) from error
        except NotFound as error:
            raise CommandError(f"no memory {memory_id} in this workspace") from error
        except (Conflict, StalePlan, QueueTimeout) as error:
            raise CommandError(str(error)) from error
        counts = {name: done.erasure.removed.get(name, 0) for name in PLACES}
        self._tell(Removed(counts, done.erasure.removed.get("also", [])))
        self.stdout.write(f"erased as batch {done.applied.batch.public_id}")
        self.stdout.write(f"tombstone {done.erasure.public_id}")
        self.stdout.write(
            "the files are free of it"
            if done.scrubbed
            else "the files may still hold it; the worker frees them (manage.py worker --once)"
        )

    def _tell(self, removed: Removed) -> None:
        for name in PLACES:
            if removed.counts.get(name):
                self.stdout.write(f"{name.replace('_', ' ')}: {removed.counts[name]}")
        for memory_id in removed.also:
            self.stdout.write(f"also holds these words: {memory_id}")
