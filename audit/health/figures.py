"""What a report says: its findings, in figures and in the words of whoever reads it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.models import Status

from . import registry
from .check import Check, Limits, Severity
from .compare import Before, percent, told


@dataclass(frozen=True)
class Finding:
    """One check's result within a report; its words come from the check, in the active language.

    `severity` is "ok" or, when what was found reaches a threshold, "warning" or "error";
    `limits` are the two thresholds that it was compared with, None in reports older than they.
    `before` is what the kept report before this one said, `compared` what became of it since.
    `keys` are those of the newest rows counted, in a report that was just made.
    """

    id: str
    severity: str
    count: int
    total: int
    share: float
    sample: tuple[str, ...] = ()
    detail: dict[str, Any] = field(default_factory=dict)
    took_ms: float = 0.0
    limits: Limits | None = None
    before: Before | None = None
    compared: str = ""
    is_past: bool = False
    keys: tuple[int, ...] = field(default=(), compare=False)

    @property
    def check(self) -> Check:
        return registry.check(self.id)

    @property
    def title(self) -> str:
        return str(self.check.title)

    @property
    def why(self) -> str:
        return str(self.check.why)

    @property
    def advice(self) -> str:
        return str(self.check.advice)

    @property
    def unit(self) -> str:
        """What the limits are of: "share", "rows" or another measure."""
        return self.check.unit

    @property
    def notes(self) -> list[str]:
        return self.check.notes(self.detail)

    @property
    def url(self) -> str | None:
        """The page that shows exactly the rows counted, or None; pages count the present."""
        return None if self.is_past else self.check.url(self.count)

    @property
    def label(self) -> str:
        return str(Severity.LABELS[self.severity])

    @property
    def percent(self) -> str:
        return percent(self.share)

    @property
    def since_before(self) -> str:
        """What became of it since the report before; "" where there is nothing to tell."""
        return told(self.compared, self.before, self.severity == Severity.OK)

    @property
    def more(self) -> int:
        """How many rows the sample leaves out."""
        return max(self.count - len(self.sample), 0)

    def figures(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "severity": self.severity,
            "count": self.count,
            "total": self.total,
            "share": self.share,
            "sample": list(self.sample),
            "detail": self.detail,
            "took_ms": self.took_ms,
            "limits": list(self.limits) if self.limits else None,
        }

    def to_dict(self) -> dict[str, Any]:
        words = ("unit", "title", "why", "advice", "notes", "url")
        said = {"before": self.before and self.before.to_dict(), "compared": self.compared or None}
        return self.figures() | said | {name: getattr(self, name) for name in words}


@dataclass(frozen=True)
class Report:
    """`workspace` is a name, `counts` the memories by status, `took_ms` the time of the checks,
    `before_at` the time of the kept report that it is compared with, if there is one. `as_of`: the
    store as it was then, but for the checks that are `left_out`."""

    at: datetime
    workspace: str
    sqlite: str
    counts: dict[str, int]
    findings: tuple[Finding, ...]
    took_ms: float
    before_at: datetime | None = None
    as_of: datetime | None = None
    left_out: tuple[str, ...] = ()

    @property
    def worst(self) -> str:
        return Severity.worst(finding.severity for finding in self.findings)

    @property
    def label(self) -> str:
        return str(Severity.LABELS[self.worst])

    @property
    def left_out_titles(self) -> list[str]:
        return [str(registry.check(name).title) for name in self.left_out]

    @property
    def statuses(self) -> list[tuple[str, int]]:
        """The counts under the states' names in the active language."""
        return [(str(Status(status).label), n) for status, n in self.counts.items()]

    def figures(self) -> dict[str, Any]:
        """The report without words, as it is kept."""
        return self._frame() | {"checks": [finding.figures() for finding in self.findings]}

    def to_dict(self) -> dict[str, Any]:
        """The report in plain JSON types, its words in the active language."""
        before = {
            "before": self.before_at and self.before_at.isoformat(),
            "as_of": self.as_of and self.as_of.isoformat(),
            "left_out": list(self.left_out),
        }
        return self._frame() | before | {"checks": [each.to_dict() for each in self.findings]}

    def _frame(self) -> dict[str, Any]:
        return {
            "at": self.at.isoformat(),
            "workspace": self.workspace,
            "worst": self.worst,
            "sqlite": self.sqlite,
            "counts": self.counts,
            "took_ms": self.took_ms,
        }
