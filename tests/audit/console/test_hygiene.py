"""The page of the hygiene lab."""

import base64
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from audit.console import hygiene as page
from audit.hygiene import lab
from audit.hygiene.inside import look_over
from memory.models import Memory, Workspace
from tests import factories as make
from tests.audit.console.pages_kit import operator, text_of, viewer
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
