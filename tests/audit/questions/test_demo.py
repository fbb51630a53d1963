"""The demo's questions: made when its script was played, and they hold."""

import pytest

from audit.models import Question, QuestionKind, QuestionRun
from memory.demo.loader import load
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_the_demo_comes_with_questions_that_hold():
    workspace, steps = load()
    assert steps
    rows = Question.objects.within(make.scope(workspace))
    assert set(rows.values_list("kind", flat=True)) == set(QuestionKind.values)
    kept = QuestionRun.objects.get()
    failed = kept.results.filter(passed=False)
    assert [(one.question.text, one.missing, one.present) for one in failed] == []
    assert kept.passed
    assert load() == (workspace, 0)
    assert rows.count() == kept.total
