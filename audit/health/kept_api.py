"""The kept reports over HTTP, and what they say over time."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Path, Query, Router, Schema
from pydantic import Field

from audit.models import HealthReport
from memory.api.auth import needs
from memory.api.fields import Limit
from memory.api.paging import Page, Paging, counted, page_form, page_of
from memory.api.problems import READ, READ_ONE, Problem
from memory.api.reply import reply
from memory.index.keyset import LARGEST_ID
from memory.models import Scope, ScopeError
from memory.write.proposal import InvalidInput
from memory.write.revise import NotFound

from . import registry
from .api import ReportForm
from .check import Severity
from .report import open_report
from .trend import trend

router = Router(tags=["health"])
ReportId = Annotated[int, Field(ge=1, le=LARGEST_ID)]


class KeptForm(Schema):
    """`errors` and `warnings` count the checks that found something so severe."""

    id: int
    at: datetime
    worst: str
    errors: int
    warnings: int
    took_ms: float


class PointForm(Schema):
    at: datetime
    report_id: int
    severity: str
    count: int
    total: int
    share: float


class StatesForm(Schema):
    at: datetime
    report_id: int
    counts: dict[str, int]


class TrendForm(Schema):
    """Oldest first. `points` are of the check asked for, empty without one; `states` are the
    memories by state. `cut`: there are older reports."""

    check: str | None
    title: str | None
    unit: str | None
    points: list[PointForm]
    states: list[StatesForm]
    cut: bool


class TrendAsked(Schema):
    check: str = Field("", max_length=40)
    limit: Limit = 50


@router.get("/reports", auth=needs("read"), response={200: Page[KeptForm], READ: Problem})
def list_reports(request, asked: Query[Paging]):
    """The kept reports, newest first. A key bound to one user is refused. Needs `read`."""
    rows = HealthReport.objects.within(_whole(request.scope))
    found, after = page_of(rows, "-at", asked)
    return reply(page_form([_kept_form(row) for row in found], after, counted(rows)))


@router.get(
    "/reports/{report_id}", auth=needs("read"), response={200: ReportForm, READ_ONE: Problem}
)
def read_one(request, report_id: Annotated[ReportId, Path(...)]):
    """A kept report as it was, beside the one before it. A key bound to one user is refused.
    Needs `read`."""
    rows = HealthReport.objects.within(_whole(request.scope))
    kept = rows.filter(pk=report_id).first()
    if kept is None:
        raise NotFound(str(report_id))
    return reply(open_report(kept).to_dict())


@router.get("/trend", auth=needs("read"), response={200: TrendForm, READ: Problem})
def read_trend(request, asked: Query[TrendAsked]):
    """One check's figures over the newest `limit` kept reports, and the memories by state. A key
    bound to one user is refused. Needs `read`."""
    try:
        check = registry.check(asked.check) if asked.check else None
    except registry.UnknownCheck:
        raise InvalidInput([("check", "no such check")]) from None
    found = trend(_whole(request.scope), asked.limit)
    body = {
        "check": check and check.id,
        "title": str(check.title) if check else None,
        "unit": check and check.unit,
        "points": [point.to_dict() for point in found.of(asked.check)],
        "states": [states.to_dict() for states in found.states],
        "cut": found.is_cut,
    }
    return reply(body)


def _whole(scope: Scope) -> Scope:
    if scope.user_id is not None:
        raise ScopeError("a report is of a whole workspace")
    return scope


def _kept_form(row: HealthReport) -> dict[str, Any]:
    severities = [item["severity"] for item in row.body["checks"]]
    return {
        "id": row.pk,
        "at": row.at.isoformat(),
        "worst": row.worst,
        "errors": severities.count(Severity.ERROR),
        "warnings": severities.count(Severity.WARNING),
        "took_ms": row.took_ms,
    }
