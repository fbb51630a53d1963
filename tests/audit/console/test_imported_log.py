"""What another system handed out, once it is in this store's log."""

import pytest

from audit.findings.scan import scan
from audit.models import Occurrence
from memory.models import Memory, Recall
from tests.factories import scope
from tests.memory.api.calls import get, owner, post
from tests.memory.exchange.imports.files import bring, openmemory_database

from .pages_kit import is_whole, operator, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stale(tmp_path) -> Recall:
    bring(openmemory_database(tmp_path / "openmemory.db"))
    return Recall.everywhere.get(query="还喜欢什么")


def test_the_scan_finds_what_was_deleted_and_still_handed_out(stale):
    scan(scope(), None)
    found = Occurrence.objects.get()
    assert (found.recall, found.how, found.status) == (stale, "imported", "retracted")
    assert found.finding.memory_id == Memory.everywhere.get(text__contains="deleted").public_id


def test_its_pages_open(stale):
    client = operator()
    assert "还喜欢什么" in text_of(client.get("/recalls/"))
    for part in ("", "replay/", "export/"):
        page = client.get(f"/recalls/{stale.public_id}/{part}")
        assert page.status_code == 200
    assert is_whole(client.get(f"/recalls/{stale.public_id}/"))


def test_its_api_answers(stale):
    client = owner()
    record = get(client, f"/recalls/{stale.public_id}")
    assert (record.status_code, record.data["query"]) == (200, "还喜欢什么")
    assert post(client, f"/recalls/{stale.public_id}/replay").status_code == 200
