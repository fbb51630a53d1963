"""Asking through the road that agents take."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import QuestionResult, QuestionRun
from audit.questions import ask as asking
from audit.questions.ask import begin, go_on, live, run
from audit.questions.manage import archive
from audit.questions.results import failing, marks
from memory import clock
from memory.models import Recall
from memory.write.queue import QueueTimeout
from tests import factories as make

from .makers import asked, question

pytestmark = pytest.mark.django_db


def test_a_question_is_a_recorded_recall_of_its_user_agent_and_session():
    make.budget("640")
    result = asked(question(agent_id="planner", session_id="s9"))
    record = Recall.objects.within(make.scope()).get()
    assert (record.user_id, record.agent_id, record.session_id, record.surface) == (
        "ann", "planner", "s9", "question",
    )  # fmt: skip
    assert (result.passed, result.recall_id) == (True, record.public_id)
    assert "640" in record.context


def test_it_fails_where_the_value_is_missing_or_anothers():
    make.budget("640", user_id="bea")
    result = asked(question())
    assert (result.passed, result.missing, result.present) == (False, ["640"], [])


def test_a_superseded_value_no_longer_comes_up():
    one = question(kind="expired", expected=("910",), forbidden=("640",))
    with clock.at(clock.now() - timedelta(hours=2)):
        make.budget("640")
    before = asked(one)
    assert (before.passed, before.missing, before.present) == (False, ["910"], ["640"])
    with clock.at(clock.now() - timedelta(hours=1)):
        make.budget("910")
    assert asked(one).passed


def test_the_present_words_go_along_with_the_question():
    make.remember(text="Ann wants short answers", kind="preference")
    one = question(
        text="How should answers for me be?", kind="preference", expected=(),
        now_said="Today write it out in full.", forbidden=("short answers",),
    )  # fmt: skip
    assert asked(one).passed
    query = Recall.objects.within(make.scope()).get().query
    assert query == "Today write it out in full.\nHow should answers for me be?"


def test_of_two_projects_neither_answers_for_the_other():
    make.remember(entity="丙项目", attribute="验收", value="下周二", text="丙项目下周二验收")
    make.remember(entity="丁项目", attribute="验收", value="本月", text="丁项目本月验收")
    one = question(
        text="丙项目什么时候验收？", kind="confusion", expected=("下周二",), forbidden=("本月",)
    )
    assert asked(one).passed
    other = question(
        text="丙项目什么时候验收？", kind="confusion", expected=("本月",), forbidden=("下周二",)
    )
    result = asked(other)
    assert (result.missing, result.present) == (["本月"], ["下周二"])


def test_archived_questions_are_not_asked():
    question()
    archive(question())
    assert run(make.scope(), list(live(make.scope()))).run.total == 1


def test_a_run_counts_and_keeps_what_each_gave():
    make.budget("640")
    good, bad = question(), question(expected=("900",))
    ran = run(make.scope(), list(live(make.scope())))
    assert (ran.passed, ran.failed, ran.run.total, ran.run.failed) == (False, 1, 2, 1)
    assert {r.question: r.passed for r in ran.run.results.all()} == {good: True, bad: False}
    assert list(failing(make.scope())) == [bad]


def test_an_empty_run_has_not_passed():
    ran = run(make.scope(), [])
    assert not ran.passed
    assert not QuestionRun.objects.get().passed


def test_nothing_is_kept_where_nothing_is_to_be():
    make.budget("640")
    ran = run(make.scope(), [question()], keep=False)
    assert ran.passed
    assert (ran.run, ran.asked[0].recall_id) == (None, None)
    assert not Recall.objects.within(make.scope()).exists()
    assert not QuestionRun.objects.exists()


def test_a_run_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 2)
    for _ in range(5):
        question()
    steps = []
    run(make.scope(), list(live(make.scope())), progress=steps.append)
    assert steps == [2, 4, 5]


def test_a_run_that_breaks_off_has_not_passed(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 1)
    make.budget("640")
    questions = [question(), question()]
    answers, real = iter([True, False]), asking.recall

    def recall(request):
        if next(answers):
            return real(request)
        raise QueueTimeout("busy")

    monkeypatch.setattr(asking, "recall", recall)
    with pytest.raises(QueueTimeout):
        run(make.scope(), questions)
    kept = QuestionRun.objects.get()
    assert (kept.total, kept.failed, kept.passed) == (2, 1, False)


def test_a_run_is_carried_on_in_steps(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 2)
    make.budget("640")
    scope = make.scope()
    questions = [question() for _ in range(5)]
    kept = begin(scope, 5)
    assert [go_on(scope, kept), kept.passed] == [3, False]
    archive(questions[4])
    assert [go_on(scope, kept), go_on(scope, kept)] == [0, 0]
    assert (kept.total, kept.failed, kept.passed) == (4, 0, True)
    assert QuestionResult.objects.count() == 4


def test_the_newest_results_stand_beside_each_other_at_the_same_cost():
    questions = [question(), question()]
    for _ in range(10):
        run(make.scope(), questions)
    with CaptureQueriesContext(connection) as one:
        marks(make.scope(), questions[:1])
    with CaptureQueriesContext(connection) as two:
        found = marks(make.scope(), questions)
    assert len(one) == len(two)
    assert [len(row) for row in found.values()] == [8, 8]
    row = found[questions[0].pk]
    assert [r.pk for r in row] == sorted(r.pk for r in row)
    assert row[-1].pk == questions[0].results.order_by("-id")[0].pk
