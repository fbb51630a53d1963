"""GET /memories: filters, search, order, pages; and one memory."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.api.form import MemoryForm
from memory.api.paging import Page
from tests.factories import ask, instant, remember, scope, workspace
from tests.memory.api.calls import fields_named, get, holds_to, owner, post, written

pytestmark = pytest.mark.django_db


def texts(client, **query) -> list[str]:
    answer = get(client, "/memories", **query)
    assert answer.status_code == 200, answer.data
    return [item["text"] for item in answer.data["items"]]


@pytest.fixture
def store():
    """Four memories that differ in everything that can be asked for."""
    client = owner()
    written(
        client, text="仓库的报价单 ABC-1234 周五到期", kind="fact", domain="sales",
        source="imported", agent_id="seller", session_id="s1",
        occurred_at="2026-02-01T00:00:00Z", importance=5,
    )  # fmt: skip
    written(
        client, text="Maria prefers a window seat", kind="preference", domain="travel",
        source="user_said", agent_id="planner", session_id="s2",
        occurred_at="2026-02-10T00:00:00Z", importance=2,
    )  # fmt: skip
    written(client, entity="展会", attribute="预算", value="800", user_id="bob", importance=3)
    written(client, entity="展会", attribute="预算", value="1200", user_id="bob", importance=3)
    return client


SEAT, QUOTE = "Maria prefers a window seat", "仓库的报价单 ABC-1234 周五到期"
NEW, OLD = "展会的预算是1200", "展会的预算是800"


FOUND = [
    ({}, [NEW, SEAT, QUOTE]),
    ({"status": "any"}, [NEW, OLD, SEAT, QUOTE]),
    ({"status": "superseded"}, [OLD]),
    ({"status": "superseded,retracted"}, [OLD]),
    ({"user_id": "bob"}, [NEW]),
    ({"user_id": "carl"}, []),
    ({"agent_id": "planner"}, [NEW, SEAT]),
    ({"session_id": "s1"}, [QUOTE]),
    ({"kind": "preference"}, [SEAT]),
    ({"kind": "preference,fact"}, [NEW, SEAT, QUOTE]),
    ({"domain": "sales"}, [QUOTE]),
    ({"source": "user_said"}, [SEAT]),
    ({"entity": "展会"}, [NEW]),
    ({"entity": " 展會 ", "attribute": "预算", "status": "any"}, [NEW, OLD]),
    ({"attribute": "地点"}, []),
    ({"since": "2026-02-05T00:00:00Z", "until": "2026-02-10T00:00:00Z"}, []),
    ({"since": "2026-02-10T00:00:00Z", "until": "2026-02-11T00:00:00Z"}, [SEAT]),
    ({"q": "ABC-1234"}, [QUOTE]),
    ({"q": "ABC-1235"}, []),
    ({"q": "预算"}, [NEW]),
    ({"q": "预算", "status": "any"}, [NEW, OLD]),
    ({"q": "预算", "status": "any", "sort": "created"}, [OLD, NEW]),
    ({"q": "预算", "entity": "展会"}, [NEW]),
    ({"q": "预算", "entity": "甲项目"}, []),
    ({"q": "预算", "attribute": "地点"}, []),
    ({"q": "seat", "kind": "fact"}, []),
    ({"q": "seat", "source": "user_said", "domain": "travel"}, [SEAT]),
    ({"q": "？！"}, []),
    ({"q": " "}, [NEW, SEAT, QUOTE]),
    ({"sort": "created"}, [QUOTE, SEAT, NEW]),
    ({"sort": "-importance"}, [QUOTE, NEW, SEAT]),
    ({"sort": "importance"}, [SEAT, NEW, QUOTE]),
    ({"nonsense": "1"}, [NEW, SEAT, QUOTE]),
]


def test_each_filter(store):
    for query, found in FOUND:
        assert texts(store, **query) == found, query
        assert get(store, "/memories", **query).data["total"] == len(found), query


WRONG = [
    ({"limit": 0}, "limit"),
    ({"limit": 201}, "limit"),
    ({"limit": "ten"}, "limit"),
    ({"status": "dead"}, "status"),
    ({"status": ""}, "status"),
    ({"status": "any,active"}, "status"),
    ({"kind": "mood"}, "kind"),
    ({"source": "rumour"}, "source"),
    ({"sort": "text"}, "sort"),
    ({"sort": "--created"}, "sort"),
    ({"q": "预算", "sort": "importance"}, "sort"),
    ({"since": "yesterday"}, "since"),
    ({"until": "2026-02-01T00:00:00"}, "until"),
    ({"cursor": "zzz"}, "cursor"),
    ({"cursor": "WyItaWQiLG51bGwsMV0"}, "cursor"),
    ({"cursor": "é"}, "cursor"),
    ({"user_id": "*"}, "user_id"),
    ({"q": "预" * 513}, "q"),
]


def test_a_wrong_filter_is_named():
    client = owner()
    for query, field in WRONG:
        answer = get(client, "/memories", **query)
        assert (answer.status_code, fields_named(answer)) == (422, {field}), query


@pytest.mark.parametrize("q", ["", "号"])
@pytest.mark.parametrize("sort", ["-created", "created"])
def test_pages_meet_without_gap_or_repeat(q, sort):
    client = owner()
    for number in range(7):
        remember(text=f"{number} 号工位靠窗")
    paged, cursor = [], None
    for _ in range(4):
        data = get(client, "/memories", limit=2, cursor=cursor, sort=sort, q=q).data
        paged += [item["text"] for item in data["items"]]
        cursor = data["next"]
        if len(paged) == 4:
            remember(text="8 号工位靠门")
    whole = texts(client, sort=sort, q=q)
    late = ["8 号工位靠门"]
    assert paged == ([t for t in whole if t not in late] if sort == "-created" else whole)
    assert cursor is None


@pytest.mark.parametrize("sort", ["updated", "-updated", "importance", "-importance"])
def test_ties_are_split_by_age(sort):
    with clock.at(instant("2026-03-01 09:00")):
        for number in range(5):
            remember(text=f"{number} 号工位靠窗", importance=3 if number % 2 else 4)
    client = owner()
    paged, cursor = [], None
    for _ in range(5):
        data = get(client, "/memories", limit=1, cursor=cursor, sort=sort).data
        paged += [item["text"] for item in data["items"]]
        cursor = data["next"]
    assert cursor is None
    assert paged == texts(client, sort=sort)
    assert len(set(paged)) == 5


def test_a_cursor_belongs_to_its_order():
    for number in range(3):
        remember(text=f"{number} 号工位靠窗")
    client = owner()
    cursor = get(client, "/memories", limit=1, sort="-updated").data["next"]
    assert get(client, "/memories", limit=1, sort="-updated", cursor=cursor).status_code == 200
    answer = get(client, "/memories", limit=1, sort="-importance", cursor=cursor)
    assert fields_named(answer) == {"cursor"}


def test_counting_stops_and_says_so(monkeypatch):
    for number in range(4):
        remember(text=f"{number} 号工位靠窗")
    for module in ("memory.api.paging", "memory.index.browse"):
        monkeypatch.setattr(f"{module}.COUNT_CAP", 3)
    client = owner()
    for query in ({}, {"q": "工位"}):
        data = get(client, "/memories", **query).data
        assert (data["total"], data["total_capped"]) == (3, True)
    remember(text="三张凳子")
    data = get(client, "/memories", q="凳子").data
    assert (data["total"], data["total_capped"]) == (1, False)


def test_accessed_at_is_the_newest_recall_that_served_it():
    kept = remember(text="我的工位靠窗")
    path = f"/memories/{kept.public_id}"
    client = owner()
    assert get(client, path).data["accessed_at"] is None
    for moment in ("2099-03-01 09:00", "2099-03-02 09:00"):
        with clock.at(instant(moment)):
            ask("工位")
    with clock.at(instant("2099-03-03 09:00")):
        ask("工位", domains=["travel"])
    assert get(client, path).data["accessed_at"] == "2099-03-02T09:00:00+00:00"
    listed = get(client, "/memories").data["items"][0]
    assert listed["accessed_at"] == "2099-03-02T09:00:00+00:00"


def test_one_memory_comes_with_its_etag():
    kept = remember(text="我的工位靠窗")
    client = owner()
    answer = get(client, f"/memories/{kept.public_id}")
    assert holds_to(MemoryForm, answer.data)
    assert answer["ETag"] == '"1"'
    post(client, f"/memories/{kept.public_id}/confirm")
    assert get(client, f"/memories/{kept.public_id}")["ETag"] == '"2"'


def test_the_list_is_as_documented(store):
    data = get(store, "/memories", status="any").data
    assert holds_to(Page[MemoryForm], data)


def test_a_memory_without_a_user_is_seen_by_the_whole_workspace_only():
    remember(scope(), text="没有主人的记录", user_id="")
    remember(scope(workspace("w2")), text="别处的记录", user_id="")
    assert texts(owner()) == ["没有主人的记录"]
    assert texts(owner(user_id="ann", name="bound")) == []


@pytest.mark.parametrize("query", [{}, {"q": "工位"}])
def test_queries_do_not_grow_with_rows(query):
    client = owner()

    def spent() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert get(client, "/memories", **query).status_code == 200
        return len(queries)

    remember(text="0 号工位靠窗")
    spent()
    few = spent()
    for number in range(1, 12):
        remember(text=f"{number} 号工位靠窗")
    ask("工位")
    assert spent() == few
