"""What a health check is. A module in `checks/` makes one and calls it CHECK."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory.index.among import among
from memory.models import Memory, Scope, Status

SAMPLE = 20
# More rows than a list shows.
KEPT = 10_000
# Looking at 10,000 took 0.1 s.
LOOKED_AT_AGAIN = 1000


class Severity:
    OK, WARNING, ERROR = "ok", "warning", "error"
    ORDER = (OK, WARNING, ERROR)
    LABELS = {OK: _("ok"), WARNING: _("warning"), ERROR: _("error")}

    @classmethod
    def worst(cls, severities) -> str:
        return max(severities, key=cls.ORDER.index, default=cls.OK)

    @classmethod
    def reaches(cls, severity: str, limit: str) -> bool:
        """Whether `severity` is `limit` or worse."""
        return cls.ORDER.index(severity) >= cls.ORDER.index(limit)


@dataclass(frozen=True)
class Result:
    """What one check saw in one scope.

    `count` is the number of rows that something is wrong with, `total` what `share` (0 to 1) is
    a share of, `sample` at most `SAMPLE` public ids, `detail` figures in plain JSON types. A
    check may find something (`found`) although no row of the scope is to blame. `keys` are those
    of the newest `KEPT` rows and one more, where there is a page of them.
    """

    count: int
    total: int
    share: float
    found: bool
    sample: tuple[str, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    keys: tuple[int, ...] = ()


class Limits(NamedTuple):
    """From which measure on a finding is a warning, and from which an error; None: never."""

    warning_from: float | None
    error_from: float | None


class Check:
    """One question to the store, with what the answer means for whoever reads it.

    `unit` says what thresholds are compared with: "share" (0 to 1), "rows", or another name of
    what `measure` gives. Without a threshold of its own a check is of its `severity` from one on.
    """

    title: str
    why: str
    advice: str
    severity: str
    unit: str = "rows"
    warning_from: float | None = None
    error_from: float | None = None
    # Whether it reads nothing but memories, the ledger, recalls and what was found in texts, so
    # that it can be put to the store as it was.
    reads_past: bool = False
    # A figure to follow over time, which is never a finding and has no thresholds.
    is_figure: bool = False

    @property
    def id(self) -> str:
        """The name of the module that the check stands in."""
        return type(self).__module__.rpartition(".")[2]

    @property
    def limits(self) -> Limits:
        """The thresholds of a workspace that never set its own."""
        if self.warning_from is None and self.error_from is None:
            is_error = self.severity == Severity.ERROR
            return Limits(None, 1) if is_error else Limits(1, None)
        return Limits(self.warning_from, self.error_from)

    def measure(self, result: Result) -> float:
        """What is compared with the thresholds."""
        return result.share if self.unit == "share" else result.count

    def grade(self, result: Result, limits: Limits) -> str:
        """The severity of a result. What is found without a row to blame has no measure: it is
        of the check's own severity."""
        if not result.found:
            return Severity.OK
        if not result.count:
            return self.severity
        measure = self.measure(result)
        if limits.error_from is not None and measure >= limits.error_from:
            return Severity.ERROR
        if limits.warning_from is not None and measure >= limits.warning_from:
            return Severity.WARNING
        return Severity.OK

    def prepare(self, scope: Scope) -> None:
        """What the check has to write before it can judge; called outside the report's view.
        Where it is one function of several checks, it is called once for all of them."""

    def look(self) -> Any:
        """What the check reads of things that all scopes share, once for however many scopes."""
        return None

    def judge(self, scope: Scope, seen: Any) -> Result:
        """The result for one scope; `seen` is what `look` returned."""
        raise NotImplementedError

    def run(self, scope: Scope) -> Result:
        return self.judge(scope, self.look())

    def notes(self, detail: Mapping[str, Any]) -> list[str]:
        """The detail as sentences in the active language."""
        return []

    def url(self, count: int) -> str | None:
        """The page that shows exactly the rows counted, if there is one."""
        return None


class MemoryCheck(Check):
    """A check whose findings are memories: the number and the page behind it are one query."""

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        raise NotImplementedError

    def detail(self, scope: Scope) -> dict[str, Any]:
        return {}

    def counted(self, scope: Scope) -> tuple[int, dict[str, Any]]:
        """How many rows there are, and the detail; in one where that saves a look at them all."""
        return self.rows(scope).count(), self.detail(scope)

    def judge(self, scope: Scope, seen: Any) -> Result:
        """Share: of the scope's active memories."""
        count, detail = self.counted(scope)
        total = active(scope).count()
        keys = newest_keys(self.rows(scope)) if count else ()
        sample = newest(Memory.objects.within(scope).filter(pk__in=keys[:SAMPLE]))
        return Result(count, total, ratio(count, total), count > 0, sample, detail, keys)

    def looks_again(self, keys: Sequence[int]) -> bool:
        """Whether so many rows that it counted before can be looked at again for a page."""
        return len(keys) <= LOOKED_AT_AGAIN

    def still(self, scope: Scope, keys: Sequence[int]) -> QuerySet[Memory]:
        """Which of these rows, counted before, it would count still; all, where it does not look
        at them again."""
        rows = self.rows(scope) if self.looks_again(keys) else Memory.objects.within(scope)
        return rows.filter(pk__in=among(keys))

    def url(self, count: int) -> str | None:
        return f"{reverse('memories')}?status=any&check={self.id}" if count else None


def active(scope: Scope) -> QuerySet[Memory]:
    return Memory.objects.within(scope).filter(status=Status.ACTIVE)


def newest(rows: QuerySet[Memory]) -> tuple[str, ...]:
    ids = rows.order_by("-id").values_list("public_id", flat=True)[:SAMPLE]
    return tuple(str(public_id) for public_id in ids)


def newest_keys(rows: QuerySet[Memory]) -> tuple[int, ...]:
    return tuple(rows.order_by("-id").values_list("id", flat=True)[: KEPT + 1])


def ratio(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0


def shown_time(moment: datetime) -> str:
    """An instant as reports print it: local time with its zone."""
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M %Z}"
