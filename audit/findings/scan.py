"""The scan: what is new in the recall log is judged once, and what was wrong in it is kept."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from audit.models import ScanMark
from memory import clock
from memory.index import keyset
from memory.models import Recall, Scope
from memory.write.transaction import write_transaction

from .judge import judge
from .keep import keep

MOST = 5000
# Records a page, and so the most that one transaction holds.
PAGE = 200
# How long the transaction that keeps an answer may take, once it has its turn.
COMMIT_SECONDS = 5
READ = ("at", "answered_at", "as_of", "surface", "user_id", "public_id")


@dataclass(frozen=True)
class Scanned:
    """What one scan did. `read` counts the records it looked at for the first time, and answers
    that came since; `is_behind`: it stopped before the end of the log."""

    read: int
    occurrences: int
    is_behind: bool


def scan(scope: Scope, most: int | None = MOST) -> Scanned:
    """Judge what came into the log of the scope's whole workspace since the last scan: answers
    first, then records; about `most` of them, or all (None).

    Doing it again, or twice at once, changes nothing more. Raises `QueueTimeout` when it could
    not get its turn to write; what it kept until then stays.
    """
    work = Scope(scope.workspace_id, "scan", "command")
    began, mark = clock.now(), _mark(work)
    most = sys.maxsize if most is None else most
    read = kept = 0
    for page, answered_at in _answers(work, mark):
        fresh = sum(1 for record in page if _is_after(record.answered_at, mark.answered_at))
        kept += _page(work, page, answered_at=answered_at if fresh else None)
        read += fresh
        if read >= most:
            return Scanned(read, kept, is_behind(work))
    place = mark.recall_id
    while page := _records(work, place, min(PAGE, most - read)):
        place = page[-1].pk
        # Its answers were read just now, so later scans begin from this one.
        kept += _page(work, page, recall_id=place, answered_at=began)
        read += len(page)
    return Scanned(read, kept, is_behind(work))


def is_behind(scope: Scope) -> bool:
    """Whether there are records that no scan has looked at yet."""
    return bool(_records(scope, _mark(scope).recall_id, 1))


def _mark(scope: Scope) -> ScanMark:
    mark = ScanMark.objects.filter(workspace_id=scope.workspace_id).first()
    return mark or ScanMark(workspace_id=scope.workspace_id)


def _records(scope: Scope, after: int, size: int) -> list[Recall]:
    rows = Recall.objects.within(scope).filter(pk__gt=after).order_by("pk").only(*READ)
    return list(rows[: max(size, 0)])


def _answers(scope: Scope, mark: ScanMark) -> Iterator[tuple[list[Recall], datetime]]:
    """Records that were judged before they were answered, page by page, each with the time up to
    which all answers have then been read."""
    rows = Recall.objects.within(scope).filter(pk__lte=mark.recall_id, answered_at__isnull=False)
    if mark.answered_at is not None:
        # An answer is dated before it waits for its turn to be written.
        late = timedelta(seconds=settings.WRITE_DEADLINE_SECONDS + COMMIT_SECONDS)
        rows = rows.filter(answered_at__gt=mark.answered_at - late)
    order = "answered_at"
    rows = keyset.ordered(rows, order).only(*READ)
    page = list(rows[:PAGE])
    while page:
        last = page[-1]
        yield page, last.answered_at
        page = list(rows.filter(keyset.beyond(order, last.answered_at, last.pk))[:PAGE])


def _page(
    scope: Scope,
    page: Sequence[Recall],
    *,
    recall_id: int = 0,
    answered_at: datetime | None = None,
) -> int:
    """Judge a page and keep it together with how far that was; how many occurrences were new."""
    seen = judge(scope, page)
    if not (seen or recall_id or answered_at):
        return 0
    with write_transaction():
        kept = keep(scope, seen)
        # Another scan may have come further meanwhile.
        mark = _mark(scope)
        mark.recall_id = max(mark.recall_id, recall_id)
        if answered_at and _is_after(answered_at, mark.answered_at):
            mark.answered_at = answered_at
        ScanMark.objects.bulk_create(
            [mark],
            update_conflicts=True,
            unique_fields=["workspace"],
            update_fields=["recall_id", "answered_at"],
        )
    return kept


def _is_after(moment: datetime, other: datetime | None) -> bool:
    return other is None or moment > other
