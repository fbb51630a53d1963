"""What the page of one thing lists, as a file."""

from collections.abc import Iterator
from uuid import UUID

from audit.health.trend import trend
from audit.questions.api_forms import result_form
from audit.questions.results import results_of
from memory.api.accesses import access_form
from memory.api.history import change_form, changes_of
from memory.models import JobRow, Right
from memory.write.accesses import note, note_ids, readings

from .access import batch_or_404, finding_or_404, memory_or_404, seat
from .health_reports import asked_check
from .jobs import job_or_404
from .question_runs import TABS, run_or_404
from .tables import MOST, Row, Table, picked, read
from .working import items_or_404


def _batch(request, batch_id: UUID) -> Iterator[Row]:
    rows = batch_or_404(request, batch_id).changes.select_related("batch")
    entries = list(read(rows, "id"))
    note_ids(seat(request).scope, (entry.memory_id for entry in entries), "export")
    return (change_form(entry, seat(request).workspace.name) for entry in entries)


def _history(request, memory_id: UUID) -> Iterator[Row]:
    memory = memory_or_404(request, memory_id)
    note(seat(request).scope, [memory], "export")
    rows = changes_of(seat(request).scope, memory)
    return (change_form(entry, seat(request).workspace.name) for entry in read(rows, "id"))


def _accesses(request, memory_id: UUID) -> Iterator[Row]:
    found = readings(seat(request).scope, memory_or_404(request, memory_id), MOST + 1)
    return map(access_form, found)


def _finding(request, finding_id: int) -> Iterator[Row]:
    rows = finding_or_404(request, finding_id).found_in.select_related("recall")
    for row in read(rows.defer("recall__context", "recall__answer"), "-id"):
        recall = {"recall_id": str(row.recall.public_id), "query": row.recall.query}
        yield (
            picked(row, "at", "how", "status")
            | recall
            | picked(row.recall, "user_id", "agent_id", "actor")
        )


def _run(request, run_id: UUID) -> Iterator[Row]:
    rows = results_of(seat(request).scope, run_or_404(request, run_id))
    tab = TABS.get(request.GET.get("status", ""), TABS["any"])
    return map(result_form, read(rows.filter(**tab[1]), "id"))


def _job(request, job_id: UUID) -> Iterator[Row]:
    for row in read(JobRow.objects.filter(job=job_or_404(request, job_id)), "id"):
        yield {
            "row": row.number,
            "action": row.action,
            "memory": row.memory_id and str(row.memory_id),
            "code": row.code,
            "why": row.message,
            "as_it_came": row.raw or None,
        }


def _session(request, name: str) -> Iterator[Row]:
    for item in items_or_404(request, name):
        yield picked(item, "key", "value", "at", "expires_at", "held")


def _trends(request) -> Iterator[Row]:
    found, chosen = trend(seat(request).scope), asked_check(request)
    for point in reversed(found.of(chosen.id) if chosen else found.states):
        told = point.to_dict()
        yield {**told, **told.pop("counts", {})}


DETAILS = (
    Table("activity/<uuid:batch_id>", _batch, page="batch"),
    Table("memories/<uuid:memory_id>/history", _history, page="memory"),
    Table("memories/<uuid:memory_id>/accesses", _accesses, Right.AUDIT, "memory-accesses"),
    Table("inbox/<int:finding_id>", _finding, page="finding"),
    Table("questions/runs/<uuid:run_id>", _run, page="question-run"),
    Table("jobs/<uuid:job_id>/rows", _job, page="job"),
    Table("working/<slug:name>", _session, page="working-session"),
    Table("health/trends", _trends),
)
