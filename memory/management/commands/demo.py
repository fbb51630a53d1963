import json

from django.core.management import call_command
from django.core.management.base import BaseCommand

from memory.demo.account import account
from memory.demo.loader import load
from memory.management.beside import worker_beside


class Command(BaseCommand):
    help = (
        "Migrate, load the bilingual demo store, print an account and a key, and serve, with a "
        "worker beside."
    )

    def add_arguments(self, parser):
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--no-serve", action="store_true", help="Stop after printing.")
        parser.add_argument("--json", action="store_true", help="Print the facts as JSON.")

    def handle(self, *, port: int, host: str, no_serve: bool, **options):
        as_json = options["json"]
        call_command("migrate", verbosity=0, interactive=False)
        if not as_json:
            self.stdout.write("Loading the demo store …")
        workspace, steps = load(lambda n: as_json or self.stdout.write(f"  {n} steps"))
        facts = {
            "url": f"http://{host}:{port}/",
            **account(workspace),
            "workspace": workspace.name,
        }
        self.stdout.write(json.dumps(facts) if as_json else self._told(facts, steps))
        if not no_serve:
            self.stdout.flush()
            with worker_beside():
                call_command("runserver", f"{host}:{port}", use_reloader=False)

    def _told(self, facts: dict[str, str], steps: int) -> str:
        done = f"{steps} steps played" if steps else "already there"
        return (
            f"Demo store: {done}.\n\n"
            f"  console   {facts['url']}\n"
            f"  account   {facts['username']}\n"
            f"  password  {facts['password']}\n"
            f"  API key   {facts['api_key']}\n"
            f"  API docs  {facts['url']}api/v1/docs\n"
        )
