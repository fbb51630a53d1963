import importlib.util
import os

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from ninja.errors import AuthenticationError

from audit.health.tool import TOOL
from memory.mcp.toolbox import TOOLS

VARIABLE = "MASE_API_KEY"


class Command(BaseCommand):
    help = (
        "Serve the memory as MCP tools: on standard input and output, for a client that starts "
        f"this itself, with the key in {VARIABLE}; or with --http at /mcp, with the key as bearer."
    )

    def add_arguments(self, parser):
        parser.add_argument("--key", help=f"The API key; better in the variable {VARIABLE}.")
        parser.add_argument("--http", action="store_true", help="Serve the site, /mcp included.")
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *, http: bool, host: str, port: int, key: str | None, **options):
        if importlib.util.find_spec("mcp") is None:
            raise CommandError("the extra [mcp] is not installed: pip install 'mase[mcp]'")
        if http:
            self.stderr.write(f"MCP at http://{host}:{port}/mcp")
            call_command("runserver", f"{host}:{port}", use_reloader=False)
            return
        key = key or os.environ.get(VARIABLE, "")
        if not key:
            raise CommandError(f"give an API key, in {VARIABLE} or by --key")
        # Only now: without the extra there is no SDK to import.
        from memory.mcp.stdio import door_of, serve_stdio

        try:
            door_of(key)
        except AuthenticationError as error:
            raise CommandError("this is no live API key") from error
        serve_stdio((*TOOLS, TOOL), key)
