"""Health: the newest report or an earlier one, each check with its rows, and a new run."""

from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from audit.health.check import Severity
from audit.health.formats import FORMATS
from audit.health.report import read_report, run_report, save_report
from audit.models import HealthReport
from memory.models import Membership, Role, Scope
from memory.write.queue import QueueTimeout

from .access import seat
from .pages import page

EARLIER = 20
# A run reads the whole store and is kept, so a mere reader of the pages does not start one.
MAY_RUN = frozenset(Role.values) - {Role.VIEWER}
TYPES = {
    "html": ("text/html", "html"),
    "json": ("application/json", "json"),
    "junit": ("application/xml", "xml"),
    "text": ("text/plain", "txt"),
}
LEVELS = {Severity.OK: "success", Severity.WARNING: "warning", Severity.ERROR: "danger"}


@require_http_methods(["GET", "HEAD", "POST"])
def health(request):
    """GET: a kept report, the newest unless `report` names another; `format` downloads it.
    POST: run the checks and keep the report."""
    if request.method == "POST":
        return _run(request)
    kept = _kept(seat(request).scope)
    chosen, is_other = _chosen(kept, request.GET.get("report", ""), seat(request).scope)
    report = read_report(chosen) if chosen else None
    format = request.GET.get("format")
    if report and format in TYPES:
        return _download(report, format)
    findings = report.findings if report else ()
    context = {
        "report": report,
        "chosen": chosen,
        "is_newest": bool(kept) and chosen == kept[0],
        "is_other": is_other,
        "level": LEVELS[report.worst] if report else "",
        "findings": [(f, LEVELS[f.severity]) for f in findings],
        "clean": [f for f in findings if f.severity == Severity.OK],
        "earlier": [(row, LEVELS[row.worst]) for row in kept],
        "formats": list(TYPES),
        "may_run": may_run(seat(request).membership),
    }
    return page(request, "console/health.html", context)


def may_run(membership: Membership) -> bool:
    return membership.role in MAY_RUN


def _run(request):
    if not may_run(seat(request).membership):
        raise PermissionDenied("this role may read reports but not run them")
    scope = seat(request).scope
    try:
        save_report(scope, run_report(scope))
    except QueueTimeout:
        messages.error(request, _("Too many are writing now. Try again in a moment."))
    else:
        messages.success(request, _("The checks have run."))
    return redirect("health")


def _kept(scope: Scope) -> list[HealthReport]:
    return list(HealthReport.objects.within(scope).order_by("-at", "-id")[:EARLIER])


def _chosen(
    kept: Sequence[HealthReport], asked: str, scope: Scope
) -> tuple[HealthReport | None, bool]:
    """The report asked for, or the newest; and whether another was asked for than is shown."""
    newest = kept[0] if kept else None
    if not (asked.isascii() and asked.isdigit()):
        return newest, False
    found = HealthReport.objects.within(scope).filter(pk=int(asked[:18])).first()
    return (found, False) if found else (newest, True)


def _download(report, format: str) -> HttpResponse:
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
