"""Jobs: what was asked for, how far it is, what became of its rows; starting and ending one."""

import csv
from uuid import UUID

from django.contrib import messages
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from memory.jobs.work import NotOpen, cancel, find, progress, start, title_of
from memory.models import Batch, Job, JobRow, JobState, Right
from memory.write.queue import QueueTimeout

from .access import operating, seat
from .keyset import paginate
from .pages import page

# What is started here; other kinds have pages of their own.
STARTED_HERE = {
    "health": gettext_lazy("Run the health checks"),
    "reindex": gettext_lazy("Rebuild the search indexes"),
}
BUSY = gettext_lazy("The store is busy and nothing was changed. Try again in a moment.")
PILLS = {
    JobState.QUEUED: "candidate",
    JobState.RUNNING: "quarantined",
    JobState.DONE: "active",
    JobState.FAILED: "rejected",
    JobState.CANCELLED: "plain",
}
BATCHES_SHOWN = 20
# What makes a spreadsheet take a cell for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@require_safe
def jobs(request):
    """What was asked for, newest first, and what may be started."""
    found = paginate(Job.objects.within(seat(request).scope), "-id", request.GET.get("cursor"))
    context = {
        "page": found,
        "rows": [_told(row) for row in found],
        "kinds": STARTED_HERE.items() if may_start(request) else (),
    }
    return page(request, "console/jobs.html", context)


@require_safe
def one(request, job_id: UUID):
    """One job; asked by htmx, only how far it is."""
    job = _found(request, job_id)
    scope = seat(request).scope
    batches = Batch.objects.within(scope).filter(public_id__in=job.result.get("batches", []))
    context = {
        **_told(job),
        "job": job,
        "counts": _counts(job),
        "batches": list(batches.order_by("id")[:BATCHES_SHOWN]),
        "page": paginate(JobRow.objects.filter(job=job), "id", request.GET.get("cursor")),
        "may_cancel": may_start(request),
        "crumbs": [(_("Jobs"), reverse("jobs")), (title_of(job), None)],
    }
    return page(request, "console/job.html", context, part="console/job_state.html")


@require_safe
def rows(request, job_id: UUID):
    """The rows of a job as CSV, for a spreadsheet."""
    job = _found(request, job_id)
    found = JobRow.objects.filter(job=job).order_by("id").iterator(500)
    names = ("row", "action", "memory", "code", "why", "as_it_came")
    lines = ([r.number, r.action, r.memory_id or "", r.code, r.message, r.raw or ""] for r in found)
    writer = csv.writer(_Echo())
    told = (writer.writerow([_cell(value) for value in line]) for line in (names, *lines))
    name = f"job-{job.public_id}.csv"
    return StreamingHttpResponse(
        told,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


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
    job = _found(request, job_id)
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


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _cell(value) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _told(job: Job) -> dict:
    done, total = progress(job)
    return {
        "job": job,
        "title": title_of(job),
        "pill": PILLS[job.state],
        "done": done,
        "total": total,
        "is_open": job.state in (JobState.QUEUED, JobState.RUNNING),
    }


def _counts(job: Job) -> list[tuple[str, int]]:
    """The numbers among the results."""
    numbers = {n: v for n, v in job.result.items() if isinstance(v, int) and n != "starts"}
    return [(_(name.replace("_", " ")), value) for name, value in numbers.items()]


def _found(request, job_id: UUID) -> Job:
    job = find(seat(request).scope, job_id)
    if job is None:
        raise Http404
    return job
