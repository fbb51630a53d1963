"""Acceptance questions over HTTP."""

from typing import Any
from uuid import UUID

from django.http import Http404
from ninja import Query, Router

from audit.models import Question, QuestionRun
from memory.api.auth import needs
from memory.api.paging import Page, Paging, counted, page_form, page_of
from memory.api.problems import READ, READ_ONE, WRITE, WRITE_ONE, Problem
from memory.api.reply import reply
from memory.models import Scope
from memory.write.proposal import InvalidInput

from .api_forms import (
    Asked,
    FullQuestion,
    FullRun,
    QuestionForm,
    QuestionIn,
    QuestionPatch,
    RunForm,
    RunIn,
    question_form,
    result_form,
    result_of_one,
    run_form,
)
from .ask import live, run
from .manage import Draft, archive, create, edit, unarchive
from .results import results_of, runs, with_last

router = Router(tags=["questions"])

RESULTS = 20
RESULT = {"passed": True, "failed": False, "never": None}


@router.get("", auth=needs("read"), response={200: Page[QuestionForm], READ: Problem})
def questions(request, asked: Query[Asked]):
    """The questions, the newest first; those archived only with `archived=true`. Needs `read`."""
    rows = Question.objects.within(request.scope.narrow(asked.user_id))
    rows = with_last(rows.filter(archived_at__isnull=not asked.archived))
    if asked.kind:
        rows = rows.filter(kind=asked.kind)
    if asked.result:
        passed = RESULT[asked.result]
        rows = (
            rows.filter(last_passed__isnull=True)
            if passed is None
            else rows.filter(last_passed=passed)
        )
    found, after = page_of(rows, "-id", asked)
    return reply(page_form([question_form(one) for one in found], after, counted(rows)))


@router.post("", auth=needs("write"), response={201: QuestionForm, WRITE: Problem})
def make(request, body: QuestionIn):
    """Make a question. A key bound to a user need not name it. Needs `write`."""
    said = body.model_dump() | {"user_id": body.user_id or request.scope.user_id or ""}
    return reply(question_form(_found(request, create(request.scope, _draft(said)).public_id)), 201)


@router.post("/run", auth=needs("write"), response={200: FullRun, WRITE_ONE: Problem})
def run_questions(request, body: RunIn | None = None):
    """Ask them now, and keep the results: `passed` is false where one does not hold and where
    there is none to ask. A thousand take some twenty seconds. Needs `write`."""
    body = body or RunIn()
    scope = request.scope.narrow(body.user_id)
    rows = live(scope)
    if body.ids is not None:
        rows = rows.filter(public_id__in=body.ids)
        if rows.count() != len(set(body.ids)):
            raise InvalidInput([("ids", "no such question, or it is archived")])
    kept = run(scope, list(rows)).run
    return reply(_full_run(scope, runs(scope).filter(pk=kept.pk).first() or kept))


@router.get("/runs", auth=needs("read"), response={200: Page[RunForm], READ: Problem})
def list_runs(request, paging: Query[Paging]):
    """The runs, the newest first. Needs `read`."""
    rows = runs(request.scope)
    found, after = page_of(rows, "-id", paging)
    return reply(page_form([run_form(one) for one in found], after, counted(rows)))


@router.get("/runs/{run_id}", auth=needs("read"), response={200: FullRun, READ_ONE: Problem})
def read_run(request, run_id: UUID):
    """One run with its results. Needs `read`."""
    found = runs(request.scope).filter(public_id=run_id).first()
    if found is None:
        raise Http404
    return reply(_full_run(request.scope, found))


@router.get("/{question_id}", auth=needs("read"), response={200: FullQuestion, READ_ONE: Problem})
def read(request, question_id: UUID):
    """One question with its newest results. Needs `read`."""
    found = _found(request, question_id)
    rows = found.results.select_related("run").order_by("-id")[:RESULTS]
    return reply(question_form(found) | {"results": [result_of_one(row) for row in rows]})


@router.patch(
    "/{question_id}", auth=needs("write"), response={200: QuestionForm, WRITE_ONE: Problem}
)
def change(request, question_id: UUID, body: QuestionPatch):
    """Change what is named; its results stay. Needs `write`."""
    found = _found(request, question_id)
    said = {name: value for name, value in body.model_dump().items() if value is not None}
    archived = said.pop("archived", None)
    if said:
        found = edit(request.scope, found, _draft(vars(Draft.of(found)) | said))
    if archived is not None:
        found = archive(found) if archived else unarchive(request.scope, found)
    return reply(question_form(found))


@router.delete(
    "/{question_id}", auth=needs("write"), response={200: QuestionForm, WRITE_ONE: Problem}
)
def remove(request, question_id: UUID):
    """Archive it: it is asked no more, and its results stay. Needs `write`."""
    return reply(question_form(archive(_found(request, question_id))))


def _found(request, question_id: UUID) -> Question:
    rows = with_last(Question.objects.within(request.scope))
    found = rows.filter(public_id=question_id).first()
    if found is None:
        raise Http404
    return found


def _draft(said: dict[str, Any]) -> Draft:
    lists = {name: tuple(said[name]) for name in ("expected", "forbidden")}
    return Draft(**said | lists)


def _full_run(scope: Scope, one: QuestionRun) -> dict[str, Any]:
    return run_form(one) | {"results": [result_form(row) for row in results_of(scope, one)]}
