"""What the runs gave: the last result of each question, the newest ones beside each other."""

from collections.abc import Iterable

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from audit.models import Question, QuestionResult, QuestionRun
from memory.models import Scope

from .ask import live

MARKS = 8
# Runs that are looked through for marks, so that years of daily runs cost no more than some.
RUNS_SEEN = 200


def with_last(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Each with `last_passed` and `last_at` of its newest result, None where it was never asked."""
    newest = QuestionResult.objects.filter(question=OuterRef("pk")).order_by("-id")
    return questions.annotate(
        last_passed=Subquery(newest.values("passed")[:1]),
        last_at=Subquery(newest.values("run__at")[:1]),
    )


def failing(scope: Scope) -> QuerySet[Question]:
    """The live questions that failed when they were last asked."""
    return with_last(live(scope)).filter(last_passed=False)


def runs(scope: Scope) -> QuerySet[QuestionRun]:
    """The runs of the workspace; for a scope bound to a user those that asked one of that user's
    questions, with `total` and `failed` of these alone as `own_total` and `own_failed`."""
    rows = QuestionRun.objects.filter(workspace_id=scope.workspace_id)
    if scope.user_id is None:
        return rows
    own = Q(results__question__user_id=scope.user_id)
    return rows.annotate(
        own_total=Count("results", filter=own),
        own_failed=Count("results", filter=own & Q(results__passed=False)),
    ).filter(own_total__gt=0)


def results_of(scope: Scope, run: QuestionRun) -> QuerySet[QuestionResult]:
    """A run's results, as far as the scope may see their questions; the failed ones first."""
    rows = QuestionResult.objects.filter(run=run).select_related("question")
    if scope.user_id is not None:
        rows = rows.filter(question__user_id=scope.user_id)
    return rows.order_by("passed", "id")


def marks(scope: Scope, questions: Iterable[Question]) -> dict[int, list[QuestionResult]]:
    """The last `MARKS` results of each question, oldest first, by its key; one query, however
    many questions."""
    recent = QuestionRun.objects.filter(workspace_id=scope.workspace_id).order_by("-id")
    edge = recent.values_list("pk", flat=True)[RUNS_SEEN - 1 : RUNS_SEEN].first() or 0
    found: dict[int, list[QuestionResult]] = {one.pk: [] for one in questions}
    rows = QuestionResult.objects.filter(question__in=found, run_id__gte=edge)
    for result in rows.select_related("run").order_by("-id"):
        if len(found[result.question_id]) < MARKS:
            found[result.question_id].insert(0, result)
    return found
