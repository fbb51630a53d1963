"""Records that are written by the thread: all of them, soon, and before the process ends."""

import pytest
from django.db import DatabaseError

from memory.models import Recall, RecallCandidate
from memory.recall import record as record_module
from memory.recall import recorder as module
from memory.recall.record import add_outcome
from memory.recall.recorder import Recorder
from memory.recall.sealed import export
from memory.recall.verify import verify
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def batched(settings, monkeypatch):
    settings.RECALL_RECORDING = "batched"
    one = Recorder()
    monkeypatch.setattr(module, "recorder", one)
    yield one
    one.stop()


def agent():
    return make.scope(user_id="ann", actor="key:bot", surface="api")


def test_many_recalls_are_all_kept_with_their_candidates(batched):
    make.budget("1200")
    answers = [make.ask("预算", agent()) for _ in range(30)]
    assert batched.settle()
    assert set(Recall.everywhere.values_list("public_id", flat=True)) == {
        answer.record.public_id for answer in answers
    }
    assert RecallCandidate.objects.count() == 30
    assert all(verify(export(record), make.scope()).valid for record in Recall.everywhere.all())


def test_stopping_writes_what_waits(batched, monkeypatch):
    monkeypatch.setattr(module, "EVERY_SECONDS", 60)
    make.budget("1200")
    make.ask("预算", agent())
    batched.stop()
    assert Recall.everywhere.count() == 1


def test_what_could_not_be_written_is_tried_again(batched, monkeypatch, caplog):
    store, failures = module.store, iter([DatabaseError("disk"), None])

    def sometimes(entries):
        if error := next(failures, None):
            raise error
        store(entries)

    monkeypatch.setattr(module, "store", sometimes)
    make.budget("1200")
    make.ask("预算", agent())
    assert batched.settle()
    assert Recall.everywhere.count() == 1
    assert "wait for another try" in caplog.text


def test_a_full_backlog_is_written_by_who_comes_next(batched, monkeypatch):
    monkeypatch.setattr(module, "BACKLOG", 0)
    make.budget("1200")
    make.ask("预算", agent())
    assert Recall.everywhere.count() == 1


def test_what_a_person_asks_is_kept_at_once(batched, monkeypatch):
    monkeypatch.setattr(module, "EVERY_SECONDS", 60)
    make.budget("1200")
    make.ask("预算", make.scope(user_id="ann"))
    assert Recall.everywhere.count() == 1


def test_an_outcome_finds_the_record_that_is_still_waiting(batched, monkeypatch):
    monkeypatch.setattr(record_module, "recorder", batched)
    make.budget("1200")
    kept = make.ask("预算", agent()).record
    add_outcome(kept, prompt="p", answer="1200")
    assert Recall.everywhere.get().answer == "1200"


def test_who_asks_for_the_records_does_not_wait_for_the_interval(batched, monkeypatch):
    monkeypatch.setattr(module, "EVERY_SECONDS", 3600)
    make.budget("1200")
    make.ask("预算", agent())
    assert batched.settle(seconds=30)
    assert Recall.everywhere.count() == 1
