"""The hard filters of a request."""

from datetime import datetime

from memory.index.filters import ACTIVE_ONLY, Filters

from .request import RecallRequest


def filters_of(request: RecallRequest, moment: datetime | None) -> Filters:
    """What a row must be to be found; without a moment, expired rows are found too."""
    return Filters(
        statuses=ACTIVE_ONLY,
        kinds=request.kinds,
        domains=request.domains,
        agent_id=request.agent_id or None,
        since=request.since,
        until=request.until,
        days=request.day and request.day.filter(),
        alive_at=moment,
    )
