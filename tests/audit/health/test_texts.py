"""Reading the texts: each once, together with how far that was."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import jobs
from audit.health import texts
from audit.health.registry import checks
from audit.health.report import run_report, run_reports
from audit.health.texts import TextCheck, is_behind, left, read_on
from audit.models import ReadHit, ReadMark
from memory.jobs.registry import jobs as all_jobs
from memory.models import Memory
from memory.write.queue import QueueTimeout
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db
READERS = [name for name, check in checks().items() if isinstance(check, TextCheck)]


def spoilt(scope, text="谢谢"):
    return makers.kept_as(scope, text)


def hits():
    return set(ReadHit.objects.values_list("check_name", "memory_id"))


def test_each_row_is_read_once(here):
    row = spoilt(here)
    assert (left(here), is_behind(here)) == (1, True)
    assert read_on(here) == 1
    assert (hits(), left(here), is_behind(here)) == ({("junk", row.pk)}, 0, False)
    assert read_on(here) == 0
    makers.altered(row, text="A text never changes in place, so nobody looks again")
    assert read_on(here) == 0
    assert hits() == {("junk", row.pk)}


def test_a_page_is_read_by_all_checks_in_one_go(here, monkeypatch):
    seen = []
    monkeypatch.setattr(texts, "found_in", lambda row: seen.append(row.pk) or [])
    rows = [makers.complete(here, text=f"Row {number}") for number in range(3)]
    run_report(here, READERS)
    assert seen == [row.pk for row in rows]


def test_pages_end_where_the_time_is_over_and_go_on_there(here, monkeypatch):
    monkeypatch.setattr(texts, "PAGE", 2)
    for number in range(5):
        makers.complete(here, text=f"Row {number}")
    assert read_on(here, seconds=0) == 2
    assert left(here) == 3
    assert read_on(here) == 3
    assert left(here) == 0


def test_a_report_says_how_much_was_not_read(here, monkeypatch):
    monkeypatch.setattr(texts, "PAGE", 1)
    monkeypatch.setattr(texts, "read_on", lambda scope: read_on(scope, seconds=0))
    spoilt(here), makers.complete(here, text="Not yet read"), makers.complete(here, text="Nor this")
    found = run_report(here, ["junk"]).findings[0]
    assert (found.count, found.detail["left"]) == (1, 2)
    assert found.notes[-1] == "2 memories were not read yet."


def test_other_rules_read_anew_and_keep_what_was_found_until_then(here, monkeypatch):
    monkeypatch.setattr(texts, "PAGE", 1)
    first, second = spoilt(here), spoilt(here)
    read_on(here)
    monkeypatch.setattr(texts, "rules", lambda: "other")
    monkeypatch.setattr(type(checks()["junk"]), "find", lambda self, text: None)
    assert left(here) == 2
    assert hits() == {("junk", first.pk), ("junk", second.pk)}
    read_on(here, seconds=0)
    assert (hits(), left(here)) == ({("junk", second.pk)}, 1)
    read_on(here)
    assert (hits(), left(here)) == (set(), 0)
    assert ReadMark.objects.get().version == "other"


def test_the_rules_are_named_by_what_they_are_written_in():
    assert texts.rules() == texts.rules()
    names = {path.name for path in texts._sources()}
    assert {"junk.py", "held.py", "chinese.py", "normalise.py", "texts.py"} <= names


def test_reading_twice_at_once_keeps_each_hit_once(here, monkeypatch):
    row = spoilt(here)
    page = [row]
    found = list(texts._found(page))
    texts._keep(here, page, found)
    later = spoilt(here)
    read_on(here)
    texts._keep(here, page, found)
    assert hits() == {("junk", row.pk), ("junk", later.pk)}
    assert left(here) == 0


def test_a_row_that_was_erased_meanwhile_leaves_no_hit(here):
    row, other = spoilt(here), spoilt(here)
    found = list(texts._found([row, other]))
    Memory.everywhere.filter(pk=row.pk).delete()
    texts._keep(here, [row, other], found)
    assert hits() == {("junk", other.pk)}


def test_a_row_takes_its_hits_with_it(here):
    row = spoilt(here)
    read_on(here)
    Memory.everywhere.filter(pk=row.pk).delete()
    assert hits() == set()


def test_a_busy_store_is_judged_by_what_was_read(here, monkeypatch):
    def busy():
        raise QueueTimeout("busy")

    spoilt(here)
    monkeypatch.setattr(texts, "write_transaction", busy)
    found = run_report(here, ["junk"]).findings[0]
    assert (found.count, found.detail["left"]) == (0, 1)


def test_each_workspace_has_its_own_mark(here):
    there = make.scope(make.workspace("there"))
    spoilt(here), spoilt(there)
    read_on(here.narrow("ann"))
    assert (left(here), left(there)) == (0, 1)
    run_reports([here, there], ["junk"])
    assert (left(here), left(there)) == (0, 0)


def test_queries_do_not_grow_with_the_rows_of_a_page(here):
    def cost():
        with CaptureQueriesContext(connection) as seen:
            read_on(here)
        return len(seen)

    def add(number):
        turn = make.turn(here, f"谢谢{number}")
        makers.complete(here, text=f"No {number}", turn_id=turn.public_id)
        row = spoilt(here)
        makers.served(here, row, stale=False)

    add(0), add(1)
    few = cost()
    for number in range(2, 8):
        add(number)
    assert cost() == few


def test_the_worker_reads_on_where_there_is_something_new(here):
    due = next(one for one in all_jobs() if one.task is jobs.read_texts).is_due
    assert not due()
    spoilt(here), spoilt(make.scope(make.workspace("there")))
    assert due()
    assert jobs.read_texts.call() == {"read": 2}
    assert not due()
    assert jobs.read_texts.call() == {"read": 0}
    assert len(hits()) == 2
