from collections.abc import Sequence
from datetime import UTC
from xml.etree import ElementTree

from audit.health.check import Severity
from audit.health.figures import Finding, Report


def render(reports: Sequence[Report], fail_on: str) -> str:
    """A suite a workspace, a case a check; findings at or above `fail_on` are failures."""
    root = ElementTree.Element("testsuites", name="health")
    for report in reports:
        root.append(_suite(report, fail_on))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode")


def _suite(report: Report, fail_on: str) -> ElementTree.Element:
    failures = sum(Severity.reaches(finding.severity, fail_on) for finding in report.findings)
    suite = ElementTree.Element(
        "testsuite",
        name=f"health.{report.workspace}",
        timestamp=f"{report.at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}",
        hostname="localhost",
        tests=str(len(report.findings)),
        failures=str(failures),
        errors="0",
        skipped="0",
        time=_seconds(report.took_ms),
    )
    for finding in report.findings:
        suite.append(_case(report, finding, fail_on))
    return suite


def _case(report: Report, finding: Finding, fail_on: str) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=f"health.{report.workspace}",
        name=finding.id,
        time=_seconds(finding.took_ms),
    )
    if finding.severity == Severity.OK:
        return case
    headline = f"{finding.title}: {finding.count}"
    body = "\n".join([finding.why, *finding.notes, finding.advice, *finding.sample])
    if Severity.reaches(finding.severity, fail_on):
        told = ElementTree.SubElement(case, "failure", type=finding.severity, message=headline)
        told.text = body
    else:
        told = ElementTree.SubElement(case, "system-out")
        told.text = f"{headline}\n{body}"
    return case


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3f}"
