"""The check of acceptance questions that do not hold."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.health.checks.failing_questions import CHECK
from audit.questions.ask import run
from audit.questions.manage import archive
from tests import factories as make
from tests.audit.questions.makers import question

pytestmark = pytest.mark.django_db


def test_a_question_that_failed_when_last_asked_is_counted():
    make.budget("640")
    good, bad = question(), question(expected=("900",))
    run(make.scope(), [good, bad])
    found = CHECK.run(make.scope())
    assert (found.count, found.total, found.share, found.found) == (1, 2, 0.5, True)
    assert CHECK.url(found.count) == "/questions/?result=failed"


def test_one_that_holds_again_is_archived_or_never_asked_is_not():
    make.budget("640")
    again, gone, never = (question(expected=("900",)) for _ in range(3))
    run(make.scope(), [again, gone])
    make.budget("900")
    run(make.scope(), [again])
    archive(gone)
    found = CHECK.run(make.scope())
    assert (found.count, found.total, found.found) == (0, 2, False)
    assert CHECK.url(found.count) is None
    assert CHECK.notes(found.detail) == ["1 question was never asked."]
    run(make.scope(), [never])
    assert CHECK.notes(CHECK.run(make.scope()).detail) == []


def test_another_workspaces_questions_are_not():
    run(make.scope(), [question()])
    there = make.scope(make.workspace("w2"))
    assert CHECK.run(there).count == CHECK.run(there).total == 0


def test_it_asks_the_store_as_often_for_many_as_for_one():
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            CHECK.run(make.scope())
        return len(seen)

    run(make.scope(), [question()])
    one = queries()
    run(make.scope(), [question() for _ in range(10)])
    assert queries() == one
