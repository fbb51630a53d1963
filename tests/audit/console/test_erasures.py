"""Erasing from a page, what is left of it there, and verifying the chain."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory.models import Change, Erasure, Memory, Role
from memory.write.erase.road import erase
from tests.factories import logged_in, person, remember, scope, turn, workspace

from .pages_kit import filled, is_whole, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
SECRET = "绝密代号青鹭 zqcanary7788"


def address(memory, end: str = "erase/") -> str:
    return f"/memories/{memory.public_id}/{end}"


def gone() -> Erasure:
    return erase(scope(), remember(text=SECRET), "on request").erasure


def test_the_page_tells_first_what_will_go():
    said = turn(content=f"记住：{SECRET}")
    row = remember(text=SECRET, turn_id=said.public_id)
    other = remember(text=f"又及 {SECRET}")
    page = operator().get(address(row))
    assert is_whole(page)
    assert "turns of the dialogue" in text_of(page)
    assert str(other.public_id) in text_of(page)
    assert Memory.everywhere.count() == 2


def test_with_reason_and_word_it_goes():
    row = remember(text=SECRET)
    client = operator()
    form = filled(client.get(address(row))) | {"reason": "on request", "typed": "Erase"}
    answer = client.post(address(row), form)
    kept = Erasure.everywhere.get()
    assert answer.url == f"/erasures/{kept.public_id}/"
    assert (kept.actor, kept.reason) == ("person:olga", "on request")
    page = client.get(answer.url)
    assert is_whole(page)
    assert "on request" in text_of(page)
    assert "zqcanary" not in text_of(page)


@pytest.mark.parametrize("form", [{"typed": "erase"}, {"reason": "x", "typed": "yes"}, {}])
def test_without_them_nothing_goes(form):
    row = remember(text=SECRET)
    answer = operator().post(address(row), form | {"revision": row.revision})
    assert answer.status_code == 422
    assert Memory.everywhere.exists()


def test_one_that_was_changed_meanwhile_is_shown_again():
    row = remember(text=SECRET)
    form = {"reason": "x", "typed": "erase", "revision": 99}
    answer = operator().post(address(row), form)
    assert answer.status_code == 422
    assert "changed meanwhile" in text_of(answer)
    assert Memory.everywhere.exists()


def test_who_may_not_erase_cannot():
    row = remember(text=SECRET)
    reviewer = logged_in(person("rita", role=Role.REVIEWER))
    for client in (viewer(), reviewer):
        form = {"reason": "x", "typed": "erase", "revision": row.revision}
        assert client.get(address(row)).status_code == 403
        assert client.post(address(row), form).status_code == 403
        assert "Erase…" not in text_of(client.get(address(row, "")))
    assert stranger().get(address(row)).status_code == 404
    assert "Erase…" in text_of(operator().get(address(row, "")))
    assert Memory.everywhere.exists()


def test_its_page_says_that_it_was_erased_and_to_a_stranger_nothing():
    kept = gone()
    path = f"/memories/{kept.memory_id}/"
    page = operator().get(path)
    assert page.status_code == 410
    assert "This memory was erased" in text_of(page)
    assert viewer().get(path).status_code == 410
    other, missing = stranger().get(path), operator_of_nothing(path)
    assert other.status_code == missing.status_code == 404


def operator_of_nothing(path: str):
    client = logged_in(person("otto", workspace("w3")))
    return client.get(path.replace(path.split("/")[2], "00000000-0000-7000-8000-000000000007"))


def test_the_list_shows_each_erasure_once_in_one_workspace():
    client = operator()
    assert "Nothing was erased" in text_of(client.get("/erasures/"))
    kept = gone()
    assert str(kept.public_id) in text_of(client.get("/erasures/"))
    other = stranger()
    assert str(kept.public_id) not in text_of(other.get("/erasures/"))
    assert other.get(f"/erasures/{kept.public_id}/").status_code == 404


def test_more_rows_make_no_more_questions():
    client = operator()
    gone()
    few = queries(client, "/erasures/")
    for number in range(3):
        erase(scope(), remember(text=f"secret number {number}00000"), "x")
    assert queries(client, "/erasures/") == few


def test_the_certificate_is_taken_away_and_verified():
    kept, client = gone(), operator()
    for form in ("json", "html"):
        file = client.get(f"/erasures/{kept.public_id}.{form}")
        assert f'filename="erasure-{kept.public_id}.{form}"' in file["Content-Disposition"]
        assert "zqcanary" not in text_of(file)
        assert "http" not in text_of(file)
        upload = SimpleUploadedFile(f"c.{form}", file.content)
        page = text_of(client.post("/erasures/verify/", {"document": upload}))
        assert "as it was made here" in page
        assert "stand in this store" in page
        assert stranger_of(form, kept).status_code == 404


def stranger_of(form: str, kept: Erasure):
    client = logged_in(person(f"sam-{form}", workspace("w2")))
    return client.get(f"/erasures/{kept.public_id}.{form}")


def test_a_changed_certificate_is_called_so():
    kept, client = gone(), operator()
    document = json.loads(client.get(f"/erasures/{kept.public_id}.json").content)
    changed = json.dumps(document | {"actor": "person:ben"}).encode()
    page = client.post("/erasures/verify/", {"document": SimpleUploadedFile("c.json", changed)})
    assert "was changed, or was not made here" in text_of(page)
    assert client.post("/erasures/verify/", {}).status_code == 422
    other = SimpleUploadedFile("c.json", b"{}")
    assert client.post("/erasures/verify/", {"document": other}).status_code == 422
    assert is_whole(client.get("/erasures/verify/"))


def test_the_batch_tells_it_and_offers_no_undo():
    kept = gone()
    page = text_of(operator().get(f"/activity/{kept.batch.public_id}/"))
    assert "erased since" in page
    assert "Undo this batch" not in page
    assert is_whole(operator_again().get("/activity/"))


def operator_again():
    return logged_in(person("olaf"))


def test_the_chain_is_verified_from_a_page():
    remember(text="one")
    client = operator()
    assert "Every entry" not in text_of(client.get("/activity/ledger/"))
    page = text_of(client.get("/activity/ledger/?verify=1"))
    assert "Every entry of the ledger holds" in page
    head = Change.objects.last().hash
    assert head in page
    kept = client.get("/activity/ledger/", {"verify": "1", "contains": head})
    assert "still in the chain" in text_of(kept)
    lost = client.get("/activity/ledger/", {"verify": "1", "contains": "0" * 64})
    assert "No entry bears" in text_of(lost)
    wrong = client.get("/activity/ledger/", {"verify": "1", "contains": "x"})
    assert "64 hexadecimal digits" in text_of(wrong)


def test_a_break_is_named_to_its_own_workspace_only():
    row = remember(text="one")
    Change.objects.filter(memory_id=row.public_id).update(payload=None)
    number = Change.objects.get().pk
    assert f"Entry {number} has lost" in text_of(operator().get("/activity/ledger/?verify=1"))
    page = text_of(stranger().get("/activity/ledger/?verify=1"))
    assert "of another workspace" in page
    assert f"Entry {number}" not in page


def test_a_long_chain_is_left_to_the_command(monkeypatch):
    remember(text="one")
    monkeypatch.setattr("memory.write.ledger.MOST_AT_ONCE", 0)
    assert "manage.py verify_ledger" in text_of(operator().get("/activity/ledger/?verify=1"))
