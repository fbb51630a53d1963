from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from audit.health.check import Severity, shown_time
from audit.health.figures import Finding, Report


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
    if report.as_of:
        yield _("the store as it was; left out, because they cannot tell: %(checks)s") % {
            "checks": ", ".join(report.left_out_titles) or "-"
        }
    yield ", ".join(f"{status} {n}" for status, n in report.statuses)
    if report.before_at:
        yield _("compared with the report of %(time)s") % {"time": shown_time(report.before_at)}
    for finding in report.findings:
        yield from _finding(finding)


def _finding(finding: Finding) -> Iterator[str]:
    if finding.severity == Severity.OK:
        figures = f": {finding.count} ({finding.percent})" if finding.count else ""
        yield f"[{finding.label}] {finding.title}{figures}{_since(finding)}"
        yield from (f"    {note}" for note in finding.notes)
        return
    figures = f"{finding.count} ({finding.percent})"
    yield f"[{finding.label}] {finding.title}: {figures}{_since(finding)}"
    yield from (f"    {line}" for line in (finding.why, *finding.notes, finding.advice))
    yield from (f"    {public_id}" for public_id in finding.sample)
    if finding.more:
        yield "    " + _("and %d more") % finding.more


def _since(finding: Finding) -> str:
    return f"; {finding.since_before}" if finding.since_before else ""
