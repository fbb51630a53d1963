"""Batches: what changed together, and back."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.api.batches import BatchForm, BatchWithChanges
from memory.api.changed import Changed
from memory.api.paging import Page
from memory.models import Memory
from tests.factories import budget, remember, scope
from tests.memory.api.calls import get, holds_to, owner, post, written

pytestmark = pytest.mark.django_db


def active() -> dict[str, str]:
    rows = Memory.objects.within(scope()).filter(status="active")
    return {row.attribute: row.value for row in rows}


def test_a_batch_tells_what_it_changed():
    budget("800")
    budget("1200", reason="上调预算")
    client = owner()
    data = get(client, "/batches").data
    assert holds_to(Page[BatchForm], data)
    newest = data["items"][0]
    assert (newest["verb"], newest["reason"], newest["changes"]) == ("remember", "上调预算", 2)
    one = get(client, f"/batches/{newest['id']}").data
    assert holds_to(BatchWithChanges, one)
    assert [entry["action"] for entry in one["items"]] == ["supersede", "add"]
    assert get(client, f"/batches/{newest['id']}", limit=1).data["next"]


def test_undo_puts_the_old_value_back_and_can_itself_be_undone():
    budget("800")
    client = owner()
    raised = post(client, "/memories", {"user_id": "ann", "text": "我的预算是1200元"}).data
    undone = post(client, f"/batches/{raised['batch_id']}/undo", {"reason": "批错了"})
    assert undone.status_code == 200
    assert holds_to(Changed, undone.data)
    assert {result["action"] for result in undone.data["results"]} == {"undone"}
    assert active() == {"预算": "800"}
    told = get(client, f"/batches/{raised['batch_id']}").data
    assert told["undone_by"] == undone.data["batch_id"]
    assert get(client, f"/batches/{undone.data['batch_id']}").data["undoes"] == raised["batch_id"]
    again = post(client, f"/batches/{undone.data['batch_id']}/undo")
    assert again.status_code == 200
    assert active() == {"预算": "1200元"}


def test_a_batch_is_undone_once():
    client = owner()
    batch = post(client, "/memories", {"user_id": "ann", "text": "我的预算是800元"}).data[
        "batch_id"
    ]
    assert post(client, f"/batches/{batch}/undo").status_code == 200
    answer = post(client, f"/batches/{batch}/undo")
    assert (answer.status_code, answer.problem) == (409, "conflict")


def test_an_undo_that_would_trample_names_the_later_batches():
    client = owner()
    first = post(client, "/memories", {"user_id": "ann", "text": "我的预算是800元"}).data
    later = post(client, "/memories", {"user_id": "ann", "text": "我的预算是1200元"}).data
    answer = post(client, f"/batches/{first['batch_id']}/undo")
    assert (answer.status_code, answer.problem) == (409, "would_trample")
    assert answer.data["batches"] == [later["batch_id"]]
    assert active() == {"预算": "1200元"}


def test_batches_can_be_asked_of_one_user():
    client = owner()
    written(client, text="好", user_id="ann")
    written(client, text="好", user_id="bob")
    data = get(client, "/batches", user_id="bob").data
    assert [item["user_id"] for item in data["items"]] == ["bob"]


def test_queries_do_not_grow_with_batches():
    client = owner()

    def spent() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert get(client, "/batches").status_code == 200
        return len(queries)

    remember(text="0 号工位靠窗")
    spent()
    few = spent()
    for number in range(1, 10):
        remember(text=f"{number} 号工位靠窗")
    assert spent() == few
