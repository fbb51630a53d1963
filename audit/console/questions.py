"""Acceptance questions: their list, one of them with what its runs gave, making and changing."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit.models import Question
from audit.questions import manage
from audit.questions.manage import Draft
from audit.questions.results import marks, runs
from memory.models import Correction, Recall
from memory.write.proposal import InvalidInput
from memory.write.queue import QueueTimeout

from .access import correcting, recall_or_404, seat
from .keyset import paginate
from .listing import chips
from .log import users_of
from .pages import page
from .question_parts import QuestionFilter, QuestionForm, of_correction, of_recall
from .question_runs import may_ask

BUSY = gettext_lazy("The store is busy and nothing was kept. Try again in a moment.")
RUNS_LISTED = 8
RESULTS = 20


@require_safe
def questions(request):
    """The questions, the newest first; `status` names the tab, `result`, `kind`, `user_id` and
    `q` narrow it."""
    scope = seat(request).scope
    chosen = QuestionFilter(request.GET, scope)
    found = paginate(chosen.qs, "-id", request.GET.get("cursor"))
    seen = marks(scope, found.rows)
    context = {
        "page": found,
        "rows": [(row, seen[row.pk]) for row in found],
        "states": chosen.tabs(),
        "tab": chosen.tab,
        "facets": chosen.facets(),
        "search": chosen.wanted.get("q", ""),
        "set": chips(chosen),
        "chips": [] if found.rows else chips(chosen, count=True),
        "runs": runs(scope).order_by("-id")[:RUNS_LISTED],
        "may_ask": may_ask(request),
    }
    return page(request, "console/questions.html", context, part="console/questions_list.html")


@require_http_methods(["GET", "HEAD", "POST"])
@correcting
def new(request):
    """GET: a form, filled from `recall` or `correction`. POST: make the question."""
    draft, made_from = _start(request, request.GET)
    form = QuestionForm(request.POST if request.method == "POST" else None, draft)
    made = _made(request, form, made_from)
    if made:
        return redirect("question", made.public_id)
    return _form_page(request, form, 422 if form.is_bound else 200)


@require_POST
@correcting
def make(request):
    """A question of a recall or of an applied correction, at one click; where something is
    missing, the form with what is known."""
    draft, made_from = _start(request, request.POST)
    form = QuestionForm.sent(draft)
    made = _made(request, form, made_from)
    if made:
        return redirect("question", made.public_id)
    return _form_page(request, form, 422, made_from)


@require_http_methods(["GET", "HEAD", "POST"])
def one(request, question_id: UUID):
    """GET: one question and its results. POST: change what it asks."""
    if request.method == "POST":
        return _edited(request, question_id)
    question = question_or_404(request, question_id)
    return _page(request, question, QuestionForm(draft=Draft.of(question)))


@require_POST
@correcting
def archive(request, question_id: UUID):
    """Ask it no more."""
    return _moved(request, question_id, lambda scope, found: manage.archive(found))


@require_POST
@correcting
def unarchive(request, question_id: UUID):
    """Ask it again."""
    return _moved(request, question_id, manage.unarchive)


def question_or_404(request, question_id: UUID) -> Question:
    rows = Question.objects.within(seat(request).scope)
    found = rows.filter(public_id=question_id).first()
    if found is None:
        raise Http404
    return found


@correcting
def _edited(request, question_id: UUID):
    question = question_or_404(request, question_id)
    form = QuestionForm(request.POST, Draft.of(question))
    if form.is_valid():
        try:
            manage.edit(seat(request).scope, question, form.draft)
            messages.success(request, _("The question is saved."))
            return redirect("question", question.public_id)
        except InvalidInput as error:
            form.complain(error)
        except QueueTimeout:
            form.add_error(None, BUSY)
    # What was typed is in the form; around it stands the question as it is.
    return _page(request, question_or_404(request, question.public_id), form, 422)


def _moved(request, question_id: UUID, move):
    question = question_or_404(request, question_id)
    try:
        move(seat(request).scope, question)
    except InvalidInput as error:
        messages.error(request, "; ".join(_(message) for _name, message in error.errors))
    except QueueTimeout:
        messages.error(request, BUSY)
    return redirect("question", question.public_id)


def _start(request, said) -> tuple[Draft, dict[str, UUID]]:
    """What a question begins with, and what it is made from. 404 for what is not there."""
    scope = seat(request).scope
    if said.get("recall"):
        recall = recall_or_404(request, _uuid(said["recall"]))
        draft = of_recall(recall, said.getlist("expected")[: manage.VALUES])
        return draft, {"from_recall": recall.public_id}
    if said.get("correction"):
        rows = Correction.objects.within(scope).select_related("batch", "recall")
        found = rows.filter(public_id=_uuid(said["correction"])).first()
        if found is None:
            raise Http404
        return of_correction(scope, found), {"from_correction": found.public_id}
    return Draft(user_id=said.get("user_id", "")[: manage.NAME_LIMIT]), {}


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None


def _made(request, form: QuestionForm, made_from: dict) -> Question | None:
    if not form.is_valid():
        return None
    try:
        made = manage.create(seat(request).scope, form.draft, **made_from)
    except InvalidInput as error:
        form.complain(error)
    except QueueTimeout:
        form.add_error(None, BUSY)
    else:
        messages.success(request, _("The question is made; it is asked with the next run."))
        return made
    return None


def _form_page(request, form: QuestionForm, status: int, made_from: dict | None = None):
    context = {
        "form": form,
        "users": users_of(seat(request).scope),
        "crumbs": [(_("Questions"), reverse("questions")), (_("New question"), None)],
        "action": _action(request, made_from or {}),
    }
    return page(request, "console/question_new.html", context, status=status)


def _action(request, made_from: dict[str, UUID]) -> str:
    """Where the form goes: the same address, or the one that names what it is made from."""
    if not made_from:
        return request.get_full_path()
    (name, public_id), *_rest = made_from.items()
    return f"{reverse('question-new')}?{name.removeprefix('from_')}={public_id}"


def _page(request, question: Question, form: QuestionForm, status: int = 200):
    scope = seat(request).scope
    rows = question.results.select_related("run")
    context = {
        "question": question,
        "form": form,
        "page": paginate(rows, "-id", request.GET.get("cursor"), RESULTS),
        "users": users_of(scope),
        "origin": _origin(scope, question),
        "crumbs": [(_("Questions"), reverse("questions")), (str(question), None)],
        "action": reverse("question", args=[question.public_id]),
        "may_ask": may_ask(request),
    }
    return page(request, "console/question.html", context, status=status)


def _origin(scope, question: Question) -> str:
    """The address of what it was made from, "" where that is gone or there was nothing."""
    for name, model, public_id in (
        ("recall", Recall, question.from_recall),
        ("correction", Correction, question.from_correction),
    ):
        if public_id and model.objects.within(scope).filter(public_id=public_id).exists():
            return reverse(name, args=[public_id])
    return ""
