from collections.abc import Sequence

from django.template.loader import render_to_string
from django.utils.translation import get_language

from audit.health.check import Severity
from audit.health.figures import Report
from audit.reveal import revealed


def render(reports: Sequence[Report], fail_on: str) -> str:
    """One page that stands alone: its own style, no script, nothing from elsewhere or hidden."""
    page = render_to_string(
        "health/report.html",
        {
            "reports": reports,
            "worst": Severity.LABELS[Severity.worst(report.worst for report in reports)],
            "language": get_language(),
        },
    )
    return revealed(page)
