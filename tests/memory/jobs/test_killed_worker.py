"""Real workers: killed in the middle, and several at once beside writers."""

import json
import signal

import pytest
from django_tasks_db.models import DBTaskResult

from memory import clock
from memory.index.upkeep import drift
from memory.models import Batch, Extraction, Job, Memory
from memory.write.intake import take_in
from memory.write.ledger import first_break
from memory.write.proposal import Proposal
from memory.write.turns import Utterance
from tests import factories as make
from tests.memory.write.processes import finished, killed, ready_then_go, start
from tests.model_server import ModelServer, Reply, Request, said

pytestmark = pytest.mark.django_db(transaction=True)
WORK = "tests.memory.jobs.work"
TURNS = 7


def answer(request: Request) -> Reply:
    """As a good model: one fact of the last turn."""
    text = json.loads(request.messages[-1]["content"].splitlines()[-1])["text"]
    entity, value = text.split("的库存是")
    memory = {
        "quote": text, "content": text, "entity": entity, "attribute": "库存", "value": value,
        "mem_type": "fact", "confidence": 0.9,
    }  # fmt: skip
    return said({"should_store": True, "memories": [memory]})


@pytest.fixture
def server(settings):
    with ModelServer(answer) as server:
        settings.MODEL_URL, settings.MODEL_NAME = server.url, "small-1"
        yield server


def speak(workspace: str) -> None:
    scope = make.scope(make.workspace(workspace), "ann", actor="key:bot", surface="api")
    said_ = [Utterance("user", f"{n}号仓的库存是{n}0箱", session_id="s1") for n in range(TURNS)]
    assert len(take_in(scope, said_, Proposal()).queued) == TURNS


def kept(workspace: str) -> list[tuple]:
    rows = Memory.everywhere.filter(workspace__name=workspace)
    return sorted(rows.values_list("text", "value", "status", "confirmations", "version"))


def test_a_killed_worker_loses_nothing_and_does_nothing_twice(server):
    speak("calm")
    assert finished(start(f"{WORK}:once")) == []
    speak("killed")
    for where in ("asking", "storing", "stored"):
        worker = start(f"{WORK}:die", where, 2)
        killed(worker)
        assert DBTaskResult.objects.running().count() == 1
    done = Extraction.objects.filter(workspace__name="killed", done_at__isnull=False)
    # One before each of the three deaths, and the one that the third came after.
    assert done.count() == 4
    assert finished(start(f"{WORK}:once")) == []
    assert kept("killed") == kept("calm")
    assert len(kept("killed")) == done.count() == TURNS
    batches = Batch.everywhere.filter(workspace__name="killed", verb="remember")
    assert batches.count() == TURNS
    # Those that were killed are told of, none is left as if it ran.
    assert DBTaskResult.objects.running().count() == 0
    assert DBTaskResult.objects.failed().count() == 3
    assert first_break() is None
    assert list(drift()) == []


def test_a_job_goes_on_where_its_worker_was_killed():
    job = Job.everywhere.create(
        workspace=make.workspace(), kind="words", actor="person:ann", surface="console",
        created_at=clock.now(),
    )  # fmt: skip
    for kill_at in (1, 4, 10):
        worker = start(f"{WORK}:ten_words", kill_at)
        killed(worker)
        job.refresh_from_db()
        assert (job.state, job.done, job.rows.count()) == ("running", kill_at - 1, kill_at - 1)
    assert finished(start(f"{WORK}:ten_words")) == []
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.result) == ("done", 10, 10, {})
    assert list(job.rows.values_list("number", flat=True)) == list(range(1, 11))
    assert set(Memory.everywhere.values_list("confirmations", flat=True)) == {0}
    assert Memory.everywhere.count() == Batch.everywhere.count() == 10
    assert first_break() is None


def test_two_workers_beside_writers_meet_no_locked_database(server):
    speak("w1")
    pk = make.workspace().pk
    workers = [start(f"{WORK}:until_told") for _ in range(2)]
    writers = [start("tests.memory.write.work:many_keys", pk, name, 40) for name in "ab"]
    ready_then_go(workers + writers)
    said_ = [line for writer in writers for line in finished(writer)]
    assert sorted(set(said_)) == ["added", "superseded"]
    assert len(said_) == 80
    for worker in workers:
        worker.send_signal(signal.SIGTERM)
    assert [finished(worker) for worker in workers] == [["stopped"], ["stopped"]]
    assert finished(start(f"{WORK}:once")) == []
    assert len(server.requests) == TURNS
    assert Batch.everywhere.filter(surface="api", actor="key:bot").count() == TURNS
    assert DBTaskResult.objects.failed().count() == 0
    assert first_break() is None
    assert list(drift()) == []
