"""The kept reports, newest first, and what they say over time."""

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audit.health.check import Check, Severity
from audit.health.registry import UnknownCheck, check, checks
from audit.health.trend import MOST, Point, Trend, trend
from audit.models import HealthReport
from memory.models import Scope, Status

from .access import seat
from .health import LEVELS
from .keyset import paginate
from .pages import page


@require_safe
def reports(request):
    """Every kept report, page by page."""
    found = paginate(_kept(seat(request).scope), "-at", request.GET.get("cursor"))
    context = {
        "page": found,
        "rows": [(row, LEVELS[row.worst], *_tally(row)) for row in found],
        "crumbs": [(_("Health"), reverse("health")), (_("Reports"), None)],
    }
    return page(request, "console/health_reports.html", context)


@require_safe
def trends(request):
    """One check's figures over the kept reports, or, without `check`, the memories by state."""
    chosen = asked_check(request)
    found = trend(seat(request).scope)
    context = {
        "chosen": chosen,
        "checks": sorted(checks().values(), key=lambda each: str(each.title)),
        "points": _points(found, chosen),
        "states": _states(found),
        "state_names": [text for _value, text in Status.choices],
        "trend": found,
        "most": MOST,
        "chart": _chart(found, chosen),
        "crumbs": [(_("Health"), reverse("health")), (_("Trends"), None)],
    }
    return page(request, "console/health_trends.html", context)


def asked_check(request) -> Check | None:
    """The check that the address names, if any; 404 for one that is not known."""
    asked = request.GET.get("check", "")
    try:
        return check(asked) if asked else None
    except UnknownCheck:
        raise Http404 from None


def _kept(scope: Scope) -> QuerySet[HealthReport]:
    return HealthReport.objects.within(scope)


def _tally(row: HealthReport) -> tuple[int, int]:
    """How many checks found an error, and how many a warning."""
    found = [item["severity"] for item in row.body["checks"]]
    return found.count(Severity.ERROR), found.count(Severity.WARNING)


def _points(found: Trend, chosen: Check | None) -> list[tuple[Point, str, str]]:
    """Newest first, with the level and the name of each severity."""
    points = found.of(chosen.id) if chosen else []
    return [(p, LEVELS[p.severity], str(Severity.LABELS[p.severity])) for p in reversed(points)]


def _states(found: Trend) -> list[tuple]:
    """Newest first: when, which report, and each state's name and count."""
    return [
        (then.at, then.report_id, [(text, then.counts[value]) for value, text in Status.choices])
        for then in reversed(found.states)
    ]


def _chart(found: Trend, chosen: Check | None) -> dict | None:
    """What the script draws: seconds, lines with their names, and the unit of each scale. A
    single point is no line."""
    points = found.of(chosen.id) if chosen else found.states
    if len(points) < 2:
        return None
    times = [point.at.timestamp() for point in points]
    if chosen is None:
        lines = [
            {
                "name": str(label),
                "scale": "n",
                "values": [then.counts[status] for then in found.states],
            }
            for status, label in Status.choices
        ]
    else:
        lines = [
            {"name": _("rows"), "scale": "n", "values": [p.count for p in points]},
            {"name": _("share"), "scale": "%", "values": [100 * p.share for p in points]},
        ]
    return {"times": times, "lines": lines, "zone": timezone.get_current_timezone_name()}
