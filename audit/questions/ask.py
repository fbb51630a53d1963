"""Asking: each question through the road that agents take, and what came of it kept as a run."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from uuid import UUID

from django.db.models import QuerySet

from audit.models import Question, QuestionKind, QuestionResult, QuestionRun
from memory import clock
from memory.models import Memory, Scope, Status
from memory.recall import RecallRequest, recall
from memory.recall.mentions import KNOWN
from memory.recall.road import preview
from memory.write.transaction import write_transaction

from .judge import Judged, judge, query_of

SURFACE = "question"
# The kind of the job that asks on in a run.
QUESTIONS = "questions"
# Kept together in one transaction; about a second of asking.
CHUNK = 50


@dataclass(frozen=True)
class Asked:
    """A question with its outcome; `recall_id` is the record of the recall, if one was kept."""

    question: Question
    judged: Judged
    recall_id: UUID | None
    took_ms: float

    @property
    def passed(self) -> bool:
        return self.judged.passed


@dataclass(frozen=True)
class Ran:
    """Questions asked once. An empty suite has not passed: it shows nothing."""

    asked: tuple[Asked, ...]
    took_ms: float
    run: QuestionRun | None = None

    @property
    def failed(self) -> int:
        return sum(not one.passed for one in self.asked)

    @property
    def passed(self) -> bool:
        return bool(self.asked) and not self.failed


def live(scope: Scope) -> QuerySet[Question]:
    """The questions that are asked: those not archived, in the order they were made."""
    return Question.objects.within(scope).filter(archived_at=None).order_by("id")


def ask(scope: Scope, questions: Iterable[Question], *, keep: bool = True) -> Iterator[Asked]:
    """Ask each as its user, agent and session would; with `keep` each recall is recorded, under
    the surface "question". Raises `QueueTimeout` where a record could not be kept."""

    @lru_cache
    def known(user_id: str) -> tuple[str, ...]:
        return _entities(scope.narrow(user_id))

    for question in questions:
        began = time.perf_counter()
        request = RecallRequest(
            replace(scope.narrow(question.user_id), surface=SURFACE),
            query_of(question),
            agent_id=question.agent_id,
            session_id=question.session_id,
        )
        answer = recall(request) if keep else preview(request)[0]
        names = known(question.user_id) if question.kind == QuestionKind.CONFUSION else ()
        judged = judge(question, answer.context.text, names)
        took_ms = (time.perf_counter() - began) * 1000
        yield Asked(question, judged, answer.record.public_id if keep else None, took_ms)


def run(
    scope: Scope,
    questions: Sequence[Question],
    *,
    keep: bool = True,
    progress: Callable[[int], None] = lambda done: None,
) -> Ran:
    """Ask them all; with `keep` as a run whose results stay. `progress` hears how many are done.

    Raises `QueueTimeout`: what was asked until then is kept, and the run is not passed.
    """
    kept = begin(scope, len(questions)) if keep else None
    asked: list[Asked] = []
    for chunk in _chunks(ask(scope, questions, keep=keep)):
        asked += chunk
        if kept:
            _keep(kept, chunk)
        progress(len(asked))
    return Ran(tuple(asked), sum(one.took_ms for one in asked), kept)


def begin(scope: Scope, total: int) -> QuestionRun:
    """A run with nothing asked yet: all of it counts as failed until it has passed."""
    with write_transaction():
        return QuestionRun.objects.create(
            workspace_id=scope.workspace_id,
            at=clock.now(),
            actor=scope.actor,
            surface=scope.surface,
            total=total,
            failed=total,
            took_ms=0,
        )


def go_on(scope: Scope, kept: QuestionRun) -> int:
    """Ask the next `CHUNK` questions of a run of all, and return how many are then left. Those
    archived meanwhile are not asked, and the run is so much shorter."""
    done = kept.results.count()
    rest = live(scope).exclude(pk__in=kept.results.values("question_id"))
    _keep(kept, list(ask(scope, rest[: min(CHUNK, kept.total - done)])))
    done = kept.results.count()
    if done < kept.total and not rest.exists():
        with write_transaction():
            passed = kept.results.filter(passed=True).count()
            kept.total, kept.failed = done, done - passed
            kept.save(update_fields=["total", "failed"])
    return kept.total - done


def _keep(kept: QuestionRun, asked: Sequence[Asked]) -> None:
    rows = [
        QuestionResult(
            run=kept,
            question=one.question,
            passed=one.passed,
            missing=list(one.judged.missing),
            present=list(one.judged.present),
            recall_id=one.recall_id,
        )
        for one in asked
    ]
    with write_transaction():
        # Somebody else may carry the same run on.
        QuestionResult.objects.bulk_create(rows, ignore_conflicts=True)
        kept.failed = kept.total - kept.results.filter(passed=True).count()
        kept.took_ms = round(kept.took_ms + sum(one.took_ms for one in asked), 1)
        kept.save(update_fields=["failed", "took_ms"])


def _chunks(asked: Iterator[Asked]) -> Iterator[list[Asked]]:
    while chunk := list(islice(asked, CHUNK)):
        yield chunk


def _entities(scope: Scope) -> tuple[str, ...]:
    """What the user's active memories are about, the newest first."""
    rows = Memory.objects.within(scope).filter(status=Status.ACTIVE).exclude(entity="")
    names = rows.order_by("-id").values_list("entity", flat=True)[:KNOWN]
    return tuple(dict.fromkeys(names))
