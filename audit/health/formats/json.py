import json
from collections.abc import Sequence

from audit.health.check import Severity
from audit.health.figures import Report


def render(reports: Sequence[Report], fail_on: str) -> str:
    """`{"worst", "fail_on", "reports": [Report.to_dict(), …]}`."""
    body = {
        "worst": Severity.worst(report.worst for report in reports),
        "fail_on": fail_on,
        "reports": [report.to_dict() for report in reports],
    }
    return json.dumps(body, ensure_ascii=False, indent=2)
