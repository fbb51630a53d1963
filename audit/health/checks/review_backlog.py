from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Min, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.check import Check, Result, Severity, ratio, shown_time
from audit.models import Finding, FindingState, ReviewMark
from memory import clock
from memory.models import Correction, CorrectionState, CorrectionVerdict, Memory, Scope
from memory.write.planner import WAITING
from memory.write.sameness import open_pairs

# What people do weekly they look at within a week; the review queue offers the same age.
DAYS = 7
LABELS = {
    "memory": gettext_lazy("candidates and held memories: %d"),
    "correction": gettext_lazy("corrections: %d"),
    "pair": gettext_lazy("possible duplicates: %d"),
    "finding": gettext_lazy("served though invalid: %d"),
}


class ReviewBacklog(Check):
    title = gettext_lazy("Review backlog")
    why = gettext_lazy(
        "What waits for a person is not remembered meanwhile, or stays wrong meanwhile. After a "
        "week few can still say what was meant."
    )
    advice = gettext_lazy(
        "Open the queue and decide the oldest first; what may wait, put off until a day. If it "
        "grows all the same, let the policy of that kind hold less for review."
    )
    severity = Severity.WARNING

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: items that have waited for `DAYS` days or longer and are not put off. Share: of
        all that wait."""
        moment = clock.now()
        waits = _waiting(scope, moment)
        old, total, oldest = {}, 0, []
        for name, (rows, column) in waits.items():
            total += rows.count()
            late = rows.filter(**{f"{column}__lte": moment - timedelta(days=DAYS)})
            old[name] = late.count()
            oldest.append(rows.aggregate(first=Min(column))["first"])
        count, first = sum(old.values()), min(filter(None, oldest), default=None)
        return Result(
            count=count,
            total=total,
            share=ratio(count, total),
            found=count > 0,
            detail={"days": DAYS, "oldest": first.isoformat() if first else None} | old,
        )

    def notes(self, detail: dict[str, Any]) -> list[str]:
        if not detail["oldest"]:
            return []
        since = shown_time(datetime.fromisoformat(detail["oldest"]))
        notes = [_("the oldest has waited since %(time)s") % {"time": since}]
        return notes + [str(text) % detail[name] for name, text in LABELS.items() if detail[name]]

    def url(self, count: int) -> str | None:
        return f"{reverse('review')}?days={DAYS}" if count else None


def _waiting(scope: Scope, moment: datetime) -> dict[str, tuple[QuerySet, str]]:
    """What waits by type, without what is put off, and the column that says since when."""
    waits = {
        "memory": (Memory.objects.within(scope).filter(status__in=WAITING), "updated_at"),
        "correction": (_corrections(scope), "at"),
        "pair": (open_pairs(scope), "found_at"),
        "finding": (Finding.objects.within(scope).filter(state=FindingState.OPEN), "last_at"),
    }
    off = ReviewMark.objects.filter(workspace_id=scope.workspace_id, snoozed_until__gt=moment)
    marks: dict[str, list[UUID]] = {}
    for item_type, item_id in off.values_list("item_type", "item_id"):
        marks.setdefault(item_type, []).append(item_id)
    return {
        name: (rows.exclude(_marked(name, marks.get(name, []))), column)
        for name, (rows, column) in waits.items()
    }


def _corrections(scope: Scope) -> QuerySet[Correction]:
    for_a_person = Q(verdict=CorrectionVerdict.AMBIGUOUS) | Q(blocked=True)
    return Correction.objects.within(scope).filter(for_a_person, state=CorrectionState.OPEN)


def _marked(name: str, ids: list[UUID]) -> Q:
    if name == "memory":
        return Q(public_id__in=ids)
    return Q(pk__in=[mark.int for mark in ids])


CHECK = ReviewBacklog()
