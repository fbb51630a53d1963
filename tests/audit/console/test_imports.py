"""The pages of imports: try, look, bring in, take back."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory.exchange import uploads
from memory.jobs import work
from memory.models import Job, Memory, Role, Status
from tests.factories import logged_in, person, scope
from tests.memory.exchange.imports.files import mem0, row

from .pages_kit import PART, is_whole, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
FILE = mem0(
    row(1, "我的预算是800元", user_id="alice"), row(2, "likes tea", user_id="alice"), row(3, "")
)


def sent(client, content=FILE, **fields):
    file = SimpleUploadedFile("mem0 <b>.json", json.dumps(content).encode())
    fields = {"file": file, "format": "auto", "user_id": "ann"} | fields
    return client.post("/imports/", fields)


def tried(client, **fields):
    answer = sent(client, **fields)
    work.work()
    return answer.url


def test_a_file_is_tried_looked_at_brought_in_and_taken_back():
    client = operator()
    assert "Nothing was brought in yet" in text_of(client.get("/imports/"))
    waiting = sent(client, reason="moving over")
    page = text_of(client.get(waiting.url))
    assert "It waits for the worker." in page
    assert 'hx-trigger="every 2s"' in page
    work.work()
    page = text_of(client.get(waiting.url))
    assert "Nothing was written yet" in page
    assert "mem0: memories in JSON" in page
    assert "kept as ann" in page
    assert "我的预算是800元" in page
    assert "text: give a text" in page
    assert "every 2s" not in page
    assert "<b>" not in page
    assert not Memory.everywhere.exists()
    applied = client.post(f"{waiting.url}apply/", {"reason": "looks right"})
    assert client.post(f"{waiting.url}apply/").url == applied.url
    work.work()
    page = text_of(client.get(applied.url))
    assert "Undo the import" in page
    assert Memory.everywhere.filter(status=Status.ACTIVE, user_id="ann").count() == 2
    assert "See the import" in text_of(client.get(waiting.url))
    back = client.post(f"{applied.url}undo/", {"reason": "wrong file"})
    work.work()
    assert Memory.everywhere.filter(status=Status.RETRACTED).count() == 2
    assert "See how it was taken back" in text_of(client.get(applied.url))
    assert text_of(client.get("/imports/")).count("mem0 _b_.json") == 3
    assert is_whole(client.get(back.url))


def test_rejected_rows_can_be_taken_away_as_csv():
    client = operator()
    address = tried(client)
    job = Job.everywhere.get()
    page = text_of(client.get(address))
    assert f'href="/jobs/{job.public_id}/rows.csv"' in page
    told = b"".join(client.get(f"/jobs/{job.public_id}/rows.csv").streaming_content).decode()
    assert "3,rejected,,invalid,text: give a text" in told.replace('"', "")


def test_htmx_is_given_the_part():
    client = operator()
    part = client.get(sent(client).url, **PART)
    assert not is_whole(part)
    assert 'id="import"' in text_of(part)


def test_what_is_wrong_with_a_file_is_told_beside_it():
    client = operator()
    before = set(uploads.folder().iterdir())
    empty = client.post("/imports/", {"format": "auto", "user_id": "ann"})
    assert empty.status_code == 422
    assert "This field is required" in text_of(empty)
    columns = sent(client, columns="nonsense")
    assert "Write column=field" in text_of(columns)
    assert set(uploads.folder().iterdir()) == before
    address = tried(client, format="mem0-history")
    assert "mem0 _b_.json:" in text_of(client.get(address))
    assert Job.everywhere.get().state == "failed"


def test_a_trial_whose_file_is_gone_says_so():
    client = operator()
    address = tried(client)
    uploads.discard(Job.everywhere.get().params["upload"])
    assert "Upload it again" in text_of(client.get(address))
    assert "Upload it again" in text_of(client.post(f"{address}apply/", follow=True))


def test_roles_and_strangers():
    client = operator()
    address = tried(client)
    looker = viewer()
    assert "Try the import" not in text_of(looker.get("/imports/"))
    assert "Bring it in" not in text_of(looker.get(address))
    assert sent(looker).status_code == 403
    assert looker.post(f"{address}apply/").status_code == 403
    assert logged_in(person("rita", role=Role.REVIEWER)).post(f"{address}apply/").status_code == 403
    missing = "/imports/00000000-0000-0000-0000-000000000007/"
    other = stranger()
    for path in (address, missing):
        assert other.get(path).status_code == 404
        assert other.post(f"{path}apply/").status_code == 404
        assert other.post(f"{path}undo/").status_code == 404
    # A job of another kind is no import.
    reindex = work.start(scope(), "reindex")
    assert client.get(f"/imports/{reindex.public_id}/").status_code == 404


def test_queries_do_not_grow_with_rows():
    client = operator()
    few = tried(client)
    rows = [row(n, "") for n in range(60)]
    many = tried(client, content=mem0(*rows))
    assert queries(client, many) == queries(client, few)
