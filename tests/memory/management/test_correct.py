"""manage.py correct: a preview, or exactly that."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.models import Correction, Memory, Status
from tests import factories as make

pytestmark = pytest.mark.django_db


def run(text, *options, user="ann"):
    out = StringIO()
    call_command("correct", text, "--user", user, *options, stdout=out)
    return out.getvalue()


def ran_as_json(text, *options):
    return json.loads(run(text, "--json", *options))


def test_it_previews_and_changes_nothing():
    old = make.budget("800")
    said = run("预算改成1200", "--session", "s1")
    assert said.startswith("correction: ")
    assert f"target {old.public_id}: 我的预算是800元 → 1200" in said
    assert "nothing has changed; --apply applies it" in said
    assert [row.status for row in Memory.everywhere.all()] == [Status.ACTIVE]


def test_it_applies_what_it_shows():
    old = make.budget("800")
    told = ran_as_json("预算改成1200", "--session", "s1", "--apply", "--reason", "by phone")
    old.refresh_from_db()
    assert (told["verdict"], told["count"], old.status) == ("correction", 1, Status.SUPERSEDED)
    kept = Correction.everywhere.get(public_id=told["id"])
    assert str(kept.batch.public_id) == told["batch_id"]
    assert (kept.batch.reason, kept.batch.surface) == ("by phone", "command")


@pytest.mark.parametrize("text", ["后天的彩排应该是3点开始", "The concert was actually lovely"])
def test_what_is_no_correction_is_shown_and_not_applied(text):
    make.budget("800")
    assert run(text, "--session", "s1").startswith("not_a_correction: ")
    with pytest.raises(CommandError) as refused:
        run(text, "--session", "s1", "--apply")
    assert refused.value.returncode == 1
    assert Memory.everywhere.count() == 1


def shop(*names):
    return [
        make.remember(entity="蓝湾店", attribute=name, value=f"第{n}项", session_id="s1")
        for n, name in enumerate(names)
    ]


def test_several_need_their_number():
    shop("电话", "店长")
    text = "忘掉所有关于蓝湾店的内容"
    assert "--apply --confirm 2 applies it" in run(text)
    for options in (["--apply"], ["--apply", "--confirm", "3"]):
        with pytest.raises(CommandError) as refused:
            run(text, *options)
        assert refused.value.returncode == 1
    assert not Memory.everywhere.exclude(status=Status.ACTIVE).exists()
    run(text, "--apply", "--confirm", "2")
    assert not Memory.everywhere.exclude(status=Status.RETRACTED).exists()


def test_over_the_cap_it_is_blocked():
    shop(*(f"货架{n}" for n in range(21)))
    text = "忘掉所有关于蓝湾店的内容"
    assert "blocked: 21 facts, at most 20" in run(text)
    with pytest.raises(CommandError):
        run(text, "--apply", "--confirm", "21")
    assert not Memory.everywhere.exclude(status=Status.ACTIVE).exists()


def test_a_candidate_is_chosen_by_its_id():
    one, two = (
        make.remember(entity=name, attribute="房租", value="7000", session_id="s1")
        for name in ("蓝湾店", "红坊店")
    )
    text = "不是7000，是7500"
    told = ran_as_json(text, "--session", "s1")
    assert {row["id"] for row in told["candidates"]} == {str(one.public_id), str(two.public_id)}
    with pytest.raises(CommandError):
        run(text, "--session", "s1", "--apply")
    run(text, "--session", "s1", "--apply", "--memory", str(two.public_id), "--value", "7600")
    one.refresh_from_db()
    assert one.status == Status.ACTIVE
    assert Memory.everywhere.get(supersedes=two).value == "7600"


def test_another_users_fact_is_not_meant():
    make.budget("800")
    told = json.loads(run("预算改成1200", "--json", "--session", "s1", user="ben"))
    assert told["targets"] == told["candidates"] == []


@pytest.mark.parametrize("options", [["--workspace", "nowhere"], ["--value", "7"]])
def test_it_says_that_it_could_not_run(options):
    make.budget("800")
    with pytest.raises(CommandError) as refused:
        run("预算改成1200", *options)
    assert refused.value.returncode == 2
