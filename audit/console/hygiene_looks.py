"""A look at an export by a worker: how far it is, what was found, its files, dropping it."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from audit.hygiene.work import HYGIENE, cleaned_of, drop, look_of
from memory.jobs.work import find
from memory.models import Job, JobState

from .access import operating, seat
from .hygiene import ANSWERS, as_file, found
from .pages import page, wants_part
from .progress import told_whole

FILES = dict(ANSWERS).keys() - {"page"}


@require_safe
@operating
def one(request, job_id: UUID):
    """The look of a job; asked by htmx, only how far it is and what was found."""
    job = _found(request, job_id)
    look = look_of(job)
    context = {
        **told_whole(job),
        "file": job.params["file"],
        "is_gone": job.state == JobState.DONE and look is None,
        "announce": wants_part(request),
        "may_cancel": True,
        "crumbs": [
            (_("Health"), reverse("health")),
            (_("Hygiene lab"), reverse("hygiene")),
            (job.params["file"], None),
        ],
    }
    if look is not None:
        context |= found(look, cleaned_of(job))
    return page(request, "console/hygiene_look.html", context, part="console/hygiene_body.html")


@require_safe
@operating
def file(request, job_id: UUID, answer: str):
    """One of the files that come of a look, as long as it is kept."""
    job = _found(request, job_id)
    look, cleaned = look_of(job), cleaned_of(job)
    if answer not in FILES or look is None or (answer == "clean" and cleaned is None):
        raise Http404
    return as_file(look, answer, lambda: cleaned)


@require_POST
@operating
def let_go(request, job_id: UUID):
    """Remove all that is kept of a look."""
    drop(_found(request, job_id))
    messages.success(request, _("All that was kept of the export is removed."))
    return redirect("hygiene")


def _found(request, job_id: UUID) -> Job:
    job = find(seat(request).scope, job_id)
    if job is None or job.kind != HYGIENE:
        raise Http404
    return job
