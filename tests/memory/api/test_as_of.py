"""Lists, single memories and differences of other days."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.api.difference import DifferenceForm
from tests import factories as make
from tests.memory.api.calls import fields_named, get, holds_to, owner
from tests.memory.write.test_undo_property import START
from tests.memory.write.verbs import amend

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def on(number: int) -> str:
    return (START + number * DAY).isoformat()


def story():
    """The budget: 500 on the first day, 800 on the third; tea on the second."""
    with clock.at(START + DAY):
        old = make.budget("500", agent_id="planner")
    with clock.at(START + 2 * DAY):
        make.remember(text="Ann likes tea")
    with clock.at(START + 3 * DAY):
        new = amend(old, value="800")
    return old, new


def texts(answer) -> list[str]:
    return [item["text"] for item in answer.data["items"]]


def test_a_list_is_of_the_store_as_it_was():
    story()
    client = owner()
    assert texts(get(client, "/memories", as_of=on(0))) == []
    then = get(client, "/memories", as_of=on(2))
    assert texts(then) == ["Ann likes tea", "我的预算是500元"]
    assert (then.data["total"], then.data["items"][1]["superseded_by"]) == (2, None)
    assert texts(get(client, "/memories", as_of=on(3))) == ["我的预算是800元", "Ann likes tea"]
    assert texts(get(client, "/memories", as_of=on(2), status="superseded")) == []
    assert texts(get(client, "/memories", as_of=on(3), status="superseded")) == ["我的预算是500元"]


def test_filters_search_and_order_are_of_that_time():
    story()
    client = owner()
    assert texts(get(client, "/memories", as_of=on(2), q="预算")) == ["我的预算是500元"]
    assert get(client, "/memories", as_of=on(2), q="预算").data["total"] == 1
    assert texts(get(client, "/memories", as_of=on(2), q="800")) == []
    assert texts(get(client, "/memories", as_of=on(2), entity="USER")) == ["我的预算是500元"]
    by_update = get(client, "/memories", as_of=on(9), status="any", sort="-updated")
    assert texts(by_update)[-1] == "Ann likes tea"


def test_pages_of_the_past_neither_repeat_nor_miss():
    with clock.at(START):
        for number in range(7):
            make.remember(text=f"gate {number}")
    client, seen, cursor = owner(), [], None
    while True:
        page = get(client, "/memories", as_of=on(1), limit=3, cursor=cursor)
        seen += texts(page)
        make.remember(text=f"later {len(seen)}")
        if (cursor := page.data["next"]) is None:
            break
    assert seen == [f"gate {number}" for number in range(6, -1, -1)]


def test_one_memory_as_it_was():
    old, new = story()
    client = owner()
    then = get(client, f"/memories/{old.public_id}", as_of=on(2))
    assert (then.data["status"], then.data["valid_to"]) == ("active", None)
    assert "ETag" not in then
    assert get(client, f"/memories/{old.public_id}").data["status"] == "superseded"
    assert get(client, f"/memories/{new.public_id}", as_of=on(2)).problem == "not_found"
    assert get(client, f"/memories/{new.public_id}", as_of=on(3)).data["value"] == "800"


@pytest.mark.parametrize("as_of", ["2026-03-03", "yesterday", "2999-01-01T00:00:00+00:00"])
def test_no_time_and_no_future(as_of):
    old, _ = story()
    client = owner()
    for path in ("/memories", f"/memories/{old.public_id}"):
        answer = get(client, path, as_of=as_of)
        assert (answer.status_code, fields_named(answer)) == (422, {"as_of"})


def test_the_past_has_the_same_doors():
    old, _ = story()
    missing = get(owner(), "/memories/00000000-0000-0000-0000-000000000007", as_of=on(2))
    for key in (owner(of=make.workspace("w2"), name="far"), owner(user_id="ben", name="near")):
        answer = get(key, f"/memories/{old.public_id}", as_of=on(2))
        assert (answer.status_code, answer.content) == (404, missing.content)
        assert texts(get(key, "/memories", as_of=on(2))) == []
        assert get(key, "/diff", since=on(0), until=on(4)).data["items"] == []
    bound = owner(user_id="ben", name="bound")
    assert get(bound, "/memories", as_of=on(2), user_id="ann").problem == "outside_scope"
    assert get(bound, "/diff", since=on(0), user_id="ann").problem == "outside_scope"


def test_the_difference_of_two_dates():
    old, new = story()
    answer = get(owner(), "/diff", since=on(1), until=on(3), user_id="ann")
    assert holds_to(DifferenceForm, answer.data)
    assert (answer.data["since"], answer.data["until"]) == (on(1), on(3))
    assert answer.data["counts"] | {"added": 1, "superseded": 1} == answer.data["counts"]
    superseded, added = answer.data["items"]
    assert (added["change"], added["before"]) == ("added", None)
    assert added["after"]["text"] == "Ann likes tea"
    assert superseded["memory_id"] == str(old.public_id)
    assert superseded["new"]["id"] == str(new.public_id)
    assert {"value", "text"} <= set(superseded["fields"])
    assert [(w["op"], w["text"]) for w in superseded["words"]] == [
        ("same", "我的预算是"), ("del", "500"), ("add", "800"), ("same", "元"),
    ]  # fmt: skip


def test_one_kind_of_change_by_pages():
    story()
    client = owner()
    only = get(client, "/diff", since=on(1), until=on(3), change="added")
    assert [item["change"] for item in only.data["items"]] == ["added"]
    assert (only.data["total"], only.data["next"]) == (1, None)
    first = get(client, "/diff", since=on(1), until=on(3), limit=1)
    assert (first.data["total"], first.data["total_capped"]) == (2, False)
    rest = get(client, "/diff", since=on(1), until=on(3), limit=1, cursor=first.data["next"])
    assert rest.data["next"] is None
    changes = [item["change"] for page in (first, rest) for item in page.data["items"]]
    assert changes == ["superseded", "added"]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"since": "yesterday"},
        {"since": on(3), "until": on(1)},
        {"since": on(1), "until": "2999-01-01T00:00:00+00:00"},
        {"since": on(1), "change": "vanished"},
        {"since": on(1), "cursor": "abc"},
        {"since": on(1), "limit": 201},
    ],
)
def test_differences_that_cannot_be(asked):
    assert get(owner(), "/diff", **asked).status_code == 422


def test_as_many_queries_for_many_as_for_one():
    def counts(path: str, **query) -> int:
        get(client, path, **query)
        with CaptureQueriesContext(connection) as captured:
            assert get(client, path, **query).data["items"]
        return len(captured)

    client = owner()
    story()
    asked = [("/memories", {"as_of": on(9)}), ("/diff", {"since": on(0), "until": on(9)})]
    few = [counts(path, **query) for path, query in asked]
    with clock.at(START + 4 * DAY):
        for number in range(9):
            make.remember(text=f"gate {number}")
    assert [counts(path, **query) for path, query in asked] == few


def test_a_history_is_as_it_was_told_then():
    old, new = story()
    client = owner()
    path = f"/memories/{old.public_id}/history"
    then = get(client, path, as_of=on(2)).data
    assert ([entry["action"] for entry in then["items"]], then["total"]) == (["add"], 1)
    assert len(get(client, path).data["items"]) > 1
    assert get(client, f"/memories/{new.public_id}/history", as_of=on(2)).status_code == 404
