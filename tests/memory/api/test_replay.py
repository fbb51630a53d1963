"""POST /recalls/ID/replay and /recalls/ID/feedback."""

from datetime import timedelta
from uuid import UUID

import pytest

from memory import clock
from memory.api.recalls import FeedbackKept, ReplayForm
from memory.models import Recall
from tests.factories import (
    api_key,
    ask,
    budget,
    client_for,
    instant,
    policy,
    remember,
    scope,
    workspace,
)
from tests.memory.api.calls import fields_named, holds_to, owner, post

pytestmark = pytest.mark.django_db
START = instant("2026-03-01 09:00")
PATHS = [("replay", {}), ("feedback", {"verdict": "good"})]


def corrected() -> Recall:
    """A recall that served a value which was corrected afterwards."""
    with clock.at(START):
        budget("800")
        record = ask("预算").record
    with clock.at(START + timedelta(hours=1)):
        budget("1200", reason="涨了")
    return record


def test_then_and_now_and_the_batch_between():
    record = corrected()
    data = post(owner(), f"/recalls/{record.public_id}/replay").data
    assert holds_to(ReplayForm, data)
    assert data["equal"]
    assert data["then"] == data["as_it_was"]
    assert data["now"][0]["memory_id"] != data["then"][0]["memory_id"]
    assert {(m["was_rank"], m["now_rank"], m["cause"]) for m in data["moves"]} == {
        (1, None, "batch"), (None, 1, "batch"),
    }  # fmt: skip
    assert {batch["reason"] for move in data["moves"] for batch in move["batches"]} == {"涨了"}
    assert Recall.everywhere.count() == 1


def test_the_policy_that_moved_a_memory_is_named():
    with clock.at(START - timedelta(days=2)):
        remember(text="北岸有一座灯塔", kind="event", confidence=0.66)
    with clock.at(START):
        remember(text="北岸有两座灯塔", kind="event", confidence=0.6)
        record = ask("北岸的灯塔", profile="confident").record
    with clock.at(START + timedelta(hours=2)):
        policy("event", half_life_hours=2)
        data = post(owner(), f"/recalls/{record.public_id}/replay").data
    assert holds_to(ReplayForm, data)
    assert len(data["moves"]) == 2
    for move in data["moves"]:
        (named,) = move["policies"]
        assert (move["cause"], named["kind"], named["version"]) == ("policy", "event", 1)
        assert named["changes"] == {"half_life_hours": [720, 2]}


def test_feedback_is_kept_each_time():
    client, record = owner(), corrected()
    path = f"/recalls/{record.public_id}/feedback"
    first = post(client, path, {"verdict": "stale", "text": "预算早就变了"})
    assert first.status_code == 201
    assert holds_to(FeedbackKept, first.data)
    assert (first.data["verdict"], first.data["actor"]) == ("stale", "key:bot")
    post(client, path, {"verdict": "good"})
    kept = record.feedback.order_by("id").values_list("verdict", "text")
    assert list(kept) == [("stale", "预算早就变了"), ("good", "")]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({}, "verdict"),
        ({"verdict": "fine"}, "verdict"),
        ({"verdict": "good", "text": "a\0b"}, "text"),
        ({"verdict": "good", "text": "x" * 4001}, "text"),
        ({"verdict": "good", "note": 1}, "note"),
    ],
)
def test_a_wrong_feedback_is_named_and_not_kept(wrong, field):
    record = corrected()
    answer = post(owner(), f"/recalls/{record.public_id}/feedback", wrong)
    assert (answer.status_code, fields_named(answer)) == (422, {field})
    assert record.feedback.count() == 0


@pytest.mark.parametrize(("verb", "body"), PATHS)
def test_anothers_record_is_missing(verb, body):
    remember(text="预算是秘密")
    record = ask("预算").record
    clients = [
        client_for(api_key(user_id="bob", name="teammate")[1]),
        client_for(api_key(workspace("w2"), name="stranger")[1]),
    ]
    for client in clients:
        foreign = post(client, f"/recalls/{record.public_id}/{verb}", body)
        missing = post(client, f"/recalls/{UUID(int=9)}/{verb}", body)
        assert (foreign.status_code, foreign.content) == (404, missing.content)
        assert post(client, f"/recalls/not-an-id/{verb}", body).problem == "not_found"


@pytest.mark.parametrize(
    ("verb", "body", "enough", "short"),
    [(*PATHS[0], "read", "write"), (*PATHS[1], "write", "read")],
)
def test_each_needs_its_own_scope(verb, body, enough, short):
    path = f"/recalls/{corrected().public_id}/{verb}"
    allowed = client_for(api_key(scopes=[enough], name="may")[1])
    refused = client_for(api_key(scopes=[short], name="may-not")[1])
    assert post(allowed, path, body).status_code in (200, 201)
    assert post(refused, path, body).problem == "missing_scope"
    assert Recall.objects.within(scope()).count() == 1
