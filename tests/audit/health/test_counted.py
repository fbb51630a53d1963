"""The rows behind a number of a large store's report."""

import pytest
from django.utils.html import strip_tags

from audit.health import check, counted
from audit.health.report import run_report, save_report
from audit.models import Counted
from memory.models import Memory
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.audit.console.memories_kit import rows_in
from tests.audit.console.pages_kit import operator, stranger, text_of
from tests.factories import remember, scope

pytestmark = pytest.mark.django_db
ADDRESS = "/memories/?status=any&check=low_confidence"


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(counted, "LARGE", 1)


def doubtful(text: str) -> Memory:
    row = remember(text=text)
    Memory.everywhere.filter(pk=row.pk).update(confidence=0.1)
    return row


def reported() -> None:
    save_report(scope(), run_report(scope()))


def test_a_large_store_shows_what_its_report_counted_but_for_what_is_mended(large):
    rows = [doubtful("the tea is hot"), doubtful("茶要热的")]
    reported()
    doubtful("came later")
    client = operator()
    page = client.get(ADDRESS)
    assert rows_in(page) == 2
    assert "came later" not in text_of(page)
    assert "health report of just now counted them" in " ".join(strip_tags(text_of(page)).split())
    Memory.everywhere.filter(pk=rows[0].pk).update(confidence=0.9)
    page = client.get(ADDRESS)
    assert rows_in(page) == 1
    assert "what is mended since is left out" in text_of(page)
    apply(plan_retract(scope(), [rows[1]]).plan("retract", "no"))
    assert rows_in(client.get(ADDRESS)) == 0
    reported()
    assert "came later" in text_of(client.get(ADDRESS))


def test_a_small_store_shows_what_it_counts_now():
    doubtful("the tea is hot")
    reported()
    doubtful("came later")
    page = operator().get(ADDRESS)
    assert rows_in(page) == 2
    assert "counted them" not in text_of(page)
    assert not Counted.everywhere.exists()


def test_a_check_that_counted_nothing_shows_nothing(large):
    remember(text="the tea is hot")
    reported()
    doubtful("came later")
    assert rows_in(operator().get(ADDRESS)) == 0


def test_of_very_many_none_is_looked_at_again(large, monkeypatch):
    rows = [doubtful("the tea is hot"), doubtful("茶要热的")]
    reported()
    monkeypatch.setattr(check, "LOOKED_AT_AGAIN", 1)
    Memory.everywhere.filter(pk=rows[0].pk).update(confidence=0.9)
    page = operator().get(ADDRESS)
    assert rows_in(page) == 2
    assert "what is mended since is listed still" in text_of(page)


def test_only_the_newest_are_kept(large, monkeypatch):
    monkeypatch.setattr(check, "KEPT", 1)
    rows = [doubtful(f"note {n}") for n in range(4)]
    reported()
    kept = Counted.everywhere.get(check_name="low_confidence")
    assert kept.keys == [rows[3].pk, rows[2].pk]


def test_another_workspace_keeps_its_own(large):
    doubtful("the tea is hot")
    reported()
    assert rows_in(stranger().get(ADDRESS)) == 0
    assert {row.workspace_id for row in Counted.everywhere.all()} == {scope().workspace_id}
