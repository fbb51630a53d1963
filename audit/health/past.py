"""The health of the store as it was."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory.index.past import check_past, copied_as_of
from memory.models import Scope

from . import registry
from .figures import Report
from .report import run_reports


def past_report(scope: Scope, moment: datetime) -> Report:
    """The report of the store as it was at `moment`, by the thresholds and policies of today,
    without the checks that cannot tell of the past. Raises `InTheFuture`."""
    return past_reports([scope], moment)[0]


def past_reports(scopes: Sequence[Scope], moment: datetime) -> list[Report]:
    """A report a scope; the store is put together as it was only once, 0.5 s at 30,000 rows."""
    check_past(moment)
    checks = registry.checks()
    able = [name for name, check in checks.items() if check.reads_past]
    left_out = tuple(name for name in checks if name not in able)
    return [
        replace(
            report,
            as_of=moment,
            left_out=left_out,
            findings=tuple(replace(finding, is_past=True) for finding in report.findings),
        )
        for report in run_reports(scopes, able, copied_as_of(moment))
    ]
