"""A list of the console as the line of a shell that asks the API for the same."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from .view_queries import PLACE

# How the list looks is no matter of what is in it; a search has one order there.
_LOOKS = PLACE | {"columns", "sort", "counts"}


@dataclass(frozen=True)
class Operation:
    """Where the API lists the same. `same` are the filters that mean there what they mean here:
    `since` of memories, for one, is of the day of change here and of the happening there. `always`
    is said beside them; of several values the API wants one text with commas."""

    path: str
    same: frozenset[str] = frozenset()
    always: Mapping[str, str] = field(default_factory=dict)


_OF_MEMORIES = frozenset(
    {"user_id", "session_id", "kind", "domain", "status", "attribute", "source", "q"}
)
OPERATIONS = {
    "memories": Operation("memories", _OF_MEMORIES),
    "history": Operation("memories", _OF_MEMORIES - {"status"}, {"status": "superseded"}),
    "recalls": Operation("recalls", frozenset({"user_id", "agent_id", "session_id"})),
    "activity": Operation("batches", frozenset({"user_id"})),
    "erasures": Operation("erasures"),
    "images": Operation("images"),
    "jobs": Operation("jobs"),
    "health-reports": Operation("health/reports"),
}


def curl_of(request) -> str:
    """The line for the page's list, with the key in `MASE_API_KEY`; "" where the API has no such
    list or lacks one of the filters that are set."""
    operation = OPERATIONS.get(request.resolver_match.url_name)
    if operation is None:
        return ""
    said = {}
    for name, values in request.GET.lists():
        values = [value for value in values if value]
        if not values or name in _LOOKS:
            continue
        if name not in operation.same or (name == "source" and "none" in values):
            return ""
        said[name] = ",".join(values)
    query = urlencode(said | operation.always, safe=",")
    address = request.build_absolute_uri(f"/api/v1/{operation.path}")
    target = shlex.quote(f"{address}?{query}" if query else address)
    return f'curl -H "Authorization: Bearer $MASE_API_KEY" {target}'
