"""The pages of imports: try, look, bring in, take back."""

import json
import re

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import translation

from audit.console import import_words
from memory.exchange import uploads
from memory.jobs import work
from memory.models import Job, Memory, Role, Status
from memory.write.erase.road import erase
from tests.factories import logged_in, person, remember, scope
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
    assert "It waits for a worker, and none is running." in page
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
    told = client.get(f"/jobs/{job.public_id}/rows.csv").content.decode()
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


def test_what_was_erased_is_told_and_comes_back_by_choice_and_reason():
    client = operator()
    gone = remember(text="likes tea")
    done = erase(scope(), gone, reason="asked to").erasure
    address = tried(client)
    page = text_of(client.get(address))
    assert 'name="bring_back"' in page
    told = json.loads(client.get(f"/jobs{address.removeprefix('/imports')}rows.json").content)
    assert ("skipped", "erased") in {(one["action"], one["code"]) for one in told["items"]}
    silent = client.post(f"{address}apply/", {"bring_back": "1", "reason": " "}, follow=True)
    assert "say why what was erased comes back" in text_of(silent)
    assert Job.everywhere.count() == 1
    reviewer = logged_in(person("rob", role=Role.REVIEWER))
    assert reviewer.post(f"{address}apply/", {"bring_back": "1", "reason": "x"}).status_code == 403
    applied = client.post(f"{address}apply/", {"bring_back": "1", "reason": "asked again"})
    work.work()
    assert "brought back" in text_of(client.get(applied.url))
    assert Memory.everywhere.filter(text="likes tea", status=Status.ACTIVE).count() == 1
    auditor = logged_in(person("otto", role=Role.AUDITOR))
    page = text_of(auditor.get(f"/erasures/{done.public_id}/"))
    assert "person:olga had it brought back" in page
    document = auditor.get(f"/erasures/{done.public_id}.json").content
    sent_back = SimpleUploadedFile("erasure.json", document)
    checked = auditor.post("/erasures/verify/", {"document": sent_back})
    assert "An import has brought it back since." in text_of(checked)


def test_without_the_choice_it_stays_away():
    client = operator()
    erase(scope(), remember(text="likes tea"), reason="asked to")
    applied = client.post(f"{tried(client)}apply/", {"reason": "go"})
    work.work()
    assert Job.everywhere.order_by("id").last().result["erased"] == 1
    assert "brought back" not in text_of(client.get(applied.url))
    assert not Memory.everywhere.filter(text="likes tea").exists()


def test_what_was_tried_can_be_dropped():
    client = operator()
    address = tried(client)
    assert "Drop it" in text_of(client.get(address))
    assert viewer().post(f"{address}drop/").status_code == 403
    assert stranger().post(f"{address}drop/").status_code == 404
    page = text_of(client.post(f"{address}drop/", follow=True))
    assert "The file was removed." in page
    assert "Upload it again" in page
    again = tried(client)
    client.post(f"{again}apply/", {"reason": "go"})
    assert "needs the file" in text_of(client.post(f"{again}drop/", follow=True))


def test_why_is_told_in_the_language_of_the_page():
    client = operator()
    page = text_of(client.get(tried(client)))
    assert "A field cannot be taken as it is." in page
    assert "text: give a text" in page
    nothing = SimpleUploadedFile("x.bin", b"\x00nothing")
    broken = client.post("/imports/", {"file": nothing, "format": "auto", "user_id": "ann"})
    work.work()
    page = text_of(client.get(broken.url))
    assert "The file is in none of the known formats." in page
    assert "Try another file or format" in page
    assert "rows.csv" not in page
    assert "Try another file or format" not in text_of(viewer().get(broken.url))


def test_a_message_of_fields_is_told_in_the_language_of_the_page():
    message = "text: give a text, or an entity, an attribute and a value; other: never heard"
    with translation.override("zh-hans"):
        words, more = import_words.why_row("invalid", message)
    assert words == "有字段无法按原样导入。"
    assert more == "text: 请填写文本，或填写实体、属性和值; other: never heard"
    assert import_words.why_row("not-a-code", "a: b") == ("a: b", "")
    assert import_words.why_row("not-a-code", "") == ("not-a-code", "")
    assert import_words.why_row("empty", "") == ("It says nothing.", "")


def test_every_code_that_an_import_gives_has_its_words():
    code = re.compile(r'(?:Reject|FormatError)\((?:[^"]*, )?"([a-z_]+)"')
    found = {
        name
        for path in (settings.BASE_DIR / "memory" / "exchange").rglob("*.py")
        for name in code.findall(path.read_text())
    }
    assert len(found) > 15
    assert found <= {*import_words.ROWS, *import_words.FILES}
