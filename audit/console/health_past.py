"""Health as it was on another day: the checks that can tell, run on the store of that day."""

from django.urls import reverse
from django.utils.translation import gettext as _

from audit.health.check import Severity
from audit.health.past import past_report
from memory.models import Right

from .access import demand, seat
from .pages import page
from .past import Then


def past_health(request, then: Then, levels: dict[str, str]):
    """The report of that day, which is not kept. A run reads the whole store: not for everybody."""
    demand(request, Right.MEASURE)
    report = past_report(seat(request).scope, then.moment)
    context = {
        "then": then,
        "report": report,
        "level": levels[report.worst],
        "found": [(f, levels[f.severity]) for f in report.findings if f.severity != Severity.OK],
        "clean": [f for f in report.findings if f.severity == Severity.OK],
        "crumbs": [(_("Health"), reverse("health")), (_("On another day"), None)],
    }
    return page(request, "console/health_past.html", context)
