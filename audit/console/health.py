"""Health: the newest report or a kept one, each check with its rows, and a new run."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from audit.health.check import Severity
from audit.health.figures import Report
from audit.health.fixes import can_fix
from audit.health.formats import FORMATS
from audit.health.report import open_report, run_report, save_report
from audit.health.trend import trend
from audit.models import HealthReport
from memory.index.keyset import LARGEST_ID
from memory.jobs import alive
from memory.jobs.work import start
from memory.models import Membership, Right, Scope
from memory.write.queue import QueueTimeout

from . import past
from .access import demand, seat
from .health_past import past_health
from .pages import page
from .sparks import spark

EARLIER = 5
# A line of so many reports is as wide as it can be read, and they take 20 ms to read.
SPARKS = 30
TYPES = {
    "html": ("text/html", "html"),
    "json": ("application/json", "json"),
    "junit": ("application/xml", "xml"),
    "text": ("text/plain", "txt"),
}
LEVELS = {Severity.OK: "success", Severity.WARNING: "warning", Severity.ERROR: "danger"}


@require_http_methods(["GET", "HEAD", "POST"])
def health(request):
    """GET: the newest kept report, or with `as_of` one of another day. POST: run the checks and
    keep the report."""
    if request.method == "POST":
        return _run(request)
    then = past.then(request)
    if then.moment:
        return past_health(request, then, LEVELS)
    kept = _kept(seat(request).scope).first()
    if kept is None:
        context = {"may_run": may_run(seat(request).membership)}
        return page(request, "console/health.html", context)
    return _shown(request, kept, {"is_newest": True, "then": then})


@require_safe
def report(request, report_id: int):
    """One kept report; `format` downloads it."""
    scope = seat(request).scope
    kept = _kept(scope).filter(pk=report_id).first() if report_id <= LARGEST_ID else None
    if kept is None:
        raise Http404
    if request.GET.get("format") in TYPES:
        return _download(open_report(kept), request.GET["format"])
    crumbs = [
        (_("Health"), reverse("health")),
        (_("Reports"), reverse("health-reports")),
        (f"{timezone.localtime(kept.at):%Y-%m-%d %H:%M}", None),
    ]
    return _shown(request, kept, {"is_newest": _kept(scope).first() == kept, "crumbs": crumbs})


def may_run(membership: Membership) -> bool:
    """A run reads the whole store and is kept, so a mere reader of the pages starts none."""
    return membership.may(Right.MEASURE)


def _shown(request, kept: HealthReport, more: dict):
    scope, membership = seat(request).scope, seat(request).membership
    found, lines = open_report(kept), trend(scope, SPARKS, until=kept.at)
    rows = [
        {
            "finding": one,
            "level": LEVELS[one.severity],
            "spark": spark(lines.of(one.id), one.unit),
            "can_fix": membership.may(Right.OPERATE) and more["is_newest"] and can_fix(one.id),
        }
        for one in found.findings
    ]
    context = {
        "report": found,
        "chosen": kept,
        "level": LEVELS[found.worst],
        "found": [row for row in rows if row["finding"].severity != Severity.OK],
        "clean": [row for row in rows if row["finding"].severity == Severity.OK],
        "earlier": [(row, LEVELS[row.worst]) for row in _kept(scope)[:EARLIER]],
        "formats": list(TYPES),
        "may_run": may_run(membership),
    }
    return page(request, "console/health.html", context | more)


def _run(request):
    demand(request, Right.MEASURE)
    scope = seat(request).scope
    try:
        # A large store takes longer than a page should; without a worker nobody else would do it.
        if alive.is_there():
            return redirect("job", start(scope, "health").public_id)
        save_report(scope, run_report(scope))
    except QueueTimeout:
        messages.error(request, _("Too many are writing now. Try again in a moment."))
    else:
        messages.success(request, _("The checks have run."))
    return redirect("health")


def _kept(scope: Scope):
    return HealthReport.objects.within(scope).order_by("-at", "-id")


def _download(report: Report, format: str) -> HttpResponse:
    content_type, ending = TYPES[format]
    name = f"health-{report.workspace}-{timezone.localtime(report.at):%Y%m%d-%H%M}.{ending}"
    return HttpResponse(
        FORMATS[format]([report], Severity.ERROR),
        content_type=f"{content_type}; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "private, no-cache",
        },
    )
