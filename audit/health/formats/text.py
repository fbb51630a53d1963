from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from audit.health.check import Severity, shown_time
from audit.health.report import Finding, Report


def render(reports: Sequence[Report], fail_on: str) -> str:
    """For a terminal: a line for what is well, a paragraph for each finding."""
    return "\n\n".join("\n".join(_report(report)) for report in reports)


def _report(report: Report) -> Iterator[str]:
    yield _("Health of %(workspace)s at %(time)s, SQLite %(sqlite)s: %(result)s") % {
        "workspace": report.workspace,
        "time": shown_time(report.at),
        "sqlite": report.sqlite,
        "result": report.label,
    }
    yield ", ".join(f"{status} {n}" for status, n in report.statuses)
    for finding in report.findings:
        yield from _finding(finding)


def _finding(finding: Finding) -> Iterator[str]:
    if finding.severity == Severity.OK:
        yield f"[{finding.label}] {finding.title}"
        yield from (f"    {note}" for note in finding.notes)
        return
    yield f"[{finding.label}] {finding.title}: {finding.count} ({finding.percent})"
    yield from (f"    {line}" for line in (finding.why, *finding.notes, finding.advice))
    yield from (f"    {public_id}" for public_id in finding.sample)
    if finding.more:
        yield "    " + _("and %d more") % finding.more
