"""The first page: is it healthy, what is there, what changed, what was asked."""

from django.db.models import Count, Max, Sum
from django.views.decorators.http import require_safe

from audit.health.check import Severity
from audit.health.report import Finding, Report, latest_report
from memory.models import Batch, Change, Memory, Owner, Recall, Scope, Status

from . import pages
from .access import seat
from .keyset import COUNT_CAP
from .listing import State

LATEST = 8


@require_safe
def dashboard(request):
    scope = seat(request).scope
    counts, report = states(scope), latest_report(scope)
    found = findings(report)
    context = {
        "figures": figures(scope),
        "states": counts,
        "superseded": next(state for state in counts if state.value == Status.SUPERSEDED),
        "is_bare": not any(state.count for state in counts),
        "changes": changes(scope),
        "recalls": Recall.objects.within(scope).order_by("-pk")[:LATEST],
        "report": report,
        "findings": found,
        "health_level": {Severity.WARNING: "warning", Severity.ERROR: "danger"}.get(
            report.worst if report else ""
        ),
        "address": request.build_absolute_uri("/api/v1/"),
    }
    return pages.page(request, "console/dashboard.html", context)


def figures(scope: Scope) -> dict[str, int]:
    """Active memories and the users that have some, from the index's own tally of owners, which
    stays exact and cheap at a million rows."""
    owners = Owner.objects.filter(workspace_id=scope.workspace_id, active__gt=0)
    return owners.aggregate(active=Sum("active", default=0), users=Count("pk"))


def states(scope: Scope) -> list[State]:
    """How many memories are in each state, capped."""
    rows, found = Memory.objects.within(scope).order_by(), []
    for value, text in Status.choices:
        count = rows.filter(status=value)[: COUNT_CAP + 1].count()
        found.append(State(value, text, min(count, COUNT_CAP), count > COUNT_CAP))
    return found


def changes(scope: Scope) -> list[tuple[Batch, str, int]]:
    """The last batches, each with its last statement and how many changes it made."""
    batches = list(Batch.objects.within(scope).select_related("undone_by").order_by("-pk")[:LATEST])
    tally = (
        Change.objects.filter(batch__in=batches)
        .values("batch_id")
        .annotate(size=Count("pk"), last=Max("pk"))
    )
    sizes = {row["batch_id"]: row for row in tally}
    last = Change.objects.in_bulk([row["last"] for row in sizes.values()])
    return [
        (batch, _statement(last[sizes[batch.pk]["last"]]), sizes[batch.pk]["size"])
        for batch in batches
        if batch.pk in sizes
    ]


def _statement(entry: Change) -> str:
    return entry.after["text"] if entry.after else ""


def findings(report: Report | None) -> list[Finding]:
    """What a report found, the worst first."""
    return [f for f in report.findings if f.severity != Severity.OK] if report else []
