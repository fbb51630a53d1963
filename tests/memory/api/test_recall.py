"""POST /recall and the log of recalls."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.api.paging import Page
from memory.api.recall import RecallAnswer
from memory.api.recalls import FullRecall, RecallForm
from memory.models import Memory, Recall
from memory.recall.road import REASONS
from tests.factories import instant, remember, scope
from tests.memory.api.calls import call, fields_named, get, holds_to, owner, post, written

pytestmark = pytest.mark.django_db


def recalled(client, query: str, **more) -> dict:
    answer = post(client, "/recall", {"query": query, "user_id": "ann"} | more)
    assert answer.status_code == 200, answer.data
    return answer.data


@pytest.mark.parametrize(
    ("old", "new", "question", "term"),
    [
        ("我的差旅额度是800", "我的差旅额度是1200", "我现在差旅额度多少？", "额度"),
        (
            "My travel allowance is 800",
            "My travel allowance is 1200",
            "What is my travel allowance now?",
            "allow",
        ),
    ],
)
def test_only_the_current_value_reaches_an_agent(old, new, question, term):
    client = owner()
    for text in (old, new):
        post(client, "/memories", {"user_id": "ann", "text": text, "session_id": "s1"})
    data = recalled(client, question)
    assert holds_to(RecallAnswer, data)
    assert [item["memory"]["text"] for item in data["items"]] == [new]
    assert any(match["term"].startswith(term) for match in data["items"][0]["matched_terms"])
    assert new in data["context"]["text"]
    assert old not in str(data)
    assert "800" not in data["context"]["text"]
    assert data["dropped"] == []
    rows = Memory.objects.within(scope()).order_by("id")
    assert [(row.value, row.status) for row in rows] == [("800", "superseded"), ("1200", "active")]
    assert rows[0].superseded_by_id == rows[1].public_id
    # The answer names the old row once, as what the current one supersedes.
    assert str(data).count(str(rows[0].public_id)) == 1
    log = get(client, f"/recalls/{data['recall_id']}").data
    assert [c["memory_id"] for c in log["candidates"]] == [str(rows[1].public_id)]


def test_as_of_asks_the_store_as_it_was():
    with clock.at(instant("2026-03-01 09:00")):
        remember(text="我的差旅额度是800", entity="user", attribute="差旅额度", value="800")
    with clock.at(instant("2026-03-05 09:00")):
        remember(text="我的差旅额度是1200", entity="user", attribute="差旅额度", value="1200")
    data = recalled(owner(), "差旅额度", as_of="2026-03-03T00:00:00+08:00")
    assert [item["memory"]["value"] for item in data["items"]] == ["800"]


def test_parts_add_up_to_the_score_and_ranks_count():
    remember(text="我的差旅额度是1200", importance=5)
    remember(text="差旅报销要发票", importance=1)
    items = recalled(owner(), "差旅额度")["items"]
    assert [item["rank"] for item in items] == [1, 2]
    assert items[0]["score"] > items[1]["score"]
    for item in items:
        assert sum(item["parts"].values()) == pytest.approx(item["score"], abs=1e-5)


def test_what_is_dropped_says_at_which_gate():
    remember(text="差旅报销要发票", kind="rule", domain="finance")
    kept = remember(text="差旅要坐高铁", kind="preference", domain="travel")
    data = recalled(owner(), "差旅", kinds=["rule"], domains=["finance"])
    assert [item["memory"]["text"] for item in data["items"]] == ["差旅报销要发票"]
    assert data["dropped"] == [
        {"id": str(kept.public_id), "turn": False, "gate": "kind", "reason": REASONS["kind"]}
    ]


def test_served_now_is_accessed_now():
    remember(text="差旅要坐高铁")
    with clock.at(instant("2099-03-01 09:00")):
        item = recalled(owner(), "差旅")["items"][0]
    assert item["memory"]["accessed_at"] == "2099-03-01T09:00:00+00:00"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"query": " "}, "query"),
        ({"query": None}, "query"),
        ({"query": "x" * 20_001}, "query"),
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit"),
        ({"limit": "8"}, "limit"),
        ({"kinds": ["mood"]}, "kinds.0"),
        ({"kinds": "rule"}, "kinds"),
        ({"profile": "reckless"}, "profile"),
        ({"budget_tokens": 0}, "budget_tokens"),
        ({"as_of": "2026-03-03"}, "as_of"),
        ({"as_of": "2999-01-01T00:00:00+00:00"}, "as_of"),
        ({"topk": 3}, "topk"),
    ],
)
def test_a_wrong_question_is_named_and_not_logged(wrong, field):
    answer = post(owner(), "/recall", {"query": "差旅", "user_id": "ann"} | wrong)
    assert (answer.status_code, fields_named(answer)) == (422, {field})
    assert Recall.objects.within(scope()).count() == 0


def test_the_log_lists_and_filters():
    client = owner()
    kept = remember(text="差旅要坐高铁")
    recalled(client, "差旅", agent_id="planner", session_id="s1")
    recalled(client, "天气", agent_id="seller", session_id="s2")
    data = get(client, "/recalls").data
    assert holds_to(Page[RecallForm], data)
    assert [item["query"] for item in data["items"]] == ["天气", "差旅"]
    for query in ({"agent_id": "planner"}, {"session_id": "s1"}, {"memory_id": kept.public_id}):
        found = get(client, "/recalls", **query).data["items"]
        assert [item["query"] for item in found] == ["差旅"]
    assert get(client, "/recalls", user_id="bob").data["total"] == 0
    assert get(client, "/recalls", until="2020-01-01T00:00:00Z").data["total"] == 0
    assert get(client, "/recalls", limit=1).data["next"]


def test_one_recall_tells_every_candidate():
    client = owner()
    remember(text="差旅要坐高铁")
    remember(text="差旅报销要发票", kind="rule")
    data = recalled(client, "差旅", kinds=["rule"])
    log = get(client, f"/recalls/{data['recall_id']}").data
    assert holds_to(FullRecall, log)
    assert [(c["rank"], c["gate"]) for c in log["candidates"]] == [(1, ""), (None, "kind")]
    assert log["context"] == data["context"]["text"]


def test_the_outcome_is_kept_once():
    client = owner()
    path = f"/recalls/{recalled(client, '差旅')['recall_id']}"
    said = {"prompt": "用户问差旅", "answer": "坐高铁"}
    assert call(client, "POST", f"{path}/outcome", said).status_code == 200
    log = get(client, path).data
    assert (log["prompt"], log["answer"], bool(log["answered_at"])) == (*said.values(), True)
    assert post(client, f"{path}/outcome", said).data["answered_at"] == log["answered_at"]
    other = post(client, f"{path}/outcome", said | {"answer": "坐飞机"})
    assert (other.status_code, other.problem) == (409, "conflict")
    assert get(client, path).data["answer"] == "坐高铁"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({}, "answer"), ({"answer": "a\0b"}, "answer"), ({"answer": "x", "note": 1}, "note")],
)
def test_a_wrong_outcome_is_named(wrong, field):
    client = owner()
    path = f"/recalls/{recalled(client, '差旅')['recall_id']}/outcome"
    assert fields_named(post(client, path, wrong)) == {field}


def test_queries_do_not_grow_with_rows():
    client = owner()

    def spent() -> int:
        with CaptureQueriesContext(connection) as queries:
            recalled(client, "工位")
        return len(queries)

    for number in range(2):
        written(client, text=f"{number} 号工位靠窗")
    spent()
    few = spent()
    for number in range(2, 30):
        written(client, text=f"{number} 号工位靠窗")
    assert spent() == few
