"""Who read a memory."""

from datetime import timedelta

import pytest
from django.db import DatabaseError

from memory import clock
from memory.models import Access
from memory.write import accesses
from memory.write.queue import QueueTimeout
from tests.factories import api_key, budget, client_for, logged_in, person, remember, scope
from tests.factories import workspace as place
from tests.memory.api.calls import get, owner, post

pytestmark = pytest.mark.django_db


def told(client, memory, **query) -> list[tuple[str, str, str]]:
    answer = get(client, f"/memories/{memory.public_id}/accesses", **query)
    assert answer.status_code == 200, answer.data
    return [(item["how"], item["actor"], item["surface"]) for item in answer.data["items"]]


def test_each_way_of_reading_is_told_newest_first():
    row, client = budget("1200"), owner(name="bot")
    get(client, "/memories")
    get(client, f"/memories/{row.public_id}")
    get(client, f"/memories/{row.public_id}/history")
    post(client, "/recall", {"query": "我的预算是多少", "user_id": "ann"})
    logged_in(person("olga")).get(f"/memories/{row.public_id}/")
    assert told(client, row) == [
        ("page", "person:olga", "console"),
        ("recall", "key:bot", "api"),
        ("history", "key:bot", "api"),
        ("one", "key:bot", "api"),
        ("list", "key:bot", "api"),
    ]


def test_a_recall_is_named_so_that_it_can_be_looked_at():
    row, client = budget("1200"), owner()
    asked = post(client, "/recall", {"query": "我的预算是多少", "user_id": "ann"}).data
    item = get(client, f"/memories/{row.public_id}/accesses").data["items"][0]
    assert item["recall_id"] == asked["recall_id"]


def test_what_was_not_handed_out_is_no_access():
    row, other, client = budget("1200"), remember(text="茶要热的"), owner()
    get(client, f"/memories/{other.public_id}")
    get(client, "/memories", q="茶")
    get(client, "/memories", limit=1)
    assert told(client, row) == []
    post(client, "/recall", {"query": "茶", "user_id": "ann"})
    assert told(client, row) == []


def test_looking_at_the_list_is_no_access():
    row, client = budget("1200"), owner()
    told(client, row)
    assert told(client, row) == []


def test_pages_go_on_without_a_gap_or_a_repeat():
    row, client = budget("1200"), owner()
    for _ in range(4):
        get(client, f"/memories/{row.public_id}")
        post(client, "/recall", {"query": "我的预算是多少", "user_id": "ann"})
    path, seen, cursor = f"/memories/{row.public_id}/accesses", [], None
    while True:
        page = get(client, path, limit=3, cursor=cursor).data
        assert page["total"] == 8
        seen += [item["how"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == ["recall", "one"] * 4
    assert get(client, path, cursor="bm8").problem == "invalid"


def test_strangers_get_the_answer_for_no_memory():
    row = budget("1200")
    path = f"/memories/{row.public_id}/accesses"
    nothing = "/memories/00000000-0000-0000-0000-000000000009/accesses"
    for stranger in (
        client_for(api_key(place("w2"), name="other")[1]),
        client_for(api_key(user_id="bo", name="bo")[1]),
    ):
        assert get(stranger, path).content == get(stranger, nothing).content
        assert get(stranger, path).status_code == 404


def test_a_key_of_one_user_sees_the_own_part_only():
    row = budget("1200")
    mine = client_for(api_key(user_id="ann", name="ann")[1])
    get(owner(), f"/memories/{row.public_id}")
    assert told(mine, row) == [("one", "key:bot", "api")]


def test_the_page_tells_auditors_and_not_viewers():
    row = budget("1200")
    get(owner(name="night shift"), f"/memories/{row.public_id}")
    auditor, viewer = (logged_in(person(role, role=role)) for role in ("auditor", "viewer"))
    page = f"/memories/{row.public_id}/"
    assert "key:night shift" in auditor.get(page).content.decode()
    assert "key:night shift" not in viewer.get(page).content.decode()
    assert "person:viewer" in auditor.get(page).content.decode()


@pytest.mark.parametrize("failure", [QueueTimeout("full"), DatabaseError("disk")])
def test_a_reader_is_not_refused_for_the_sake_of_the_note(monkeypatch, failure, caplog):
    def fail(entries):
        raise failure

    row, client = budget("1200"), owner()
    monkeypatch.setattr(accesses.notes, "store", fail)
    assert get(client, f"/memories/{row.public_id}").status_code == 200
    assert "not noted" in caplog.text


def test_more_rows_ask_no_more_questions(django_assert_max_num_queries):
    client = owner()
    for number in range(3):
        remember(text=f"茶要热的，第{number}种")
    get(client, "/memories")
    with django_assert_max_num_queries(12):
        get(client, "/memories")
    assert Access.everywhere.count() == 6


def test_old_notes_are_forgotten(settings):
    row, client = budget("1200"), owner()
    get(client, f"/memories/{row.public_id}")
    with clock.at(clock.now() + timedelta(days=364)):
        get(owner(name="late"), f"/memories/{row.public_id}")
        assert accesses.forget_old() == 0
    with clock.at(clock.now() + timedelta(days=366)):
        assert accesses.forget_old() == 1
        settings.ACCESS_DAYS = 0
        assert accesses.forget_old() == 0
    assert told(client, row) == [("one", "key:late", "api")]


@pytest.mark.django_db(transaction=True)
def test_in_batches_nobody_waits_and_nothing_is_lost(settings):
    settings.RECALL_RECORDING = "batched"
    row = budget("1200")
    client = owner()
    for _ in range(20):
        get(client, f"/memories/{row.public_id}")
    assert accesses.notes.settle()
    assert Access.objects.within(scope()).count() == 20
    accesses.notes.stop()


def test_an_export_is_an_access_to_each_row_in_it():
    row, other = budget("1200"), remember(text="茶要热的", user_id="bo")
    client = owner()
    b"".join(client.get("/api/v1/exports?user_id=ann").streaming_content)
    assert told(client, row) == [("export", "key:bot", "api")]
    assert told(client, other) == []


def test_what_a_batch_and_a_difference_told_is_noted_too():
    with clock.at(clock.now() - timedelta(days=1)):
        kept = remember(text="茶要热的")
    client = owner(name="reader")
    batch = get(client, "/batches").data["items"][0]["id"]
    get(client, f"/batches/{batch}")
    get(client, "/diff", since=(clock.now() - timedelta(days=2)).isoformat())
    rows = get(client, f"/memories/{kept.public_id}/accesses").data["items"]
    assert [(row["actor"], row["how"]) for row in rows] == [
        ("key:reader", "list"),
        ("key:reader", "history"),
    ]
