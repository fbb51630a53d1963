"""`manage.py questions`: formats and exit codes."""

import json
from io import StringIO
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from audit.management.commands import questions as command
from audit.models import QuestionRun
from audit.questions import ask as asking
from audit.questions.manage import archive
from memory.models import Recall, Workspace
from memory.write.queue import QueueTimeout
from tests import factories as make

from .makers import question

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _english(monkeypatch):
    monkeypatch.setenv("LANGUAGE", "en")


def questions(*arguments: str) -> tuple[int, str]:
    """The exit code that the shell would see, and what was printed."""
    out = StringIO()
    try:
        call_command("questions", *arguments, stdout=out, stderr=StringIO())
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def test_all_hold():
    make.budget("640")
    question()
    code, printed = questions()
    assert code == 0
    assert printed.startswith("[ok] ann: 我的预算是多少？\n1 of 1 question holds")
    assert QuestionRun.objects.get().passed


def test_one_that_does_not_hold_fails_and_says_why():
    make.budget("640")
    question()
    question(expected=("900",), forbidden=("640",))
    code, printed = questions()
    assert code == 1
    assert "[failed] ann" in printed
    assert "missing: 900" in printed
    assert "should not be there: 640" in printed
    record = Recall.objects.within(make.scope()).order_by("-id")[0]
    assert f"recall {record.public_id}" in printed
    assert "1 of 2 questions hold" in printed


@pytest.mark.parametrize("kept", [True, False])
def test_an_empty_suite_is_a_failure(kept):
    make.workspace()
    if kept:
        archive(question())
    code, printed = questions()
    assert code == 1
    assert "no question to ask" in printed
    code, printed = questions("--format", "json")
    assert (code, json.loads(printed)["passed"]) == (1, False)
    code, printed = questions("--format", "junit")
    suite = ElementTree.fromstring(printed)[0]
    assert (code, suite.get("tests"), suite.get("failures")) == (1, "1", "1")
    assert "no question to ask" in suite.find("testcase/failure").get("message")


def test_junit_has_a_case_a_question():
    make.budget("640")
    question()
    bad = question(expected=("900",), text="上限\x1f是多少 <b>&？")
    _code, printed = questions("--format", "junit")
    suite = ElementTree.fromstring(printed)[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == (
        "questions.w1", "2", "1",
    )  # fmt: skip
    failed = [case for case in suite if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == [
        f"上限是多少 <b>&？ [{str(bad.public_id)[-8:]}]"
    ]
    assert failed[0].find("failure").get("message") == "missing: 900"


def test_json_says_what_each_gave():
    make.budget("640")
    one = question(expected=("900",))
    code, printed = questions("--format", "json")
    said = json.loads(printed)
    assert (code, said["workspace"], said["total"], said["failed"]) == (1, "w1", 1, 1)
    assert said["run_id"] == str(QuestionRun.objects.get().public_id)
    assert {k: said["questions"][0][k] for k in ("id", "passed", "missing", "present")} == {
        "id": str(one.public_id), "passed": False, "missing": ["900"], "present": [],
    }  # fmt: skip


def test_a_user_narrows_it_and_one_without_questions_is_an_empty_suite():
    make.budget("640")
    question()
    question(user_id="bea")
    assert questions("--user", "ann")[0] == 0
    assert questions("--user", "bea")[0] == 1
    assert questions("--user", "carl")[0] == 1


def test_nothing_is_kept_unless_wanted():
    make.budget("640")
    question()
    code, printed = questions("--no-save", "--format", "json")
    assert (code, json.loads(printed)["run_id"]) == (0, None)
    assert not QuestionRun.objects.exists()
    assert not Recall.objects.within(make.scope()).exists()


def test_of_several_workspaces_one_is_named():
    make.budget("640")
    question()
    make.workspace("w2")
    assert questions()[0] == 2
    assert questions("--workspace", "w1")[0] == 0
    assert questions("--workspace", "w2")[0] == 1
    assert questions("--workspace", "w3")[0] == 2
    assert Workspace.objects.count() == 2


@pytest.mark.parametrize(
    "error", [DatabaseError("no such table"), QueueTimeout("busy"), KeyError("broken")]
)
def test_what_could_not_run_is_told_apart(monkeypatch, error):
    question()

    def broken(*args, **kwargs):
        raise error

    monkeypatch.setattr(command, "run", broken)
    assert questions() == (2, "")


def test_a_long_suite_tells_how_far_it_is(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 2)
    for _ in range(3):
        question(expected=(), forbidden=("900",))
    told = StringIO()
    call_command("questions", stdout=StringIO(), stderr=told)
    assert told.getvalue().splitlines() == ["asked 2 of 3", "asked 3 of 3"]


def test_it_speaks_chinese_where_it_is_asked_to():
    make.workspace()
    assert questions("--lang", "zh-hans")[0] == 1
