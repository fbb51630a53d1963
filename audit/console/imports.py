"""Imports: a file is tried, looked at, brought in and, if need be, taken back."""

import json
from functools import wraps
from uuid import UUID

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.exchange import uploads
from memory.exchange.formats import formats
from memory.exchange.source import FormatError
from memory.exchange.work import IMPORT, TRIAL, UNDO, begin, carry_out, drop, take_back
from memory.jobs.work import find
from memory.models import Batch, Job, JobRow, JobState, Right
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput
from memory.write.queue import QueueTimeout

from .access import demand, seat
from .import_form import ImportForm
from .import_words import why_file, why_row
from .jobs import BUSY, may_start
from .keyset import paginate
from .pages import page, wants_part
from .progress import told, told_whole

ROWS_SHOWN = 20
# In the order in which a person asks: what is new, what was there, what was not taken.
ACTIONS = (
    "added", "superseded", "confirmed", "merged", "candidate", "quarantined", "expired",
    "retracted", "turn", "recall", "unchanged", "brought_back", "erased", "changed_here",
    "stands_here", "not_here", "checked", "rejected",
)  # fmt: skip

# What stands there as it is stored, marked for the catalogues.
WORDS = (
    gettext_noop("added"), gettext_noop("superseded"), gettext_noop("confirmed"),
    gettext_noop("merged"), gettext_noop("turn"), gettext_noop("recall"),
    gettext_noop("unchanged"), gettext_noop("erased"), gettext_noop("changed here"),
    gettext_noop("stands here"), gettext_noop("not here"), gettext_noop("checked"),
    gettext_noop("rejected"), gettext_noop("skipped"), gettext_noop("changed since"),
    gettext_noop("so at source"), gettext_noop("restored"), gettext_noop("details"),
    gettext_noop("lower trust"), gettext_noop("older observation"), gettext_noop("exact repeat"),
    gettext_noop("brought back"),
)  # fmt: skip


def importing(view):
    """Only for people whose role may start jobs; the others get a 403 page."""

    @wraps(view)
    def guarded(request, *args, **kwargs):
        if request.method == "POST":
            demand(request, Right.OPERATE)
        return view(request, *args, **kwargs)

    return guarded


@require_http_methods(["GET", "HEAD", "POST"])
@importing
def imports(request):
    """The imports there were, newest first, and a file for the next one, which is tried first."""
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        job = _begun(request, form)
        if job is not None:
            return redirect("import", job.public_id)
    rows = Job.objects.within(seat(request).scope).filter(kind__in=(TRIAL, IMPORT, UNDO))
    found = paginate(rows, "-id", request.GET.get("cursor"))
    context = {
        "form": form,
        "page": found,
        "rows": [told(row) | {"file": row.params.get("file", "")} for row in found],
        "may_import": may_start(request),
    }
    return page(request, "console/imports.html", context, status=422 if form.errors else 200)


@require_safe
def one(request, job_id: UUID):
    """One import; asked by htmx, only how far it is and what it came to."""
    job = _found(request, job_id)
    context = {
        **told_whole(job),
        "file": job.params.get("file", ""),
        "is_done": job.state == JobState.DONE,
        "announce": wants_part(request),
        **_outcome(request, job),
        "may_import": may_start(request),
        "may_cancel": may_start(request),
        "crumbs": [(_("Imports"), reverse("imports")), (job.params.get("file", ""), None)],
    }
    return page(request, "console/import.html", context, part="console/import_body.html")


@require_POST
@importing
def apply_it(request, job_id: UUID):
    """Bring in what was tried."""
    trial = _found(request, job_id)
    if trial.kind != TRIAL or trial.state != JobState.DONE:
        raise Http404
    bring_back = "bring_back" in request.POST
    if bring_back:
        demand(request, Right.ERASE)
    reason = request.POST.get("reason", "").strip()
    try:
        job = carry_out(seat(request).scope, trial, reason, bring_back=bring_back)
    except InvalidInput:
        messages.error(request, _("Nothing was brought in: say why what was erased comes back."))
        return redirect("import", job_id)
    except Conflict:
        messages.error(request, _("The file is not kept any more. Upload it again."))
        return redirect("import", job_id)
    except QueueTimeout:
        messages.error(request, BUSY)
        return redirect("import", job_id)
    return redirect("import", job.public_id)


@require_POST
@importing
def let_go(request, job_id: UUID):
    """Drop what was tried; its file is removed."""
    trial = _found(request, job_id)
    if trial.kind != TRIAL:
        raise Http404
    try:
        drop(trial)
        messages.success(request, _("The file was removed."))
    except Conflict:
        messages.error(request, _("Its import has begun, so it needs the file."))
    except QueueTimeout:
        messages.error(request, BUSY)
    return redirect("import", job_id)


@require_POST
@importing
def undo(request, job_id: UUID):
    """Take an import back, batch by batch."""
    done = _found(request, job_id)
    if done.kind != IMPORT or not done.result.get("batches"):
        raise Http404
    try:
        job = take_back(seat(request).scope, done, request.POST.get("reason", "").strip())
    except QueueTimeout:
        messages.error(request, BUSY)
        return redirect("import", job_id)
    return redirect("import", job.public_id)


def _begun(request, form: ImportForm) -> Job | None:
    file = form.cleaned_data["file"]
    try:
        upload = uploads.keep(file.chunks())
    except FormatError as error:
        form.add_error("file", f"{file.name}: {why_file(error.code) or error}")
        return None
    try:
        return begin(
            seat(request).scope, upload, file.name, form=form.cleaned_data["format"],
            options=form.options(), dry_run=True, reason=form.cleaned_data["reason"],
        )  # fmt: skip
    except QueueTimeout:
        uploads.discard(upload)
        messages.error(request, BUSY)
        return None


def _outcome(request, job: Job) -> dict:
    scope, result = seat(request).scope, job.result
    rows, later = JobRow.objects.filter(job=job), Job.objects.within(scope)
    not_taken = rows.filter(action__in=("rejected", "skipped"))
    ids = result.get("batches", [])
    known = formats().get(result.get("format", ""))
    sample = rows.exclude(action__in=("rejected", "skipped"))[:ROWS_SHOWN]
    return {
        "format": known.title if known else "",
        "counts": [(name, result[name]) for name in ACTIONS if name in result],
        "users": list(result.get("users", {}).items()),
        "sample": [row for row in sample if row.raw.get("text")],
        "told": [
            (row, *why_row(row.code, row.message), _plain(row.raw))
            for row in not_taken[:ROWS_SHOWN]
        ],
        "has_rows": rows.exists(),
        "told_total": not_taken.count(),
        "batches": list(
            Batch.objects.within(scope).filter(public_id__in=ids[:ROWS_SHOWN]).order_by("id")
        ),
        "batch_count": len(ids),
        "applied": later.filter(kind=IMPORT, params__trial=str(job.public_id)).first(),
        "taken_back": later.filter(kind=UNDO, params__import=str(job.public_id)).first(),
        "is_kept": job.kind == TRIAL and uploads.path_of(job.params["upload"]).exists(),
        "is_trial": job.kind == TRIAL,
        "may_bring_back": result.get("erased") and seat(request).membership.may(Right.ERASE),
        "is_undo": job.kind == UNDO,
    }


def _plain(raw: dict) -> str:
    return json.dumps(raw, ensure_ascii=False) if raw else ""


def _found(request, job_id: UUID) -> Job:
    job = find(seat(request).scope, job_id)
    if job is None or job.kind not in (TRIAL, IMPORT, UNDO):
        raise Http404
    return job
