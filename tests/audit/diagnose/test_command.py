import json
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from tests import factories as make
from tests.audit.diagnose.cases import answered

pytestmark = pytest.mark.django_db


def told(*arguments: str) -> str:
    out = StringIO()
    call_command("diagnose", *arguments, stdout=out)
    return out.getvalue()


def test_a_question_as_text_names_the_cause_first():
    make.budget("4500")
    text = told("uncorrected", "我的预算是多少？", "--user", "ann", "--lang", "en")
    first, second, *_ = text.splitlines()
    assert first.startswith("Keeps the old value after a correction")
    assert second.startswith("Freshness: No correction")
    assert "/memories/" in text


def test_a_record_as_json_with_the_memory_that_was_expected():
    memory = make.budget("4500")
    record = answered("我的预算是多少？", "不清楚。")
    found = json.loads(
        told(
            "unused", "--recall", str(record.public_id), "--expected", str(memory.public_id),
            "--format", "json",
        )
    )  # fmt: skip
    assert found["cause"] == "model"
    assert found["recall_id"] == str(record.public_id)


def test_an_answer_may_be_given_with_the_question():
    memory = make.budget("4500")
    found = json.loads(
        told(
            "unused", "我的预算是多少？", "--user", "ann", "--expected", str(memory.public_id),
            "--answer", "您的预算是4500元。", "--format", "json",
        )
    )  # fmt: skip
    assert found["cause"] is None


def test_the_past_may_be_asked():
    memory = make.budget("4500")
    found = json.loads(
        told(
            "unused", "我的预算是多少？", "--user", "ann", "--expected", str(memory.public_id),
            "--as-of", "2020-01-01T00:00+00:00", "--format", "json", "--lang", "en",
        )
    )  # fmt: skip
    assert found["cause"] == "freshness"
    assert "not remembered yet" in found["sentence"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("unused",),
        ("unused", "灯塔"),
        ("unused", "灯塔", "--user", "ann", "--recall", str(uuid4())),
        ("unused", "--recall", str(uuid4())),
        ("unused", "灯塔", "--user", "ann", "--expected", str(uuid4())),
        ("unused", "灯塔", "--user", "ann", "--as-of", "yesterday"),
        ("unused", "灯塔", "--user", "ann", "--workspace", "nowhere"),
    ],
)
def test_what_cannot_run_exits_with_two(arguments):
    make.workspace()
    with pytest.raises(CommandError) as refused:
        told(*arguments)
    assert refused.value.returncode == 2
