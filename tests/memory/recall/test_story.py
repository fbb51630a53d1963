"""A value that was replaced is in nothing that an agent is given."""

import json
import re
from datetime import timedelta

import pytest

from memory import clock
from memory.models import Memory, Recall
from memory.recall.answer import as_dict
from memory.write.apply import apply
from memory.write.revise import plan_amend, plan_restore, plan_retract
from memory.write.undo import undo
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")
STORIES = [
    (
        "zh", "装修", "预算", "8600", "12400", "装修的预算是{}元",
        ["装修预算现在多少？", "预算", "装修"],
    ),
    (
        "en", "kitchen", "budget", "8600", "12400", "The kitchen budget is {} dollars",
        ["what is the kitchen budget now?", "budget", "KITCHEN"],
    ),
]  # fmt: skip


def said(story, value: str, at, **fields) -> Memory:
    _, entity, attribute, _, _, text, _ = story
    with clock.at(at):
        return make.remember(
            entity=entity, attribute=attribute, value=value, text=text.format(value), kind="fact",
            source="user_said", **fields,
        )  # fmt: skip


_CHANCE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]+\.[0-9]+")


def all_that_is_given(answer) -> str:
    """Everything of a recall that leaves the product, and everything kept of it."""
    record = Recall.everywhere.filter(pk=answer.record.pk).values().get()
    kept = list(answer.record.candidates.values())
    text = json.dumps([as_dict(answer), record, kept], default=str, ensure_ascii=False)
    # Ids and scores may hold any digits by chance.
    return _CHANCE.sub("", text)


@pytest.fixture(params=STORIES, ids=[story[0] for story in STORIES])
def story(request):
    return request.param


def test_only_the_new_value_is_served(story):
    old, new = story[3:5]
    first = said(story, old, START)
    second = said(story, new, START + timedelta(days=1))
    for question in story[6]:
        answer = make.ask(question)
        assert [item.memory for item in answer.items] == [second]
        assert answer.dropped == ()
        assert new in answer.context.text
        given = all_that_is_given(answer)
        assert old not in given
        assert first not in [drop.memory for drop in answer.dropped]
        assert new in given


def test_asking_for_the_old_value_finds_nothing(story):
    said(story, story[3], START)
    said(story, story[4], START + timedelta(days=1))
    answer = make.ask(story[3])
    assert answer.items == answer.dropped == ()
    assert answer.context.text == ""
    assert answer.record.candidates.count() == 0


def test_the_store_as_it_was_gives_the_old_value_only(story):
    old, new = story[3:5]
    said(story, old, START)
    said(story, new, START + timedelta(days=1))
    for question in story[6]:
        answer = make.ask(question, as_of=START + timedelta(hours=12))
        assert [item.memory.value for item in answer.items] == [old]
        assert new not in all_that_is_given(answer)
        assert answer.items[0].memory.status == "active"
        assert answer.items[0].memory.superseded_by_id is None
    after = make.ask(story[6][0], as_of=START + timedelta(days=1))
    assert [item.memory.value for item in after.items] == [new]
    before = make.ask(story[6][0], as_of=START - timedelta(seconds=1))
    assert before.items == ()


def test_a_late_arrival_is_not_served(story):
    old, new = story[3:5]
    said(story, new, START)
    said(story, old, START + timedelta(hours=1), occurred_at=START - timedelta(days=9))
    answer = make.ask(story[6][0])
    assert [item.memory.value for item in answer.items] == [new]
    assert old not in all_that_is_given(answer)


def test_a_correction_and_its_undo_are_seen_at_once(story):
    old, new = story[3:5]
    first = said(story, old, START)
    applied = apply(plan_amend(make.scope(), first, {"value": new}).plan("amend", ""))
    assert old not in all_that_is_given(make.ask(story[6][0]))
    undo(make.scope(), applied.batch)
    answer = make.ask(story[6][0])
    assert [item.memory.value for item in answer.items] == [old]
    assert new not in all_that_is_given(answer)


def test_what_is_retracted_is_gone_until_it_is_restored(story):
    row = said(story, story[3], START)
    apply(plan_retract(make.scope(), [row]).plan("retract", ""))
    answer = make.ask(story[6][0])
    assert answer.items == answer.dropped == ()
    row.refresh_from_db()
    apply(plan_restore(make.scope(), row).plan("restore", ""))
    assert [item.memory for item in make.ask(story[6][0]).items] == [row]


def test_the_past_is_asked_of_one_user_too(story):
    said(story, story[3], START)
    other = make.scope(user_id="ben")
    assert make.ask(story[6][0], other, as_of=START + timedelta(hours=1)).items == ()
