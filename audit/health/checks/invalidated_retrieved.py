from contextlib import suppress
from datetime import timedelta

from django.db.models import Count, QuerySet, Sum
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from audit.findings.keep import CHECK as CHECK_NAME
from audit.findings.scan import is_behind, scan
from audit.health.check import SAMPLE, MemoryCheck, Result, Severity, ratio
from audit.models import Finding, FindingState, Occurrence
from memory import clock
from memory.models import Memory, Recall, Scope, Status
from memory.write.queue import QueueTimeout

DAYS = 30
# 200,000 memories served, a few seconds; what is left of a longer log, the next run reads.
MOST = 20_000
# Of a memory that has no state any more.
GONE = (gettext_noop("erased"), gettext_noop("unknown"))


class InvalidatedRetrieved(MemoryCheck):
    """Counts what is open in the inbox: what people resolved or ignore there is none of it."""

    title = gettext_lazy("Invalidated but served")
    why = gettext_lazy(
        "Memories that were superseded, retracted, held, expired or erased reached an agent, "
        "which may have answered with them."
    )
    advice = gettext_lazy(
        "Open the inbox and see the recalls that served them; run manage.py reindex, and check "
        "what reads memories by another way than recall."
    )
    severity = Severity.ERROR

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        return Memory.objects.within(scope).filter(public_id__in=_open(scope).values("memory_id"))

    def prepare(self, scope: Scope) -> None:
        with suppress(QueueTimeout):
            scan(scope, MOST)

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: memories, those that are gone included. Share: of all that was served in the
        last `DAYS` days."""
        found = _open(scope)
        count, served = found.count(), _served(scope)
        recent = Occurrence.objects.filter(finding__in=found, at__gte=_since())
        counted = recent.order_by("status").values_list("status").annotate(n=Count("id"))
        by_status = dict(counted)
        servings = sum(by_status.values())
        newest = found.order_by("-last_at", "-id").values_list("memory_id", flat=True)[:SAMPLE]
        return Result(
            count=count,
            total=served,
            share=ratio(servings, served),
            found=count > 0,
            sample=tuple(str(memory_id) for memory_id in newest),
            detail={
                "days": DAYS,
                "servings": servings,
                "by_status": by_status,
                "behind": is_behind(scope),
            },
        )

    def notes(self, detail) -> list[str]:
        notes = []
        if detail["servings"]:
            told = {"n": detail["servings"], "days": detail["days"]}
            notes.append(_("served %(n)d times in %(days)d days") % told)
            states = (f"{_label(status)} {n}" for status, n in detail["by_status"].items())
            notes.append(", ".join(states))
        # Reports kept before there were findings do not say it.
        if detail.get("behind"):
            notes.append(_("The newest recalls were not looked at yet: run manage.py findings."))
        return notes

    def url(self, count: int) -> str | None:
        return reverse("inbox") if count else None


def _open(scope: Scope) -> QuerySet[Finding]:
    return Finding.objects.within(scope).filter(check_name=CHECK_NAME, state=FindingState.OPEN)


def _since():
    return clock.now() - timedelta(days=DAYS)


def _served(scope: Scope) -> int:
    recent = Recall.objects.within(scope).filter(at__gte=_since())
    return recent.aggregate(served=Sum("served"))["served"] or 0


def _label(status: str) -> str:
    return _(status) if status in GONE else str(Status(status).label)


CHECK = InvalidatedRetrieved()
