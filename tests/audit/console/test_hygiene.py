"""The page of the hygiene lab."""

import base64
import json
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from audit.console import hygiene as page
from audit.hygiene import lab
from audit.hygiene.inside import look_over
from memory import clock
from memory.api.jobs import job_form
from memory.exchange import uploads
from memory.jobs import alive, work
from memory.models import Job, Memory, Workspace
from tests import factories as make
from tests.audit.console.pages_kit import operator, stranger, text_of, viewer
from tests.audit.hygiene.samples import KEY, document

pytestmark = pytest.mark.django_db


@pytest.fixture
def in_this_process(monkeypatch):
    """The look within the test's own database: a process of its own takes seconds."""

    def run(folder, path, name, form, seconds, say):
        Workspace.objects.filter(name="export").update(name=f"before-{timezone.now():%f}")
        return look_over(path, name, form, lambda what, count: None)

    monkeypatch.setattr(lab, "_run", run)


def sent(client, text: str = "", name: str = "export.json", **fields):
    file = SimpleUploadedFile(name, (text or document()).encode())
    return client.post("/hygiene/", {"file": file, **fields})


def test_a_page_tells_what_is_wrong_and_gives_both_files(in_this_process):
    client = operator()
    assert "<form" in text_of(client.get("/hygiene/"))
    answer = sent(client)
    text = text_of(answer)
    assert answer.status_code == 200
    assert "says exactly the same as m1 (row 1)" in text
    assert KEY not in text
    found = re.findall(r'base64,([^"]*)" download="([^"]*)"', text)
    files = {name: base64.b64decode(data) for data, name in found}
    assert set(files) == {"plan.json", "cleaned-export.json"}
    assert json.loads(files["plan.json"])["rows"] == 8
    assert KEY.encode() not in files["cleaned-export.json"]


@pytest.mark.parametrize(
    ("answer", "kind", "told"),
    [
        ("html", "text/html", b"<!doctype html>"),
        ("json", "application/json", b"exact_duplicates"),
        ("plan", "application/json", b"mase-hygiene-plan"),
        ("clean", "application/octet-stream", b'"count": 4'),
    ],
)
def test_each_file_as_the_answer(in_this_process, answer, kind, told):
    given = sent(operator(), answer=answer)
    assert given["Content-Type"].startswith(kind)
    assert given["Content-Disposition"].startswith("attachment")
    assert given["Cache-Control"] == "private, no-store"
    assert told in given.content.lower() or told in given.content


def test_what_is_refused(in_this_process, monkeypatch):
    client = operator()
    assert client.post("/hygiene/", {}).status_code == 422
    assert sent(client, format="none").status_code == 422
    assert sent(client, "\x00\x01").status_code == 422
    table = sent(client, "text\nAnn likes tea\n", "a.csv", answer="clean")
    assert (table.status_code, "only of mem0, jsonl" in text_of(table)) == (422, True)
    monkeypatch.setattr(page, "LARGEST_MB", 0)
    monkeypatch.setattr(page, "ENVELOPE", 10)
    assert sent(client).status_code == 413


def test_only_for_those_who_may_import():
    assert viewer().get("/hygiene/").status_code == 403
    assert sent(viewer_of("victor")).status_code == 403
    assert "/hygiene/" not in text_of(viewer_of("vic").get("/health/"))
    assert "/hygiene/" in text_of(operator().get("/health/"))
    assert Memory.everywhere.count() == 0


def viewer_of(name: str):
    return make.logged_in(make.person(name, role="viewer"))


@pytest.fixture
def uploaded(settings, tmp_path, in_this_process):
    """Where uploads lie, with a worker at hand."""
    settings.DATA_DIR = tmp_path
    alive.Sign().give()
    return tmp_path / "imports"


def test_where_a_worker_is_it_looks_and_only_what_it_found_is_kept(uploaded):
    client = operator()
    here = sent(client)["Location"]
    job = Job.objects.within(make.scope()).get()
    assert here == f"/hygiene/{job.public_id}/"
    assert len(list(uploaded.iterdir())) == 1
    page = text_of(client.get(here))
    assert "It waits for the worker" in page
    assert f'hx-get="{here}" hx-trigger="every 2s"' in page
    assert uploads.forget() == 0
    work.work()
    answer = client.get(here)
    assert "says exactly the same as m1 (row 1)" in text_of(answer)
    assert KEY not in text_of(answer)
    assert "every 2s" not in text_of(answer)
    files = [path.read_bytes() for path in uploaded.iterdir()]
    assert len(files) == 2
    assert not any(KEY.encode() in data for data in files)
    assert b"mase-hygiene-plan" in client.get(f"{here}plan/").content
    assert client.get(f"{here}clean/")["Content-Disposition"].startswith("attachment")
    assert client.get(f"{here}page/").status_code == 404
    assert f'href="{here}"' in text_of(client.get(f"/jobs/{job.public_id}/"))
    job.refresh_from_db()
    told = job_form(job)
    assert (told["params"], told["result"]) == (
        {"file": "export.json", "format": "auto"}, {"rows": 8, "rejected": 0},
    )  # fmt: skip
    client.post(f"{here}drop/")
    assert list(uploaded.iterdir()) == []
    assert "not kept any more" in text_of(client.get(here))
    assert client.get(f"{here}plan/").status_code == 404


def test_what_was_found_goes_after_a_day_and_what_nobody_needs_at_once(uploaded, monkeypatch):
    monkeypatch.setattr(uploads, "GRACE_SECONDS", 0)
    client = operator()
    here = sent(client)["Location"]
    work.work()
    later = clock.now() + timedelta(seconds=5)
    with clock.at(later):
        assert uploads.forget() == 0
    with clock.at(later + timedelta(days=1)):
        assert uploads.forget() == 2
    assert "not kept any more" in text_of(client.get(here))
    sent(client)
    work.cancel(Job.objects.within(make.scope()).latest("id"))
    with clock.at(later):
        assert uploads.forget() == 1


def test_a_file_that_a_worker_cannot_look_at_is_told_of_and_removed(uploaded):
    client = operator()
    assert sent(client, format="none").status_code == 422
    here = sent(client, "\x00\x01")["Location"]
    work.work()
    job = Job.objects.within(make.scope()).get()
    assert job.state == "failed"
    assert job.error in text_of(client.get(here)).replace("&#x27;", "'")
    assert list(uploaded.iterdir()) == []


def test_a_look_is_its_workspace_s_alone(uploaded):
    here = sent(operator())["Location"]
    work.work()
    for client, status in ((stranger(), 404), (viewer(), 403)):
        assert client.get(here).status_code == status
        assert client.get(f"{here}plan/").status_code == status
        assert client.post(f"{here}drop/").status_code == status
    assert len(list(uploaded.iterdir())) == 2
