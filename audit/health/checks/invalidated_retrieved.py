from datetime import timedelta

from django.db.models import Count, Exists, OuterRef, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Result, Severity, newest, ratio
from memory import clock
from memory.models import Memory, Recall, RecallCandidate, Scope, Status

DAYS = 30


class InvalidatedRetrieved(MemoryCheck):
    title = gettext_lazy("Invalidated but served")
    why = gettext_lazy(
        "Memories that were already superseded, retracted, held or expired reached an agent, "
        "which may have answered with them."
    )
    advice = gettext_lazy(
        "Open a row and see the recalls that served it; run manage.py reindex, and check what "
        "reads memories by another way than recall."
    )
    severity = Severity.ERROR

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        served = _stale(scope).values("memory_id")
        return Memory.objects.within(scope).filter(public_id__in=served)

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: memories. Share: of all that was served in the last `DAYS` days."""
        rows = self.rows(scope)
        counted = _stale(scope).values_list("status").annotate(n=Count("id"))
        by_status = dict(counted.order_by("status"))
        stale, served = sum(by_status.values()), _served(scope)
        return Result(
            count=rows.count(),
            total=served,
            share=ratio(stale, served),
            found=stale > 0,
            sample=newest(rows),
            detail={"days": DAYS, "servings": stale, "by_status": by_status},
        )

    def notes(self, detail) -> list[str]:
        if not detail["servings"]:
            return []
        told = _("served %(n)d times in %(days)d days") % {
            "n": detail["servings"],
            "days": detail["days"],
        }
        states = (f"{_label(status)} {n}" for status, n in detail["by_status"].items())
        return [told, ", ".join(states)]


def _recent(scope: Scope) -> QuerySet[Recall]:
    return Recall.objects.within(scope).filter(at__gte=clock.now() - timedelta(days=DAYS))


def _stale(scope: Scope) -> QuerySet[RecallCandidate]:
    # From the few stale rows to their recalls; a join starts from the scope's many recalls.
    recall = _recent(scope).filter(pk=OuterRef("recall_id"))
    return RecallCandidate.objects.filter(Exists(recall), stale=True, rank__isnull=False)


def _served(scope: Scope) -> int:
    return _recent(scope).aggregate(served=Sum("served"))["served"] or 0


def _label(status: str) -> str:
    # The record keeps the state; an active one was stale because its time was over.
    return str(Status.EXPIRED.label if status == Status.ACTIVE else Status(status).label)


CHECK = InvalidatedRetrieved()
