"""The console's lists as files: for each page the same rows by the same filters."""

from collections.abc import Iterator
from dataclasses import asdict

from django.core.exceptions import ValidationError

from audit.models import Finding, HealthReport
from audit.questions.api_forms import question_form
from memory.api.erasures import erasure_form
from memory.api.form import memory_form
from memory.api.jobs import job_form
from memory.api.recalls import recall_form
from memory.exchange.work import IMPORT, TRIAL, UNDO
from memory.index.past import as_of
from memory.models import Batch, Correction, Job, Memory, Right, Status
from memory.write.accesses import note, note_ids
from memory.write.erase.certificate import erasures
from memory.write.images import images
from memory.write.working import sessions

from . import past
from .access import seat
from .activity import ActivityFilter
from .correction_parts import TABS as CORRECTION_TABS
from .difference import DifferenceForm, found_by
from .inbox_parts import TABS as FINDING_TABS
from .inbox_parts import chosen_by
from .listing import column_of, order_of
from .memory_filter import MemoryFilter
from .question_parts import QuestionFilter
from .recall_log import RecallFilter
from .review_forms import Filter
from .review_paging import page_of as waiting_page
from .table_details import DETAILS
from .table_settings import SETTINGS
from .tables import MOST, Row, Table, picked, read


def _memories(request) -> Iterator[Row]:
    then, asked = past.then(request), request.GET.copy()
    if then.moment:
        asked.pop("check", None)
    with as_of(then.moment):
        chosen = MemoryFilter(asked, seat(request).scope, is_past=then.moment is not None)
        order = "-created" if chosen.is_past and "sort" not in asked else order_of(chosen)
        # Whole, before the block ends.
        rows = list(read(*column_of(chosen, order)))
    return _told(request, rows)


def _history(request) -> Iterator[Row]:
    chosen = MemoryFilter(request.GET, seat(request).scope, (Status.SUPERSEDED.value,))
    return _told(request, list(read(*column_of(chosen, order_of(chosen)))))


def _told(request, rows: list[Memory]) -> Iterator[Row]:
    workspace = seat(request).workspace.name
    note(seat(request).scope, rows, "export")
    for row in rows:
        form = memory_form(row, workspace)
        # Not looked up for thousands of rows; its page tells it.
        form.pop("accessed_at")
        yield form


def _recalls(request) -> Iterator[Row]:
    log = RecallFilter(request.GET, seat(request).scope)
    return map(recall_form, read(log.qs, log.order))


def _activity(request) -> Iterator[Row]:
    rows = Batch.objects.within(seat(request).scope).select_related("undoes", "undone_by")
    for batch in read(ActivityFilter(request.GET, rows).qs, "-id"):
        yield {
            "id": str(batch.public_id),
            **picked(batch, "at", "user_id", "actor", "surface", "verb", "reason"),
            "undoes": batch.undoes and str(batch.undoes.public_id),
            "undone_by": str(batch.undone_by.public_id) if batch.is_undone else None,
        }


def _corrections(request) -> Iterator[Row]:
    asked = request.GET.get("status", "")
    tab = CORRECTION_TABS[asked if asked in CORRECTION_TABS else "open"]
    rows = Correction.objects.within(seat(request).scope).filter(tab[1]).select_related("batch")
    names = ("at", "user_id", "session_id", "text", "verdict", "reason", "count", "cap", "blocked")
    for row in read(rows, "-id"):
        batch = row.batch and str(row.batch.public_id)
        rest = picked(row, *names, "state", "actor", "surface", "expires_at")
        yield {"id": str(row.public_id), **rest, "batch_id": batch}


def _inbox(request) -> Iterator[Row]:
    asked = request.GET.get("status", "")
    chosen = chosen_by(asked if asked in FINDING_TABS else "open", request.user.pk)
    rows = Finding.objects.within(seat(request).scope).filter(chosen).select_related("assigned_to")
    for row in read(rows, "-last_at"):
        names = ("check_name", "user_id", "state", "first_at", "last_at", "occurrences")
        assigned = row.assigned_to and row.assigned_to.get_username()
        memory = {"id": row.pk, "memory_id": str(row.memory_id)}
        yield {**memory, **picked(row, *names), "assigned_to": assigned}


def _questions(request) -> Iterator[Row]:
    chosen = QuestionFilter(request.GET, seat(request).scope)
    return map(question_form, read(chosen.qs, "-id"))


def _reports(request) -> Iterator[Row]:
    rows = HealthReport.objects.within(seat(request).scope).defer("body")
    return (picked(row, "id", "at", "worst", "took_ms") for row in read(rows, "-at"))


def _erasures(request) -> Iterator[Row]:
    return map(erasure_form, read(erasures(seat(request).scope), "-id"))


def _jobs(request) -> Iterator[Row]:
    return map(job_form, read(Job.objects.within(seat(request).scope), "-id"))


def _imports(request) -> Iterator[Row]:
    rows = Job.objects.within(seat(request).scope).filter(kind__in=(TRIAL, IMPORT, UNDO))
    return ({"file": row.params.get("file", "")} | job_form(row) for row in read(rows, "-id"))


def _difference(request) -> Iterator[Row]:
    """Whole, where the page's own JSON is by pages."""
    form = DifferenceForm(request.GET)
    if not form.is_valid():
        raise ValidationError(form.errors)
    found = found_by(request, form, MOST + 1).moved
    note_ids(seat(request).scope, (moved.entry.memory_id for moved in found), "export")
    for moved in found:
        before, after = moved.before or {}, moved.now
        yield {
            "change": moved.change,
            "memory_id": str(moved.entry.memory_id),
            **{name: after[name] for name in ("user_id", "agent_id", "kind")},
            "before": before.get("text", ""),
            "after": after["text"],
            "status": moved.after["status"],
            "fields": moved.fields,
            "at": moved.entry.at.isoformat(),
            "batch_id": str(moved.batch.public_id),
            **picked(moved.batch, "actor", "reason"),
        }


def _images(request) -> Iterator[Row]:
    names = ("at", "user_id", "sha256", "width", "height", "name", "caption", "transcript")
    rows = read(images(seat(request).scope), "-id")
    return ({"id": str(row.public_id), **picked(row, *names, "read_by", "actor")} for row in rows)


def _working(request) -> Iterator[Row]:
    for one in sessions(seat(request).scope):
        yield asdict(one) | {"expires_at": one.expires_at.isoformat()}


def _review(request) -> Iterator[Row]:
    asked, scope, cursor = Filter(request.GET).asked(), seat(request).scope, None
    while True:
        page = waiting_page(scope, asked, cursor)
        for item in page.items:
            memory = getattr(item.told, "memory", None)
            yield {
                "item": item.value,
                "kind": item.kind.name,
                **picked(item, "at", "user_id"),
                "reasons": [str(reason) for reason in item.reasons],
                "memory_id": memory and str(memory.public_id),
                "text": memory.text if memory else "",
            }
        cursor = page.next
        if cursor is None:
            return


TABLES = (
    Table("memories", _memories),
    Table("history", _history),
    Table("recalls", _recalls),
    Table("activity", _activity),
    Table("corrections", _corrections),
    Table("inbox", _inbox),
    Table("review", _review),
    Table("questions", _questions),
    Table("health/reports", _reports),
    Table("erasures", _erasures, Right.AUDIT),
    Table("jobs", _jobs),
    Table("images", _images),
    Table("working", _working),
    Table("imports", _imports),
    Table("diff", _difference, page="difference"),
    *DETAILS,
    *SETTINGS,
)
