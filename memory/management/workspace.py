"""Which workspace a command works in."""

from django.core.management.base import CommandError, CommandParser

from memory.models import Scope, ScopeError, Workspace


def add_workspace_argument(parser: CommandParser) -> None:
    parser.add_argument("--workspace", help="Its name; may be left out where there is only one.")


def chosen_workspace(name: str | None) -> Workspace:
    """The named workspace, or the only one; otherwise an error that says which there are."""
    rows = Workspace.objects.all()
    if name:
        found = rows.filter(name=name).first()
        if found is None:
            raise CommandError(f"no workspace {name!r}; there are: {_names(rows)}", returncode=2)
        return found
    if len(rows) == 1:
        return rows[0]
    if not rows:
        return Workspace.objects.create(name="default")
    raise CommandError(f"say --workspace, one of: {_names(rows)}", returncode=2)


def command_scope(name: str | None, user_id: str | None = None) -> Scope:
    try:
        return Scope(chosen_workspace(name).pk, "command", "command", user_id)
    except ScopeError as error:
        raise CommandError(str(error), returncode=2) from error


def _names(rows) -> str:
    return ", ".join(row.name for row in rows) or "none yet"
