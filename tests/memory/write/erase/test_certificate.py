import json

import pytest

from memory.models import Erasure
from memory.write.erase.certificate import (
    NoCertificate,
    certificate,
    erasures,
    read_certificate,
    verify_certificate,
)
from memory.write.erase.road import erase
from tests import factories as make

pytestmark = pytest.mark.django_db
SECRET = "绝密代号青鹭 zqcanary7788"


@pytest.fixture
def document() -> dict:
    make.budget("800")
    make.ask("预算")
    make.remember(text=f"关于 {SECRET}")
    done = erase(make.scope(), make.budget("1200"), "on request")
    return certificate(done.erasure)


def test_it_tells_what_was_removed_where_and_nothing_else(document):
    removed = {one["place"]: one["count"] for one in document["removed"]}
    assert (removed["rows"], removed["history"], removed["recalls"]) == (2, 3, 1)
    assert [one["entry"] for one in document["memories"]] == [6, 5]
    assert "1200" not in json.dumps(document["removed"])


def test_it_verifies_alone_and_against_the_store(document):
    alone = verify_certificate(document)
    assert (alone.valid, alone.in_store) == (True, "not_asked")
    here = verify_certificate(json.loads(json.dumps(document)), make.scope())
    assert (here.valid, here.in_store) == (True, "equal")


def test_elsewhere_it_is_of_no_known_erasure(document):
    result = verify_certificate(document, make.scope(make.workspace("w2")))
    assert (result.signed, result.in_store, result.valid) == (True, "missing", False)


@pytest.mark.parametrize(
    ("name", "value"),
    [("at", "2020-01-01T00:00:00+00:00"), ("reason", ""), ("removed", []), ("signature", "é"),
     ("signature", None), ("id", "x"), ("memories", [])],
)  # fmt: skip
def test_a_changed_certificate_is_not_valid(document, name, value):
    result = verify_certificate(document | {name: value}, make.scope())
    assert not result.valid
    assert not verify_certificate(document | {name: value}).signed


def test_a_store_that_says_something_else_is_told(document):
    Erasure.everywhere.update(actor="person:ben")
    assert verify_certificate(document, make.scope()).in_store == "differs"


def test_another_pepper_signed_nothing(document, settings):
    settings.PEPPER = "somebody else's"
    assert not verify_certificate(document).signed


def test_it_is_read_from_json_and_from_a_page(document):
    text = json.dumps(document, ensure_ascii=False)
    escaped = text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    assert read_certificate(text.encode()) == document
    page = f'<p>x</p><pre id="certificate">{escaped}</pre>'
    assert read_certificate(page.encode()) == document


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b"{}", b"[" * 5000, b'{"format": "x"}'])
def test_what_is_no_certificate_is_refused(data):
    with pytest.raises(NoCertificate):
        read_certificate(data)


def test_one_erasure_is_listed_once(document):
    assert erasures(make.scope()).count() == 1
    assert Erasure.everywhere.count() == 2
