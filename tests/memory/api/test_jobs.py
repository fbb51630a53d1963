"""Jobs over HTTP."""

import uuid

import pytest

from memory.api.jobs import JobForm, JobRowForm
from memory.jobs import work
from memory.jobs.work import start
from memory.models import Job, JobRow
from tests import factories as make
from tests.memory.api.calls import fields_named, get, holds_to, owner, post

pytestmark = pytest.mark.django_db


def job(in_scope=None, **fields) -> Job:
    return start(in_scope or make.scope(), "reindex", **fields)


def rejected(of: Job, number: int, **fields) -> JobRow:
    return JobRow.objects.create(
        job=of, number=number, action="rejected", code="empty", message="no text",
        raw={"text": ""}, **fields,
    )  # fmt: skip


def test_a_job_is_told_as_documented():
    client, kept = owner(), job(reason="new words", total=3)
    told = get(client, f"/jobs/{kept.public_id}").data
    assert holds_to(JobForm, told)
    assert (told["kind"], told["state"], told["done"], told["total"]) == ("reindex", "queued", 0, 3)
    assert (told["reason"], told["started_at"]) == ("new words", None)
    work.work()
    told = get(client, f"/jobs/{kept.public_id}").data
    assert (told["state"], told["result"]) == ("done", {"memories": 0})
    assert told["finished_at"] is not None


def test_jobs_are_listed_newest_first_by_pages():
    client = owner()
    ids = [str(work.cancel(job()).public_id) for _ in range(3)]
    first = get(client, "/jobs", limit=2).data
    assert ([one["id"] for one in first["items"]], first["total"]) == (ids[:0:-1], 3)
    rest = get(client, "/jobs", limit=2, cursor=first["next"]).data
    assert [one["id"] for one in rest["items"]] == ids[:1]
    assert get(client, "/jobs", state="queued").data["total"] == 0
    assert get(client, "/jobs", state="cancelled", kind="reindex").data["total"] == 3
    assert get(client, "/jobs", kind="import").data["total"] == 0


def test_a_state_that_is_none_is_refused():
    answer = get(owner(), "/jobs", state="over")
    assert (answer.status_code, fields_named(answer)) == (422, {"state"})


def test_rows_are_told_in_their_order():
    client, kept = owner(), job()
    rejected(kept, 1)
    memory_id = uuid.uuid4()
    JobRow.objects.create(job=kept, number=2, action="added", memory_id=memory_id)
    page = get(client, f"/jobs/{kept.public_id}/rows").data
    assert all(holds_to(JobRowForm, row) for row in page["items"])
    assert [row["row"] for row in page["items"]] == [1, 2]
    assert page["items"][1]["memory_id"] == str(memory_id)
    only = get(client, f"/jobs/{kept.public_id}/rows", action="rejected", limit=1).data
    assert [(row["code"], row["raw"]) for row in only["items"]] == [("empty", {"text": ""})]
    assert only["next"] is None


def test_cancelling_once():
    client, kept = owner(), job()
    told = post(client, f"/jobs/{kept.public_id}/cancel").data
    assert (told["state"], holds_to(JobForm, told)) == ("cancelled", True)
    again = post(client, f"/jobs/{kept.public_id}/cancel")
    assert (again.status_code, again.problem) == (409, "conflict")


@pytest.mark.parametrize("whose", ["of the whole workspace", "of another user", "elsewhere"])
def test_others_jobs_are_not_there(whose):
    scope = {
        "of the whole workspace": make.scope(),
        "of another user": make.scope(user_id="bob"),
        "elsewhere": make.scope(make.workspace("w2")),
    }[whose]
    kept, client = job(scope), owner(user_id="ann")
    rejected(kept, 1)
    missing = get(client, f"/jobs/{uuid.uuid4()}")
    for end in ("", "/rows"):
        answer = get(client, f"/jobs/{kept.public_id}{end}")
        assert (answer.status_code, answer.content) == (404, missing.content)
    answer = post(client, f"/jobs/{kept.public_id}/cancel")
    assert (answer.status_code, answer.content) == (404, missing.content)
    assert get(client, "/jobs").data["items"] == []
    kept.refresh_from_db()
    assert kept.state == "queued"


def test_a_key_of_one_user_sees_that_users():
    kept, client = job(make.scope(user_id="ann")), owner(user_id="ann")
    assert get(client, f"/jobs/{kept.public_id}").data["user_id"] == "ann"
    assert [one["id"] for one in get(client, "/jobs").data["items"]] == [str(kept.public_id)]
