"""Keeping what the scan saw: one finding a memory, one occurrence a recall."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from audit.models import Finding, FindingEvent, FindingState, Occurrence
from memory import clock
from memory.models import Memory, Scope
from memory.write.webhooks import MOST_IDS, emit

from .judge import Seen

CHECK = "invalidated_retrieved"


def keep(scope: Scope, seen: Sequence[Seen]) -> int:
    """Group what was seen by memory; how many occurrences were new. Inside a write transaction.

    A resolved finding opens again when something new was seen that happened after it was
    resolved; an ignored one only counts.
    """
    if not seen:
        return 0
    findings = _findings(scope, seen)
    known = set(
        Occurrence.objects.filter(
            finding__in=findings.values(), recall_id__in={one.recall.pk for one in seen}
        ).values_list("finding_id", "recall_id")
    )
    new: dict[tuple[int, int], Seen] = {}
    for one in seen:
        place = (findings[one.memory_id].pk, one.recall.pk)
        if place not in known:
            new.setdefault(place, one)
    Occurrence.objects.bulk_create(
        Occurrence(finding_id=pk, recall=one.recall, how=one.how, status=one.status, at=one.at)
        for (pk, _recall), one in new.items()
    )
    _count(scope, findings, new.values())
    return len(new)


def _findings(scope: Scope, seen: Sequence[Seen]) -> dict[UUID, Finding]:
    rows = Finding.objects.within(scope).filter(check_name=CHECK)
    wanted: dict[UUID, Seen] = {}
    for one in seen:
        wanted.setdefault(one.memory_id, one)
    found = {row.memory_id: row for row in rows.filter(memory_id__in=wanted)}
    fresh = [one for memory_id, one in wanted.items() if memory_id not in found]
    if not fresh:
        return found
    owners = dict(
        Memory.objects.within(scope)
        .filter(public_id__in=[one.memory_id for one in fresh])
        .values_list("public_id", "user_id")
    )
    made = [
        Finding(
            workspace_id=scope.workspace_id,
            check_name=CHECK,
            memory_id=one.memory_id,
            user_id=owners.get(one.memory_id, one.recall.user_id),
            first_at=one.at,
            last_at=one.at,
        )
        for one in fresh
    ]
    rows.bulk_create(made)
    told = [(row, one) for row, one in zip(made, fresh, strict=True)]
    _tell(scope, "opened", told)
    ids = [str(row.memory_id) for row in made]
    emit(scope.workspace_id, "finding.opened", {"memory_ids": ids[:MOST_IDS], "count": len(ids)})
    return found | {row.memory_id: row for row in made}


def _count(scope: Scope, findings: dict[UUID, Finding], new: Iterable[Seen]) -> None:
    grouped: dict[UUID, list[Seen]] = defaultdict(list)
    for one in new:
        grouped[one.memory_id].append(one)
    touched = [findings[memory_id] for memory_id in grouped]
    resolved = _resolved_at(touched)
    again = []
    for row in touched:
        times = grouped[row.memory_id]
        row.occurrences += len(times)
        row.first_at = min(row.first_at, *(one.at for one in times))
        row.last_at = max(row.last_at, *(one.at for one in times))
        later = [one for one in times if row.pk in resolved and one.at >= resolved[row.pk]]
        if later:
            row.state = FindingState.OPEN
            row.reopened += 1
            again.append((row, later[0]))
    _save(scope, touched)
    _tell(scope, "reopened", again)


def _save(scope: Scope, findings: Iterable[Finding]) -> None:
    """An upsert by the finding's own key: `bulk_update` takes 1 s for 300 rows."""
    rows = [copy(row) for row in findings]
    for row in rows:
        row.pk = None
    Finding.objects.within(scope).bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["workspace", "check_name", "memory_id"],
        update_fields=["occurrences", "first_at", "last_at", "state", "reopened"],
    )


def _resolved_at(findings: Iterable[Finding]) -> dict[int, datetime]:
    """When those that are resolved were."""
    rows = FindingEvent.objects.filter(
        finding__in=[row for row in findings if row.state == FindingState.RESOLVED],
        verb="resolved",
    )
    return dict(rows.values_list("finding").annotate(last=Max("at")).order_by())


def _tell(scope: Scope, verb: str, told: Iterable[tuple[Finding, Seen]]) -> None:
    """An event of the scan names the record in which it saw it."""
    now = clock.now()
    FindingEvent.objects.bulk_create(
        FindingEvent(
            finding=row, at=now, actor=scope.actor, verb=verb, text=str(one.recall.public_id)
        )
        for row, one in told
    )
