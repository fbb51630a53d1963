"""Imports over HTTP: a file is sent, a job brings it in."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory.exchange import uploads
from memory.jobs import work
from memory.models import Memory
from memory.write.erase.road import erase
from tests.factories import api_key, client_for, remember, scope, workspace
from tests.memory.api.calls import ROOT, call, fields_named, get, owner, post
from tests.memory.exchange.imports.files import mem0, row

pytestmark = pytest.mark.django_db


def send(client, content, **fields):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    file = SimpleUploadedFile("m.json", data)
    answer = client.post(f"{ROOT}/imports", {"file": file, **fields})
    answer.data = json.loads(answer.content)
    answer.problem = answer.data["code"] if answer.status_code >= 400 else ""
    return answer


def test_a_file_is_brought_in_by_a_job():
    client = owner()
    file = mem0(row(1, "likes tea"), row(2, ""))
    answer = send(client, file, user_id="ann", reason="moving")
    assert (answer.status_code, answer.data["state"], answer.data["kind"]) == (
        202,
        "queued",
        "import",
    )
    work.work()
    job = get(client, f"/jobs/{answer.data['id']}").data
    assert (job["state"], job["done"], job["total"]) == ("done", 2, 2)
    assert (job["result"]["added"], job["result"]["rejected"]) == (1, 1)
    rows = get(client, f"/jobs/{job['id']}/rows", action="rejected").data
    assert rows["total"] == 1
    assert (rows["items"][0]["row"], rows["items"][0]["code"]) == (2, "invalid")
    batch = get(client, f"/batches/{job['result']['batches'][0]}").data
    assert (batch["verb"], batch["reason"]) == ("import", "moving")
    found = get(client, "/memories", user_id="ann").data["items"]
    assert [one["external_id"] for one in found] == ["m1"]
    again = send(client, file, user_id="ann")
    work.work()
    job = get(client, f"/jobs/{again.data['id']}").data
    assert (job["result"]["unchanged"], job["result"]["batches"]) == (1, [])


def test_a_dry_run_is_looked_at_and_then_applied():
    client = owner()
    trial = send(client, mem0(row(1, "likes tea")), user_id="ann", dry_run="true").data
    early = post(client, f"/imports/{trial['id']}/apply")
    assert (early.status_code, early.problem) == (409, "conflict")
    work.work()
    assert get(client, f"/jobs/{trial['id']}").data["result"]["added"] == 1
    assert not Memory.everywhere.exists()
    first = post(client, f"/imports/{trial['id']}/apply", {"reason": "yes"})
    assert first.status_code == 202
    assert post(client, f"/imports/{trial['id']}/apply").data["id"] == first.data["id"]
    work.work()
    assert Memory.everywhere.get().text == "likes tea"
    # An import that was no trial cannot be applied.
    assert post(client, f"/imports/{first.data['id']}/apply").problem == "not_found"


def test_a_trial_of_others_is_as_one_that_never_was():
    trial = send(owner(), mem0(row(1, "likes tea")), user_id="ann", dry_run="true").data
    work.work()
    missing = post(owner(name="b"), "/imports/00000000-0000-0000-0000-000000000007/apply")
    stranger = client_for(api_key(of=workspace("w2"), name="c")[1])
    assert post(stranger, f"/imports/{trial['id']}/apply").content == missing.content


def test_what_is_wrong_with_the_request_is_told_by_field():
    client = owner()
    before = set(uploads.folder().iterdir())
    assert fields_named(send(client, mem0(), format="excel95")) == {"format"}
    assert fields_named(send(client, b"")) == {"file"}
    assert fields_named(send(client, mem0(), columns="[1]")) == {"columns"}
    answer = client.post(f"{ROOT}/imports", {"user_id": "ann"})
    assert answer.status_code == 422
    assert client.post(f"{ROOT}/imports", b"x", content_type="text/plain").status_code == 422
    assert set(uploads.folder().iterdir()) == before


def test_a_key_of_one_user_brings_in_for_that_user_alone():
    client = client_for(api_key(user_id="ann")[1])
    assert send(client, mem0(row(1, "likes tea")), user_id="bob").problem == "outside_scope"
    rows = [row(1, "likes tea", user_id="bob"), row(2, "likes rain", user_id="ann")]
    job = send(client, mem0(*rows)).data
    work.work()
    result = get(client, f"/jobs/{job['id']}").data["result"]
    assert (result["added"], result["rejected"]) == (1, 1)
    assert Memory.everywhere.get().user_id == "ann"


def test_a_file_beyond_the_limit_is_refused_before_it_is_kept(settings):
    settings.IMPORT_MAX_MB = 1
    before = set(uploads.folder().iterdir())
    answer = send(owner(), b" " * 1_200_000)
    assert (answer.status_code, answer.problem) == (413, "too_large")
    assert set(uploads.folder().iterdir()) == before


def test_formats_are_listed():
    names = {one["name"] for one in get(owner(), "/imports/formats").data}
    assert {"mem0", "mem0-history", "openmemory", "mase-db", "mcp-memory", "csv", "xlsx"} <= names


def test_bringing_back_what_was_erased_needs_its_scope_and_a_reason():
    gone = remember(text="likes tea")
    erase(scope(), gone, reason="asked to")
    file, said = mem0(row(1, "likes tea")), {"user_id": "ann", "bring_back": "true"}
    writer = client_for(api_key(scopes=["read", "write"], name="writer")[1])
    refused = send(writer, file, **said, reason="asked again")
    assert (refused.status_code, refused.problem) == (403, "missing_scope")
    silent = send(owner(), file, **said)
    assert (silent.status_code, fields_named(silent)) == (422, {"reason"})
    client = owner()
    trial = send(client, file, user_id="ann", dry_run="true").data["id"]
    work.work()
    told = get(client, f"/jobs/{trial}/rows").data["items"]
    assert [(one["action"], one["code"]) for one in told] == [("skipped", "erased")]
    apply = f"/imports/{trial}/apply"
    assert post(writer, apply, {"bring_back": True, "reason": "x"}).status_code == 403
    assert fields_named(post(client, apply, {"bring_back": True})) == {"reason"}
    assert post(client, apply, {"bring_back": True, "reason": "asked again"}).status_code == 202
    work.work()
    (batch,) = get(client, "/batches", limit=1).data["items"]
    assert (batch["verb"], batch["reason"]) == ("bring_back", "asked again")
    (kept,) = get(client, "/erasures").data["items"]
    assert [one["batch_id"] for one in kept["brought_back"]] == [batch["id"]]
    assert get(client, "/memories", user_id="ann").data["total"] == 1


def test_a_dry_run_is_dropped_with_its_file():
    client = owner()
    trial = send(client, mem0(row(1, "likes tea")), user_id="ann", dry_run="true").data["id"]
    work.work()
    stranger = client_for(api_key(workspace("w2"), name="stranger")[1])
    assert call(stranger, "DELETE", f"/imports/{trial}").status_code == 404
    assert client.delete(f"{ROOT}/imports/{trial}").status_code == 204
    assert post(client, f"/imports/{trial}/apply", {}).problem == "conflict"
    again = send(client, mem0(row(1, "likes tea")), user_id="ann", dry_run="true").data["id"]
    work.work()
    post(client, f"/imports/{again}/apply", {})
    assert call(client, "DELETE", f"/imports/{again}").problem == "conflict"
