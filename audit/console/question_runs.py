"""Runs of the acceptance questions: asking them all or one, and what a run gave."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from audit.models import Question, QuestionRun
from audit.questions.ask import CHUNK, QUESTIONS, begin, go_on, live, run
from audit.questions.results import results_of, runs
from memory.jobs import alive, work
from memory.models import Job, JobState, Right, Scope
from memory.write.queue import QueueTimeout

from .access import demand, seat
from .jobs import may_start
from .keyset import paginate
from .listing import State
from .pages import page, wants_part
from .progress import told_whole

BUSY = gettext_lazy("The store is busy; what was asked until now is kept. Go on in a moment.")
TABS = {
    "failed": (gettext_lazy("Failed"), {"passed": False}),
    "passed": (gettext_lazy("Holds"), {"passed": True}),
    "any": (gettext_lazy("All"), {}),
}


def may_ask(request) -> bool:
    """Asking writes recall records and results, so a mere reader does not."""
    return seat(request).membership.may(Right.MEASURE)


@require_POST
def start(request):
    """Ask every question: more than one piece of them is a worker's, where one is there; else the
    first ones are asked within this request and the run's page asks on."""
    _check(request)
    scope = seat(request).scope
    total = live(scope).count()
    if not total:
        messages.error(
            request, _("There is no question to ask, so nothing has been shown to hold.")
        )
        return redirect("questions")
    try:
        kept = begin(scope, total)
        if total > CHUNK and alive.is_there():
            work.start(scope, QUESTIONS, {"run": str(kept.public_id)}, total=total)
            return redirect("question-run", kept.public_id)
    except QueueTimeout:
        messages.error(request, BUSY)
        return redirect("questions")
    return _carried_on(request, kept)


@require_POST
def more(request, run_id: UUID):
    """Ask the next questions of a run that is not finished."""
    _check(request)
    return _carried_on(request, run_or_404(request, run_id))


@require_POST
def ask_one(request, question_id: UUID):
    """Ask one question now, as a run of its own."""
    _check(request)
    scope = seat(request).scope
    question = Question.objects.within(scope).filter(public_id=question_id).first()
    if question is None:
        raise Http404
    if question.archived_at:
        messages.error(request, _("It is archived, so it is not asked."))
        return redirect("question", question.public_id)
    try:
        ran = run(scope, [question])
    except QueueTimeout:
        messages.error(request, BUSY)
    else:
        if ran.passed:
            messages.success(request, _("It holds."))
        else:
            messages.error(request, _("It does not hold."))
    return redirect("question", question.public_id)


@require_safe
def one(request, run_id: UUID):
    """One run: how many hold, and what each that does not lacked or had."""
    return _page(request, run_or_404(request, run_id))


def _check(request) -> None:
    demand(request, Right.MEASURE)


def _carried_on(request, kept: QuestionRun):
    try:
        if kept.results.count() < kept.total:
            go_on(seat(request).scope, kept)
    except QueueTimeout:
        messages.error(request, BUSY)
    if wants_part(request):
        return _page(request, kept)
    return redirect("question-run", kept.public_id)


def run_or_404(request, run_id: UUID) -> QuestionRun:
    found = runs(seat(request).scope).filter(public_id=run_id).first()
    if found is None:
        raise Http404
    return found


def _job_of(scope: Scope, kept: QuestionRun) -> dict[str, Any]:
    """How far the worker is that asks on in the run; nothing where none was asked to."""
    own = Job.objects.within(scope).filter(kind=QUESTIONS, params__run=str(kept.public_id))
    job = own.order_by("-id").first()
    return told_whole(job) if job else {}


def _page(request, kept: QuestionRun):
    # Before the results, so that none are told of by neither.
    job = _job_of(seat(request).scope, kept)
    rows = results_of(seat(request).scope, kept)
    asked = rows.count()
    failed = rows.filter(passed=False).count()
    counts = {"failed": failed, "passed": asked - failed, "any": asked}
    wanted = request.GET.get("status", "")
    tab = wanted if wanted in TABS else "failed" if failed else "any"
    context = job | {
        "run": kept,
        "asked": asked,
        "failed": failed,
        "holds": asked - failed,
        "is_finished": asked >= kept.total,
        "announce": wants_part(request),
        "is_worked_on": job.get("is_open") and job["has_worker"],
        "is_cancelled": bool(job) and job["job"].state == JobState.CANCELLED,
        "may_cancel": may_start(request),
        "page": paginate(rows.filter(**TABS[tab][1]).order_by(), "id", request.GET.get("cursor")),
        "states": [
            State(name, text, counts[name], False, name == tab)
            for name, (text, _rows) in TABS.items()
        ],
        "tab": tab,
        "crumbs": [(_("Questions"), reverse("questions")), (_("Run"), None)],
        "may_ask": may_ask(request) and kept.surface == "console",
    }
    return page(
        request, "console/question_run.html", context, part="console/question_run_list.html"
    )
