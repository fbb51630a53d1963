"""The health report over HTTP."""

from datetime import datetime
from typing import Any

from ninja import Router, Schema

from memory.api.auth import needs
from memory.api.problems import READ, Problem
from memory.api.reply import reply
from memory.models import ScopeError

from .report import latest_report, run_report

router = Router(tags=["health"])


class FindingForm(Schema):
    id: str
    severity: str
    count: int
    total: int
    share: float
    sample: list[str]
    detail: dict[str, Any]
    took_ms: float
    title: str
    why: str
    advice: str
    notes: list[str]
    url: str | None


class ReportForm(Schema):
    at: datetime
    workspace: str
    worst: str
    sqlite: str
    counts: dict[str, int]
    took_ms: float
    checks: list[FindingForm]


@router.get("", auth=needs("read"), response={200: ReportForm, READ: Problem})
def health(request, fresh: bool = False):
    """The newest kept report; `fresh=1` runs the checks now, as does a store without a report.
    It speaks of everybody's memories: a key bound to one user is refused. Needs `read`."""
    if request.scope.user_id is not None:
        raise ScopeError("a report is of a whole workspace")
    report = None if fresh else latest_report(request.scope)
    return reply((report or run_report(request.scope)).to_dict())
