import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from audit.findings.scan import scan
from audit.models import Finding, FindingState
from memory.models import Scope, Workspace
from memory.write.queue import QueueTimeout

from .health import CouldNotRun

SHOWN = 20


class Command(BaseCommand):
    help = (
        "Read what is new in the recall log and report memories that were no longer valid when "
        "they were handed out. Exit 0: no open finding; 1: some; 2: could not run."
    )
    # A failed system check would exit with 1, which here means something else.
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("--workspace", metavar="NAME", help="Only this one; default: all.")
        parser.add_argument("--json", action="store_true")
        parser.add_argument(
            "--fail-on", choices=["open", "reopened", "nothing"], default="open",
            help="What makes it exit with 1.",
        )  # fmt: skip

    def handle(self, *, workspace, fail_on: str, **options):
        try:
            reports = [report(scope) for scope in _scopes(workspace)]
        except DatabaseError as error:
            raise CouldNotRun(f"{error}; is the database migrated?") from error
        except QueueTimeout as error:
            raise CouldNotRun(str(error)) from error
        self.stdout.write(
            _as_json(reports) if options["json"] else "\n".join(map(_as_text, reports))
        )
        if failing := sum(one.get(fail_on, 0) for one in reports):
            raise CommandError(f"findings: {failing} {fail_on}", returncode=1)


def report(scope: Scope) -> dict[str, Any]:
    """Scan the workspace to the end of its log; what is open then, in plain JSON types."""
    done = scan(scope, most=None)
    found = Finding.objects.within(scope).filter(state=FindingState.OPEN)
    newest = found.order_by("-last_at", "-id").select_related("assigned_to")[:SHOWN]
    return {
        "workspace": Workspace.objects.get(pk=scope.workspace_id).name,
        "read": done.read,
        "new": done.occurrences,
        "open": found.count(),
        "reopened": found.filter(reopened__gt=0).count(),
        "findings": [_finding(row) for row in newest],
    }


def _finding(row: Finding) -> dict[str, Any]:
    return {
        "id": row.pk,
        "check": row.check_name,
        "memory_id": str(row.memory_id),
        "user_id": row.user_id,
        "times": row.occurrences,
        "first_at": row.first_at.isoformat(),
        "last_at": row.last_at.isoformat(),
        "reopened": row.reopened,
        "assigned_to": row.assigned_to.get_username() if row.assigned_to else None,
    }


def _scopes(name: str | None) -> list[Scope]:
    workspaces = Workspace.objects.all()
    if name is not None:
        workspaces = workspaces.filter(name=name)
    scopes = [Scope(workspace.pk, "command", "command") for workspace in workspaces]
    if not scopes:
        raise CouldNotRun(f"no workspace {name!r}" if name else "there is no workspace yet")
    return scopes


def _as_json(reports: list[dict[str, Any]]) -> str:
    return json.dumps({"workspaces": reports}, ensure_ascii=False, indent=2)


def _as_text(report: dict[str, Any]) -> str:
    lines = [
        f"{report['workspace']}: {report['open']} open, {report['reopened']} of them reopened "
        f"({report['read']} recalls read, {report['new']} new occurrences)"
    ]
    for row in report["findings"]:
        user = f", user {row['user_id']}" if row["user_id"] else ""
        lines.append(
            f"  {row['id']}. memory {row['memory_id']}{user}: {row['times']} times, "
            f"{row['first_at'][:16]} to {row['last_at'][:16]}, "
            f"assigned to {row['assigned_to'] or 'nobody'}"
        )
    if report["open"] > len(report["findings"]):
        lines.append(f"  and {report['open'] - len(report['findings'])} more")
    return "\n".join(lines)
