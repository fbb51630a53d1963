"""The health report as a tool."""

from datetime import datetime
from typing import Any

from ninja import Schema

from memory.api.fields import Body
from memory.mcp.caller import Caller
from memory.mcp.tool import Tool, answer_of

from .api import health

SAMPLE = 3


class HealthIn(Body):
    fresh: bool = False


class CheckForm(Schema):
    """`count` of `total` rows were found; `sample` names some of them."""

    id: str
    title: str
    severity: str
    count: int
    total: int
    share: float
    sample: list[str] = []
    advice: str = ""


class HealthOut(Schema):
    at: datetime
    workspace: str
    worst: str
    counts: dict[str, int]
    checks: list[CheckForm]


def memory_health(caller: Caller, asked: HealthIn) -> dict[str, Any]:
    """Read the health report of the whole store: what is stale, doubled, conflicting or poorly
    sourced, with advice. `fresh` runs the checks now. Not for a key bound to one user."""
    report = answer_of(health(caller, fresh=asked.fresh))
    same = ("at", "workspace", "worst", "counts")
    return {name: report[name] for name in same} | {
        "checks": [_check_form(found) for found in report["checks"]]
    }


def _check_form(found: dict[str, Any]) -> dict[str, Any]:
    told = {n: found[n] for n in ("id", "title", "severity", "count", "total", "share")}
    if not found["count"]:
        return told
    return told | {"sample": found["sample"][:SAMPLE], "advice": found["advice"]}


TOOL = Tool(
    "memory_health", "Health of the store", "read", HealthIn, HealthOut, memory_health, reads=True
)
