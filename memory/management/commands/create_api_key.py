import re
from datetime import datetime, timedelta

from django.core.management.base import BaseCommand, CommandError

from memory import clock
from memory.management.workspace import add_workspace_argument, chosen_workspace
from memory.models import KEY_SCOPES, ApiKey
from memory.text.normalise import UnstorableText, clean
from memory.write.proposal import NAME_LIMIT
from memory.write.transaction import write_transaction

DEFAULT_SCOPES = "read,write"
UNITS = {"h": "hours", "d": "days", "w": "weeks"}
LONGEST_DAYS = 36_500
MOST_A_MINUTE = 1_000_000


class Command(BaseCommand):
    help = "Make an API key and print it, once: only its digest is kept."

    def add_arguments(self, parser):
        parser.add_argument("name", help="What uses it; the ledger names the key by this.")
        parser.add_argument(
            "--scopes",
            default=DEFAULT_SCOPES,
            help=f"Some of {','.join(KEY_SCOPES)}; without this {DEFAULT_SCOPES}.",
        )
        parser.add_argument("--user", default="", help="Bind it to the memories of one user.")
        parser.add_argument("--expires", help="After how long it dies: 12h, 90d, 4w.")
        parser.add_argument(
            "--rate",
            type=int,
            help="Requests a minute; 0: as many as come. Without: the settings'.",
        )
        add_workspace_argument(parser)

    def handle(self, *, name: str, scopes: str, user: str, expires: str | None, **options):
        rate = options["rate"]
        if rate is not None and not 0 <= rate <= MOST_A_MINUTE:
            raise CommandError(f"--rate is a number from 0 to {MOST_A_MINUTE}")
        workspace = chosen_workspace(options["workspace"])
        try:
            with write_transaction():
                _, text = ApiKey.objects.issue(
                    workspace,
                    _named("NAME", name, 100),
                    [scope.strip() for scope in scopes.split(",") if scope.strip()],
                    user_id=_named("--user", user, NAME_LIMIT) if user else "",
                    expires_at=expires and _expiry(expires),
                    rate=rate,
                )
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text)
        self.stderr.write(f"Key of workspace {workspace.name}. It cannot be shown again.")


def _named(what: str, text: str, limit: int) -> str:
    try:
        name = clean(text, limit).strip()
    except UnstorableText as error:
        raise CommandError(f"{what}: {error}") from error
    if name in ("", "*"):
        raise CommandError(f"{what}: give a name")
    return name


def _expiry(text: str) -> datetime:
    found = re.fullmatch(r"([1-9]\d{0,5})([hdw])", text.strip())
    if found is None:
        raise CommandError("--expires takes a time such as 12h, 90d or 4w")
    lifetime = timedelta(**{UNITS[found[2]]: int(found[1])})
    if lifetime.days > LONGEST_DAYS:
        raise CommandError(f"--expires: at most {LONGEST_DAYS}d")
    return clock.now() + lifetime
