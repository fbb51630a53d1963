"""The first page: is it healthy, what waits for me, what changed; and the last days as pictures."""

from typing import Any

from django.db.models import Count, OuterRef, Subquery, Sum
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audit.health.check import Severity
from audit.health.compare import percent
from audit.health.daily import DAYS, Daily, daily
from audit.health.figures import Finding, Report
from audit.health.report import latest_report
from memory.models import Batch, Change, Memory, Owner, Recall, Scope, Status

from . import ledger, pages
from .access import seat
from .flow import CAME, WENT, flow, growth_chart, rates_chart, tables
from .keyset import COUNT_CAP
from .listing import State
from .sparks import line
from .standing import standing
from .start import steps
from .waits import waits_for

LATEST = 6
WORST = 6


@require_safe
def dashboard(request):
    scope = seat(request).scope
    counts, report = states(scope), latest_report(scope)
    found = findings(report)
    context = {
        "figures": figures(scope),
        "states": counts,
        "changes": changes(scope),
        "recalls": Recall.objects.within(scope).order_by("-pk")[:LATEST],
        "report": report,
        "findings": found,
        "worst": found[:WORST],
        "standing": standing(scope),
        "waits": waits_for(seat(request).membership, scope, request.user.pk),
        "start": None if any(state.count for state in counts) else steps(request),
        "health_level": {Severity.WARNING: "warning", Severity.ERROR: "danger"}.get(
            report.worst if report else ""
        ),
    }
    return pages.page(request, "console/dashboard.html", context | pictures(daily(scope)))


def pictures(found: Daily) -> dict[str, Any]:
    """The last days as the page shows them: bars, lines, and the same as tables."""
    days = found.days
    searched, nothing, outdated = (
        sum(getattr(day, name) for day in days) for name in ("searched", "nothing", "outdated")
    )
    since = f"since={days[0].day}"
    return {
        "daily": found,
        "days": DAYS,
        "flow": flow(days),
        "flow_names": [text for _name, text in (*CAME, *WENT)],
        "rates": rates_chart(found),
        "growth": growth_chart(found),
        "day_rows": tables(found),
        "searched": searched,
        "gave": percent(1 - nothing / searched) if searched else "—",
        "gave_outdated": percent(min(outdated / searched, 1.0)) if searched else "—",
        "outdated": outdated,
        "searched_url": f"{reverse('recalls')}?triggered=yes&{since}",
        "outdated_url": f"{reverse('recalls')}?stale=yes&{since}",
        "growth_spark": line([day.active for day in days], _told()),
        "searched_spark": line([day.searched for day in days], _told()),
        "outdated_spark": line([day.outdated for day in days], _told()),
    }


def _told() -> str:
    return _("over the last %(n)d days: from %(first)s to %(last)s, at most %(top)s")


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
    """The last batches, each with its last statement and how many changes it made, counted up to
    `COUNT_CAP` + 1."""
    own = Change.objects.filter(batch=OuterRef("pk")).order_by("-pk").values("pk")
    rows = Batch.objects.within(scope).select_related("undone_by").order_by("-pk")
    batches = list(rows.annotate(last=Subquery(own[:1]))[:LATEST])
    last = Change.objects.in_bulk([one.last for one in batches])
    sizes = ledger.counts(scope, batches)
    return [
        (batch, _statement(last[batch.last]), sizes[batch.pk])
        for batch in batches
        if batch.last is not None
    ]


def _statement(entry: Change) -> str:
    return entry.after["text"] if entry.after else ""


def findings(report: Report | None) -> list[Finding]:
    """What a report found, the worst first."""
    return [f for f in report.findings if f.severity != Severity.OK] if report else []
