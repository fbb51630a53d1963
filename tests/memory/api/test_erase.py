"""Erasing over HTTP, and what is left of it there."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Erasure, Memory
from memory.write.erase.certificate import FORMAT
from tests.factories import api_key, client_for, remember, turn, workspace
from tests.memory.api.calls import get, holds_to, owner, post, written

pytestmark = pytest.mark.django_db
SECRET = "绝密代号青鹭 zqcanary7788"


def stranger():
    return client_for(api_key(workspace("w2"), name="other")[1])


def erase(client, memory_id, reason="on request", **headers):
    return post(client, f"/memories/{memory_id}/erase", {"reason": reason}, **headers)


def test_it_goes_and_says_what_went():
    from memory.api.erasures import ErasedForm

    client = owner()
    row = written(client, text=SECRET)
    post(client, "/recall", {"query": SECRET, "user_id": "ann"})
    answer = erase(client, row["id"])
    assert answer.status_code == 200
    assert holds_to(ErasedForm, answer.data)
    assert answer.data["batch_id"]
    removed = {one["place"]: one["count"] for one in answer.data["erasure"]["removed"]}
    assert removed["rows"] == 1
    assert removed["recalls"] == 1
    assert answer.data["erasure"]["memory_id"] == row["id"]


def test_afterwards_it_is_gone_for_its_owner_and_never_was_for_a_stranger():
    client, other = owner(), stranger()
    row = written(client, text=SECRET)
    done = erase(client, row["id"], "forget it").data["erasure"]
    for method, path in (
        ("get", f"/memories/{row['id']}"),
        ("get", f"/memories/{row['id']}/history"),
        ("post", f"/memories/{row['id']}/erase"),
        ("post", f"/memories/{row['id']}/restore"),
        ("post", f"/memories/{row['id']}/retract"),
        ("post", f"/memories/{row['id']}/approve"),
    ):
        body = {"reason": "x"}
        mine = get(client, path) if method == "get" else post(client, path, body)
        assert (mine.status_code, mine.problem) == (410, "erased"), path
        note = mine.data["erasure"]
        assert note == {
            "id": done["id"], "at": done["at"], "actor": "key:bot", "reason": "forget it",
        }  # fmt: skip
        theirs = get(other, path) if method == "get" else post(other, path, body)
        never = path.replace(row["id"], "00000000-0000-7000-8000-000000000007")
        missing = get(other, never) if method == "get" else post(other, never, body)
        assert theirs.status_code == missing.status_code == 404
        assert theirs.content == missing.content


def test_a_key_bound_to_another_user_knows_nothing_of_it():
    row = remember(text=SECRET)
    bens = client_for(api_key(user_id="ben", name="bens")[1])
    anns = client_for(api_key(user_id="ann", name="anns")[1])
    assert erase(bens, row.public_id).status_code == 404
    done = erase(anns, row.public_id)
    assert done.status_code == 200
    assert get(bens, f"/memories/{row.public_id}").status_code == 404
    assert get(bens, "/erasures").data["total"] == 0
    assert get(bens, f"/erasures/{done.data['erasure']['id']}").status_code == 404
    assert get(anns, f"/memories/{row.public_id}").status_code == 410


def test_no_answer_holds_a_word_of_it():
    client = owner()
    said = turn(content=f"记住：{SECRET}")
    row = written(client, text=SECRET, reason=SECRET)
    asked = post(client, "/recall", {"query": "zqcanary7788", "user_id": "ann"}).data
    post(client, f"/recalls/{asked['recall_id']}/outcome", {"prompt": SECRET, "answer": "青鹭"})
    post(client, f"/recalls/{asked['recall_id']}/feedback", {"verdict": "wrong", "text": SECRET})
    batch = erase(client, row["id"], f"忘掉{SECRET}").data["batch_id"]
    for path in (
        "/memories?status=any", "/batches", f"/batches/{batch}", "/turns",
        f"/turns/{said.public_id}",
        "/recalls", f"/recalls/{asked['recall_id']}", f"/recalls/{asked['recall_id']}/export",
        "/erasures", "/health?fresh=1", f"/memories/{row['id']}",
    ):  # fmt: skip
        text = get(client, path).content.decode()
        assert "zqcanary" not in text, path
        assert "青鹭" not in text, path


def test_the_list_and_the_certificate():
    from memory.api.erasures import Certificate, ErasureForm

    client = owner()
    ids = [written(client, text=f"secret number {n}00000")["id"] for n in range(3)]
    done = [erase(client, one).data["erasure"]["id"] for one in ids]
    first = get(client, "/erasures", limit=2)
    assert [one["id"] for one in first.data["items"]] == done[:0:-1]
    assert first.data["total"] == 3
    rest = get(client, "/erasures", limit=2, cursor=first.data["next"])
    assert [one["id"] for one in rest.data["items"]] == done[:1]
    assert all(holds_to(ErasureForm, one) for one in first.data["items"])
    assert get(client, "/erasures", user_id="ben").data["total"] == 0
    answer = get(client, f"/erasures/{done[0]}")
    assert holds_to(Certificate, answer.data)
    assert answer.data["format"] == FORMAT
    assert get(stranger(), f"/erasures/{done[0]}").status_code == 404


def test_any_tombstone_of_a_fact_leads_to_its_certificate():
    client = owner()
    said = {"entity": "user", "attribute": "budget"}
    written(client, value="800", **said)
    row = written(client, value="1200", **said)
    erase(client, row["id"])
    kept = Erasure.everywhere.order_by("pk")
    assert get(client, "/erasures").data["total"] == 1
    answers = {get(client, f"/erasures/{one.public_id}").data["id"] for one in kept}
    assert (len(kept), answers) == (2, {str(kept[0].public_id)})


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "x", "more": 1}])
def test_without_a_reason_nothing_goes(body):
    client = owner()
    row = written(client, text=SECRET)
    assert post(client, f"/memories/{row['id']}/erase", body).status_code == 422
    assert Memory.everywhere.count() == 1


def test_another_state_than_was_seen_is_refused():
    client = owner()
    row = written(client, text=SECRET)
    tag = get(client, f"/memories/{row['id']}")["ETag"]
    post(client, f"/memories/{row['id']}/confirm", {})
    refused = erase(client, row["id"], if_match=tag)
    assert (refused.status_code, refused.problem) == (412, "precondition_failed")
    tag = get(client, f"/memories/{row['id']}")["ETag"]
    assert erase(client, row["id"], if_match=tag).status_code == 200


def test_undo_of_what_was_erased_is_refused():
    client = owner()
    row = written(client, text=SECRET)
    batch = get(client, "/batches").data["items"][0]["id"]
    done = erase(client, row["id"]).data["batch_id"]
    for one in (batch, done):
        assert post(client, f"/batches/{one}/undo").status_code == 409


def test_the_chain_is_verified_over_http():
    client = owner()
    written(client, text="one")
    told = get(client, "/ledger/verify").data
    assert (told["holds"], told["entries"], told["broken"]) == (True, 1, None)
    assert told["contains"] is None
    assert get(client, "/ledger/verify", contains=told["head"]).data["contains"] is True
    assert get(client, "/ledger/verify", contains="0" * 64).data["contains"] is False
    assert get(client, "/ledger/verify", contains="x").status_code == 422
    bound = client_for(api_key(user_id="ann", name="anns")[1])
    assert get(bound, "/ledger/verify").status_code == 403


def test_a_long_chain_is_left_to_the_command(monkeypatch):
    client = owner()
    written(client, text="one")
    monkeypatch.setattr("memory.write.ledger.MOST_AT_ONCE", 0)
    assert get(client, "/ledger/verify").status_code == 409


def test_it_is_absent_at_every_date():
    client = owner()
    row = written(client, text=SECRET)
    then = clock.now()
    with clock.at(then + timedelta(hours=1)):
        erase(client, row["id"])
    with clock.at(then + timedelta(hours=2)):
        assert get(client, "/memories", as_of=then.isoformat()).data["items"] == []
        one = get(client, f"/memories/{row['id']}", as_of=then.isoformat())
        assert one.status_code in (404, 410)
        since = (then - timedelta(hours=1)).isoformat()
        answer = get(client, "/diff", since=since, until=(then + timedelta(hours=2)).isoformat())
        assert answer.status_code == 200
        assert "zqcanary" not in answer.content.decode()
