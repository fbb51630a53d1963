"""The demo's health reports: one every two weeks of its script, and one when it is played."""

from audit.models import HealthReport
from memory import clock
from memory.models import Scope, Workspace

from .report import run_report, save_report


def keep_report(workspace: Workspace) -> None:
    """Run the checks on the demo's clock and keep the report, unless a load that broke off has."""
    scope = Scope(workspace.pk, "demo", "command")
    if not HealthReport.objects.within(scope).filter(at=clock.now()).exists():
        save_report(scope, run_report(scope))
