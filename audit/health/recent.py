"""The newest recalls of a workspace, as the checks of recall look at them: bounded, so that a log
without end costs no more than a short one, and the same rows that the recall log shows."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory import clock
from memory.index import keyset
from memory.models import Memory, Recall, RecallCandidate, Scope

from .check import MemoryCheck, Result, newest, ratio

DAYS = 30
# Reading so many records takes about 0.1 s; the recall log looks at no more either.
WINDOW = 10_000
# Turns are not counted as served, but whatever was given has tokens.
NOTHING = Q(served=0, tokens=0)


def first_day() -> datetime:
    """The midnight, local, with which the last `DAYS` days begin: what the log calls its first
    day."""
    day = timezone.localtime(clock.now()) - timedelta(days=DAYS)
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def edge_of(scope: Scope) -> tuple[datetime, int]:
    """Time and key of the oldest recall that still counts as recent."""
    places = keyset.ordered(_since(scope), "-at").values_list("at", "pk")
    return places[WINDOW - 1 : WINDOW].first() or (first_day(), 0)


def recent(scope: Scope) -> QuerySet[Recall]:
    """The recalls of the last `DAYS` days, at most the newest `WINDOW` of them."""
    at, pk = edge_of(scope)
    return _since(scope).filter(Q(at__gt=at) | Q(at=at, pk__gte=pk), at__gte=at)


def _since(scope: Scope) -> QuerySet[Recall]:
    return Recall.objects.within(scope).filter(at__gte=first_day(), at__lte=clock.now())


def log_of(**filters: Any) -> str:
    """The recall log of the same days, narrowed by `filters`."""
    since = f"{first_day():%Y-%m-%d}"
    return f"{reverse('recalls')}?{urlencode(filters | {'since': since})}"


def window_note(detail: Mapping[str, Any]) -> str:
    """Which recalls were looked at, as a sentence; `detail` says days and most."""
    told = _("looked at: the recalls of the last %(days)d days, at most the newest %(most)d")
    return told % {"days": detail["days"], "most": detail["most"]}


class AskedRecalls:
    """What `recent` recalls that searched memory came to: how many, and how many gave nothing."""

    def __init__(self, scope: Scope):
        asked = recent(scope).filter(triggered=True)
        found = asked.aggregate(asked=Count("pk"), nothing=Count("pk", filter=NOTHING))
        self.asked, self.nothing = found["asked"], found["nothing"]

    @property
    def gave(self) -> int:
        return self.asked - self.nothing


class StaleServed(MemoryCheck):
    """Memories that a recent recall served although they were not valid then. Counted are the
    memories; the share is that of the servings."""

    statuses: Collection[str]
    reads_past = True

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        ids = {memory_id for _of, memory_id in self._given(scope)[0]}
        return Memory.objects.within(scope).filter(public_id__in=ids)

    def judge(self, scope: Scope, seen: None) -> Result:
        given, is_cut = self._given(scope)
        served = recent(scope).aggregate(n=Sum("served", default=0))["n"]
        rows = Memory.objects.within(scope).filter(public_id__in={i for _of, i in given})
        count = rows.count()
        return Result(
            count=count,
            total=served,
            share=min(ratio(len(given), served), 1.0),
            found=count > 0,
            sample=newest(rows),
            detail={"days": DAYS, "servings": len(given), "cut": is_cut},
        )

    def notes(self, detail: Mapping[str, Any]) -> list[str]:
        n = detail["servings"]
        if not n:
            return []
        told = ngettext(
            "served %(n)d time in the last %(days)d days",
            "served %(n)d times in the last %(days)d days",
            n,
        )
        notes = [told % {"n": n, "days": detail["days"]}]
        if detail["cut"]:
            notes.append(_("There were more than could be looked at: only the newest count."))
        return notes

    def _given(self, scope: Scope) -> tuple[list[tuple[int, UUID]], bool]:
        """(recall, memory) of each serving, and whether older ones were not looked at. The marked
        candidates come first, from their own index: there are few, and a million others."""
        marked = RecallCandidate.objects.filter(
            stale=True, rank__isnull=False, memory_id__isnull=False
        )
        newest_marked = list(
            marked.order_by("-id").values_list("recall_id", "memory_id", "status")[: WINDOW + 1]
        )
        of_these = {recall_id for recall_id, _memory, _status in newest_marked[:WINDOW]}
        edge, now = edge_of(scope), clock.now()
        # By key alone: with a time as well, the engine reads all recalls of these days.
        asked = Recall.objects.within(scope).filter(pk__in=of_these).values_list("at", "pk")
        mine = {pk for at, pk in asked if edge <= (at, pk) and at <= now}
        given = [
            (recall_id, memory_id)
            for recall_id, memory_id, status in newest_marked[:WINDOW]
            if recall_id in mine and status in self.statuses
        ]
        return given, len(newest_marked) > WINDOW
