"""Jobs: what was asked for, how far it is, what became of its rows; starting and ending one."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from memory.jobs import alive
from memory.jobs.undoing import can_take_back
from memory.jobs.work import NotOpen, cancel, find, start, title_of
from memory.models import Batch, Job, JobRow, Right
from memory.write.queue import QueueTimeout

from .access import operating, seat
from .bulk_preview import WHY
from .import_words import why_row
from .keyset import paginate
from .pages import page, wants_part
from .progress import made_by, told, told_whole

# What is started here; other kinds have pages of their own.
STARTED_HERE = {
    "health": gettext_lazy("Run the health checks"),
    "reindex": gettext_lazy("Rebuild the search indexes"),
}
BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")
BATCHES_SHOWN = 20
# Numbers among the results that count nothing.
NO_COUNTS = ("starts", "report")


@require_safe
def jobs(request):
    """What was asked for, newest first, and what may be started."""
    found = paginate(Job.objects.within(seat(request).scope), "-id", request.GET.get("cursor"))
    rows = [told(row) | {"file": row.params.get("file", "")} for row in found]
    context = {
        "page": found,
        "rows": rows,
        "is_stuck": any(row["is_open"] for row in rows) and not alive.is_there(),
        "kinds": STARTED_HERE.items() if may_start(request) else (),
    }
    return page(request, "console/jobs.html", context)


@require_safe
def one(request, job_id: UUID):
    """One job; asked by htmx, only how far it is."""
    job = job_or_404(request, job_id)
    scope = seat(request).scope
    batches = Batch.objects.within(scope).filter(public_id__in=job.result.get("batches", []))
    found = paginate(JobRow.objects.filter(job=job), "id", request.GET.get("cursor"))
    context = {
        **told_whole(job),
        "file": job.params.get("file", ""),
        "announce": wants_part(request),
        "made": made_by(job),
        "counts": _counts(job),
        "batches": list(batches.order_by("id")[:BATCHES_SHOWN]),
        "page": found,
        "told": [(row, *_why(row)) for row in found],
        "may_cancel": may_start(request),
        "may_undo": seat(request).membership.may_correct and can_take_back(scope, job),
        "crumbs": [(_("Jobs"), reverse("jobs")), (title_of(job), None)],
    }
    return page(request, "console/job.html", context, part="console/job_state.html")


@require_POST
@operating
def begin(request):
    """Start one of the kinds that are started here."""
    kind = request.POST.get("kind", "")
    if kind not in STARTED_HERE:
        raise Http404
    try:
        job = start(seat(request).scope, kind)
    except QueueTimeout:
        messages.error(request, BUSY)
        return redirect("jobs")
    return redirect("job", job.public_id)


@require_POST
@operating
def end(request, job_id: UUID):
    """Cancel a job that waits or runs."""
    job = job_or_404(request, job_id)
    try:
        cancel(job)
        messages.success(request, _("The job was cancelled. What it has done stays."))
    except NotOpen:
        messages.error(request, _("The job is over already."))
    except QueueTimeout:
        messages.error(request, BUSY)
    return redirect("job", job.public_id)


def may_start(request) -> bool:
    return seat(request).membership.may(Right.OPERATE)


def _why(row: JobRow) -> tuple[str, str]:
    """Why a row was left out, and more of that; of a bulk change in the words of its preview."""
    return (str(WHY[row.code]), "") if row.code in WHY else why_row(row.code, row.message)


def _counts(job: Job) -> list[tuple[str, int]]:
    """The numbers among the results."""
    return [
        (_(name.replace("_", " ")), value)
        for name, value in job.result.items()
        if isinstance(value, int) and name not in NO_COUNTS
    ]


def job_or_404(request, job_id: UUID) -> Job:
    job = find(seat(request).scope, job_id)
    if job is None:
        raise Http404
    return job
