"""What became of a finding since the report before."""

from dataclasses import dataclass, replace
from typing import Any, Protocol

from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from .check import Severity


class Compared:
    """How a check stands beside the report before."""

    NEW, GONE, WORSE, BETTER, SAME = "new", "gone", "worse", "better", "same"
    LABELS = {
        NEW: pgettext_lazy("of a finding", "new"),
        GONE: _("gone"),
        WORSE: _("worse"),
        BETTER: _("better"),
        SAME: _("as before"),
    }


class Judged(Protocol):
    severity: str
    count: int
    total: int
    share: float


@dataclass(frozen=True)
class Before:
    """One check in the report before."""

    severity: str
    count: int
    total: int
    share: float

    @classmethod
    def of(cls, finding: Judged) -> "Before":
        return cls(finding.severity, finding.count, finding.total, finding.share)

    @property
    def label(self) -> str:
        return str(Severity.LABELS[self.severity])

    @property
    def percent(self) -> str:
        return percent(self.share)

    def to_dict(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "count": self.count,
            "total": self.total,
            "share": self.share,
        }


def beside(report: Any, earlier: Any | None) -> Any:
    """The report with what the earlier one said of each check; as it is where there is none."""
    if earlier is None:
        return report
    said = {finding.id: Before.of(finding) for finding in earlier.findings}
    findings = tuple(
        replace(
            finding,
            before=said.get(finding.id),
            compared=compared(said.get(finding.id), finding, finding.unit),
        )
        for finding in report.findings
    )
    return replace(report, findings=findings, before_at=earlier.at)


def compared(before: Judged | None, now: Judged, unit: str) -> str:
    """What became of a check. One that was clean before, or not looked at, is new where it now
    finds something. Of two findings the severity tells which is worse, then the measure that
    thresholds in `unit` go by. Between two clean ones there is no difference,
    whatever their figures."""
    was, found = before is not None and before.severity != Severity.OK, now.severity != Severity.OK
    if was != found:
        return Compared.NEW if found else Compared.GONE
    if not found:
        return Compared.SAME
    one, other = _weight(before, unit), _weight(now, unit)
    if one == other:
        return Compared.SAME
    return Compared.WORSE if other > one else Compared.BETTER


def told(how: str, before: Before | None, is_clean: bool) -> str:
    """What became of a check, in the active language; "" where there is nothing to tell."""
    if not how or (how == Compared.SAME and is_clean):
        return ""
    label = str(Compared.LABELS[how])
    if before is None or before.severity == Severity.OK:
        return label
    was = {"label": label, "count": before.count, "percent": before.percent}
    return gettext("%(label)s, it was %(count)d (%(percent)s)") % was


def percent(share: float) -> str:
    """0.125 → "12.5%"; what is more than nothing is never shown as nothing."""
    return "<0.1%" if 0 < share < 0.001 else f"{share:.1%}"


def _weight(judged: Judged, unit: str) -> tuple[int, float]:
    measure = judged.share if unit == "share" else judged.count
    return Severity.ORDER.index(judged.severity), measure
