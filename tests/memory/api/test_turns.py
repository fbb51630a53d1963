"""The dialogue log."""

import pytest

from memory.api.paging import Page
from memory.api.turns import TurnForm, Turns
from memory.models import Turn
from tests.factories import scope
from tests.memory.api.calls import fields_named, get, holds_to, owner, post

pytestmark = pytest.mark.django_db


def test_one_turn():
    body = {
        "user_id": "ann",
        "agent_id": "planner",
        "session_id": "s1",
        "role": "user",
        "content": "订周三的高铁",
        "occurred_at": "2026-03-01T09:00:00+08:00",
        "metadata": {"渠道": "微信"},
    }
    answer = post(owner(), "/turns", body)
    assert answer.status_code == 201
    assert holds_to(Turns, answer.data)
    kept = answer.data["items"][0]
    same = set(body) - {"occurred_at"}
    assert {name: kept[name] for name in same} == {name: body[name] for name in same}
    assert kept["occurred_at"] == "2026-03-01T01:00:00+00:00"


def test_many_turns_take_what_they_do_not_say_from_the_whole():
    turns = [
        {"role": "user", "content": "订周三的高铁"},
        {"role": "assistant", "content": "已订", "session_id": "s2"},
    ]
    body = {"user_id": "ann", "session_id": "s1", "turns": turns}
    items = post(owner(), "/turns", body).data["items"]
    assert [(i["user_id"], i["session_id"]) for i in items] == [("ann", "s1"), ("ann", "s2")]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({}, ""),
        ({"role": "user"}, ""),
        ({"role": "user", "content": "x", "turns": [{"role": "user", "content": "x"}]}, ""),
        ({"turns": []}, "turns"),
        ({"role": "robot", "content": "x"}, "role"),
        ({"role": "user", "content": " "}, "content"),
        ({"role": "user", "content": 3}, "content"),
        ({"turns": [{"role": "user"}]}, "turns.0.content"),
        ({"role": "user", "content": "x", "occurred_at": "now"}, "occurred_at"),
        ({"role": "user", "content": "x", "name": "y"}, "name"),
        ({"turns": [{"role": "user", "content": "x"}] * 501}, "turns"),
    ],
)
def test_a_wrong_turn_is_named_and_none_is_kept(wrong, field):
    answer = post(owner(), "/turns", {"user_id": "ann"} | wrong)
    assert (answer.status_code, fields_named(answer)) == (422, {field})
    assert Turn.objects.within(scope()).count() == 0


def test_turns_read_in_order_by_session_and_pages():
    client = owner()
    for session in ("s1", "s2"):
        for number in range(3):
            body = {"role": "user", "content": f"{session} 第{number}句", "session_id": session}
            post(client, "/turns", body | {"user_id": "ann"})
    data = get(client, "/turns", user_id="ann", session_id="s1", limit=2).data
    assert holds_to(Page[TurnForm], data)
    assert [item["content"] for item in data["items"]] == ["s1 第0句", "s1 第1句"]
    rest = get(client, "/turns", session_id="s1", limit=2, cursor=data["next"]).data
    assert ([item["content"] for item in rest["items"]], rest["next"]) == (["s1 第2句"], None)
    newest = get(client, "/turns", sort="-created", limit=1).data["items"]
    assert newest[0]["content"] == "s2 第2句"
    assert get(client, "/turns", sort="content").status_code == 422
