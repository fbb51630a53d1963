"""The health report over HTTP."""

from datetime import datetime
from typing import Any

from ninja import Router, Schema

from memory.api.auth import needs
from memory.api.fields import Moment
from memory.api.problems import READ, Problem
from memory.api.reply import reply
from memory.models import ScopeError

from .past import past_report
from .report import latest_report, run_report

router = Router(tags=["health"])


class BeforeForm(Schema):
    """A check in the kept report before."""

    severity: str
    count: int
    total: int
    share: float


class FindingForm(Schema):
    """`compared` says what became of it since the report before: new, gone, worse, better or
    same; null without one."""

    id: str
    severity: str
    count: int
    total: int
    share: float
    sample: list[str]
    detail: dict[str, Any]
    took_ms: float
    limits: list[float | None] | None
    before: BeforeForm | None
    compared: str | None
    unit: str
    title: str
    why: str
    advice: str
    notes: list[str]
    url: str | None


class ReportForm(Schema):
    """`before` is the time of the kept report that it is compared with. With `as_of` it is of
    the store as it was then, but for the checks `left_out`, and no finding has a page."""

    at: datetime
    workspace: str
    worst: str
    sqlite: str
    counts: dict[str, int]
    took_ms: float
    before: datetime | None
    as_of: datetime | None
    left_out: list[str]
    checks: list[FindingForm]


@router.get("", auth=needs("read"), response={200: ReportForm, READ: Problem})
def health(request, fresh: bool = False, as_of: Moment | None = None):
    """The newest kept report; `fresh=1` runs the checks now, as does a store without a report;
    `as_of` puts those that can tell to the store as it was then, by today's thresholds. It speaks
    of everybody's memories: a key bound to one user is refused. Needs `read`."""
    if request.scope.user_id is not None:
        raise ScopeError("a report is of a whole workspace")
    if as_of is not None:
        report = past_report(request.scope, as_of)
    else:
        report = None if fresh else latest_report(request.scope)
    return reply((report or run_report(request.scope)).to_dict())
