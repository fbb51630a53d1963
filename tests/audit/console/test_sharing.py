"""A record's file from its page, and the page that verifies files."""

import json
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from memory.models import Recall
from memory.recall.sealed import export
from memory.recall.verify import DOCUMENT_LIMIT
from tests import factories as make

pytestmark = pytest.mark.django_db
VERIFY = "/recalls/verify/"


def owner() -> Client:
    return make.logged_in(make.person("olive", role="operator"))


def viewer() -> Client:
    return make.logged_in(make.person("vic", role="viewer"))


def stranger() -> Client:
    return make.logged_in(make.person("sam", make.workspace("w2")))


def record() -> Recall:
    make.budget("1375")
    return make.ask("我的预算还剩多少").record


def address(kept: Recall, **query) -> str:
    return reverse("recall-export", args=[kept.public_id], query=query)


def sent(client: Client, data: bytes, name: str = "shared.json"):
    return client.post(VERIFY, {"document": SimpleUploadedFile(name, data)})


def as_file(kept: Recall, redact: bool = False) -> bytes:
    return json.dumps(export(kept, redact), ensure_ascii=False).encode()


@pytest.mark.parametrize("who", [owner, viewer])
def test_the_record_page_offers_its_file_with_and_without_texts(who):
    kept, client = record(), who()
    page = client.get(reverse("recall", args=[kept.public_id])).content.decode()
    assert f'href="{address(kept)}"' in page
    assert f'href="{address(kept, redact="true")}"' in page
    assert f'action="{VERIFY}"' in page
    assert kept.digest in page
    whole, bare = client.get(address(kept)), client.get(address(kept, redact="true"))
    assert whole["Content-Disposition"] == f'attachment; filename="recall-{kept.public_id}.json"'
    assert bare["Content-Disposition"].endswith('-redacted.json"')
    for secret in ("预算", "1375元", '"ann"'):
        assert secret in whole.content.decode()
        assert secret not in bare.content.decode()
    for answer in (whole, bare):
        page = sent(client, answer.content).content.decode()
        assert "The file is as it was exported." in page
        assert "The record in this store says the same." in page
    assert "Kept back as hashes" in page


def test_a_changed_file_is_told():
    kept = record()
    data = as_file(kept).replace("预算".encode(), "余额".encode())
    page = sent(owner(), data).content.decode()
    assert "The file was changed after it was exported." in page
    assert "The record in this store says something else." in page
    assert "was changed after it was made" not in page


def test_a_changed_record_is_told():
    kept = record()
    data = as_file(kept)
    Recall.everywhere.update(query="另一个问题")
    page = sent(owner(), data).content.decode()
    assert "The file is as it was exported." in page
    assert "The record in this store was changed after it was made." in page
    assert '<code class="pill">query</code>' in page


def test_a_stranger_gets_no_file_and_learns_nothing_of_the_record():
    kept, client = record(), stranger()
    data = as_file(kept)
    foreign, missing = client.get(address(kept)), client.get(f"/recalls/{uuid4()}/export/")
    assert foreign.status_code == missing.status_code == 404
    told = sent(client, data).content.decode()
    assert "The file is as it was exported." in told
    assert "no such record to compare with" in told
    assert reverse("recall", args=[kept.public_id]) not in told


def test_anonymous_goes_to_login():
    kept = record()
    for path in (address(kept), VERIFY):
        assert Client().get(path).headers["Location"].startswith("/login/")
    assert sent(Client(), as_file(kept)).headers["Location"].startswith("/login/")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is not JSON"),
        (b"%PDF-1.7", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"{}", "format"),
        (b"[" * 100 + b"]" * 100, "is nested too deeply"),
        (b'["\\ud800"]', "a lone surrogate"),
        (b'{"format": "<i>x</i>"}', "format"),
    ],
)
def test_what_is_no_record_is_said_beside_the_field(data, told):
    answer = sent(owner(), data)
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert "is-invalid" in answer.content.decode()


def test_no_file_is_said():
    answer = owner().post(VERIFY, {})
    assert answer.status_code == 422
    assert "Choose a file." in answer.content.decode()


def test_a_large_file_is_refused_before_it_is_read():
    client = owner()
    answer = sent(client, b" " * (DOCUMENT_LIMIT + 1))
    assert answer.status_code == 422
    answer = sent(client, b" " * 10_000_000)
    assert answer.status_code == 413
    assert "4,000,000 bytes" in answer.content.decode()


def test_a_post_from_elsewhere_is_refused():
    client = Client(enforce_csrf_checks=True)
    client.force_login(make.person("olive"))
    assert sent(client, b"{}").status_code == 403


def test_a_file_name_is_plain_text():
    page = sent(owner(), as_file(record()), "<b>x.json").content.decode()
    assert "<b>x" not in page


def test_the_page_opens_and_in_chinese_too():
    client = owner()
    assert "Verify a record" in client.get(VERIFY).content.decode()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in client.get(VERIFY).content.decode()
