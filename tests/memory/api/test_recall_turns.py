"""Turns as a source of recall, over HTTP."""

import pytest

from memory import clock
from memory.api.recall import RecallAnswer
from memory.api.recalls import FullRecall, ReplayForm
from memory.api.turns import TurnForm
from tests.factories import api_key, client_for, instant, scope, turn, workspace
from tests.memory.api.calls import fields_named, get, holds_to, owner, post, written

pytestmark = pytest.mark.django_db
START = instant("2026-03-01 09:00")


def say(client, *turns: str, **more) -> list[dict]:
    body = {"user_id": "ann", "session_id": "s1"} | more
    said = [{"role": "user", "content": content} for content in turns]
    return post(client, "/turns", body | {"turns": said}).data["items"]


def recalled(client, query: str, **more) -> dict:
    answer = post(client, "/recall", {"query": query, "user_id": "ann"} | more)
    assert answer.status_code == 200, answer.data
    assert holds_to(RecallAnswer, answer.data)
    return answer.data


def contents(data) -> list[str]:
    return [one["turn"]["content"] for one in data["turns"]]


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("修缆绳的师傅姓洪", "修缆绳的师傅姓什么？"),
        ("The rope maker is Mr Hong", "who is the rope maker?"),
    ],
)
def test_what_no_gate_let_into_memory_is_still_found(content, query):
    client = owner()
    (said,) = say(client, content)
    data = recalled(client, query)
    assert (data["items"], contents(data)) == ([], [content])
    (one,) = data["turns"]
    assert one["rank"] == 1
    assert one["score"] == pytest.approx(sum(one["parts"].values()), abs=2e-6)
    assert one["matched_terms"]
    same = ("id", "role", "content", "session_id", "agent_id", "occurred_at")
    assert one["turn"] == {name: said[name] for name in same}
    assert content in data["context"]["text"]
    read = get(client, f"/turns/{said['id']}")
    assert (read.status_code, read.data) == (200, said)
    assert holds_to(TurnForm, read.data)


def test_the_sessions_own_turns_are_immediate():
    client = owner()
    (here,) = say(client, "缆绳要三十米")
    (there,) = say(client, "缆绳要蓝色的", session_id="s2")
    blocks = recalled(client, "缆绳", session_id="s1")["context"]["blocks"]
    assert (blocks["immediate"], blocks["background"]) == ([here["id"]], [there["id"]])


@pytest.mark.parametrize(
    ("old", "new", "said", "query"),
    [
        ("我的泊位费是700", "我的泊位费是950", "泊位费700呢", "泊位费多少？"),
        ("My mooring fee is 700", "My mooring fee is 950", "a mooring fee of 700!", "mooring fee?"),
    ],
)
def test_no_turn_brings_an_old_value_back(old, new, said, query):
    client = owner()
    with clock.at(START):
        first, second = say(client, old, said)
        written(client, text=old, evidence={"turn_id": first["id"]})
    with clock.at(instant("2026-03-02 09:00")):
        memory = written(client, text=new)
    data = recalled(client, query)
    assert [item["memory"]["id"] for item in data["items"]] == [memory["id"]]
    assert contents(data) == []
    assert "700" not in data["context"]["text"]
    assert {(drop["id"], drop["turn"], drop["gate"]) for drop in data["dropped"]} == {
        (first["id"], True, "superseded"),
        (second["id"], True, "superseded"),
    }
    record = get(client, f"/recalls/{data['recall_id']}").data
    assert holds_to(FullRecall, record)
    assert [one["memory_id"] for one in record["candidates"]] == [memory["id"]]
    assert {(one["turn_id"], one["gate"]) for one in record["turns"]} == {
        (first["id"], "superseded"),
        (second["id"], "superseded"),
    }


def test_the_number_of_turns_is_asked_for():
    client = owner()
    for number in range(6):
        say(client, f"缆绳 {number}", session_id=f"s{number}")
    assert len(recalled(client, "缆绳")["turns"]) == 4
    assert len(recalled(client, "缆绳", turns=6)["turns"]) == 6
    none = recalled(client, "缆绳", turns=0)
    assert (none["turns"], none["dropped"], none["context"]["text"]) == ([], [], "")
    for wrong in (-1, 21, "4", True, None):
        answer = post(client, "/recall", {"query": "缆绳", "user_id": "ann", "turns": wrong})
        assert (answer.status_code, fields_named(answer)) == (422, {"turns"})


def test_an_agent_is_given_its_own_turns_and_those_of_no_agent():
    client = owner()
    say(client, "缆绳断了", agent_id="clerk", session_id="s2")
    say(client, "缆绳换了")
    data = recalled(client, "缆绳", agent_id="guide")
    assert contents(data) == ["缆绳换了"]
    assert [(drop["turn"], drop["gate"]) for drop in data["dropped"]] == [(True, "agent")]


@pytest.mark.parametrize(
    "who", [lambda: api_key(user_id="bob"), lambda: api_key(workspace("w2"), user_id="ann")]
)
def test_nobody_reaches_over(who):
    said = turn(scope(), "缆绳断了")
    client = client_for(who()[1])
    answer = post(client, "/recall", {"query": "缆绳"})
    assert (answer.data["turns"], answer.data["dropped"]) == ([], [])
    assert get(client, f"/turns/{said.public_id}").status_code == 404


def test_a_replay_has_the_turns_of_then_and_of_now():
    client = owner()
    with clock.at(START):
        (first,) = say(client, "我的泊位费是700")
        data = recalled(client, "泊位费")
    with clock.at(instant("2026-03-02 09:00")):
        (later,) = say(client, "泊位费的单子", session_id="s2")
    answer = post(client, f"/recalls/{data['recall_id']}/replay")
    assert answer.status_code == 200
    assert holds_to(ReplayForm, answer.data)
    assert answer.data["equal"]
    rankings = {
        name: [one["turn_id"] for one in answer.data["turns"][name]]
        for name in ("then", "as_it_was", "now")
    }
    assert rankings["then"] == rankings["as_it_was"] == [first["id"]]
    assert set(rankings["now"]) == {first["id"], later["id"]}
    assert later["id"] in [move["turn_id"] for move in answer.data["turns"]["moves"]]
