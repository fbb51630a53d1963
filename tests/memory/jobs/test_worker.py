"""What a worker enqueues, claims and notes."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone
from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from memory import clock
from memory.jobs import registry, tasks, worker
from memory.jobs.alone import alone
from memory.jobs.worker import Worker, carry_out, claim, enqueue_if_due
from memory.models import DuplicatePair, Extraction, Memory
from memory.write import intake, sameness, snapshots
from memory.write.queue import QueueTimeout
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


@pytest.fixture(autouse=True)
def _nothing_seen():
    tasks._Seen.turn, tasks._Seen.change, tasks._Seen.memories = 0, 0, {}


def job(name: str) -> registry.Job:
    return next(one for one in registry.jobs() if one.path.endswith(f".{name}"))


def over() -> Memory:
    return make.remember(text="milk", expires_at=clock.now() - timedelta(minutes=1))


def noted(name: str) -> list[str]:
    rows = DBTaskResult.objects.filter(task_path=job(name).path)
    return list(rows.order_by("enqueued_at").values_list("status", flat=True))


def test_every_job_has_its_own_name():
    paths = [one.path for one in registry.jobs()]
    assert {path.rpartition(".")[2] for path in paths} >= {
        "read_turns", "expire", "take_snapshots", "find_duplicates", "upkeep", "report_health",
        "scan_recalls",
    }  # fmt: skip
    # The lock of a job bears its function's name.
    assert len({path.rpartition(".")[2] for path in paths}) == len(paths)


def test_only_what_is_due_is_enqueued_and_only_once():
    assert not enqueue_if_due(job("expire"))
    over()
    assert enqueue_if_due(job("expire"))
    assert not enqueue_if_due(job("expire"))
    assert noted("expire") == ["READY"]


def test_what_runs_is_not_enqueued_and_what_was_killed_is_told_of():
    over()
    enqueue_if_due(job("expire"))
    row = claim("worker-1")
    with alone("expire"):
        assert not enqueue_if_due(job("expire"))
    assert noted("expire") == ["RUNNING"]
    assert enqueue_if_due(job("expire"))
    assert noted("expire") == ["FAILED", "READY"]
    row.refresh_from_db()
    assert row.exception_class_path.endswith("WorkerEnded")


def test_two_that_look_at_once_enqueue_one(monkeypatch):
    over()
    one, real = job("expire"), worker.write_transaction

    def meanwhile():
        monkeypatch.setattr(worker, "write_transaction", real)
        assert enqueue_if_due(one)
        return real()

    monkeypatch.setattr(worker, "write_transaction", meanwhile)
    assert not enqueue_if_due(one)
    assert noted("expire") == ["READY"]


def test_a_task_is_claimed_by_one():
    tasks.expire.enqueue()
    assert claim("a").worker_ids == ["a"]
    assert claim("b") is None


def test_a_job_that_another_process_is_at_answers_so():
    over()
    tasks.expire.enqueue()
    with alone("expire"):
        assert carry_out(claim("a"))
    assert DBTaskResult.objects.get().return_value == "elsewhere"
    assert Memory.everywhere.filter(status="active").count() == 1


def test_a_worker_does_all_that_is_due(settings):
    settings.SNAPSHOT_TURNS = 2
    over()
    for text in ("我住在苏州园区", "我对海鲜过敏"):
        make.turn(content=text)
    turn = make.turn(content="我家的猫叫年糕", session_id="s2")
    Extraction.objects.create(
        turn=turn, workspace=make.workspace(), actor="key:bot", surface="api",
        asked_at=turn.created_at, due_at=turn.created_at,
    )  # fmt: skip
    names = ("expire", "read_turns", "take_snapshots")
    only(Worker(once=True), *names).run()
    assert [noted(name) for name in names] == [["SUCCESSFUL"]] * 3
    assert Memory.everywhere.get(text="milk").status == "expired"
    assert Memory.everywhere.filter(entity="session:s1", status="active").count() == 1
    assert Extraction.objects.get().done_at is not None


def only(made: Worker, *names: str) -> Worker:
    """The same without the jobs that no test transaction can hold, such as folding the log."""
    made._jobs = [job(name) for name in names]
    return made


def test_a_failure_is_noted_and_holds_up_no_other_job(monkeypatch, caplog):
    over()
    make.turn()
    monkeypatch.setattr(intake, "due", lambda limit: 1 / 0 if limit > 1 else [1])
    only(Worker(once=True), "read_turns", "expire").run()
    assert noted("read_turns") == ["FAILED"]
    failed = DBTaskResult.objects.get(status=TaskResultStatus.FAILED)
    assert failed.exception_class_path == "builtins.ZeroDivisionError"
    assert "read_turns failed" in caplog.text
    assert noted("expire") == ["SUCCESSFUL"]


def test_a_full_queue_is_no_fault_and_what_was_to_do_stays_due(monkeypatch, caplog):
    over()

    def full():
        raise QueueTimeout("full")

    monkeypatch.setattr(tasks.sweep, "expire_due", full)
    only(Worker(once=True), "expire").run()
    assert noted("expire") == ["FAILED"]
    assert "Traceback" not in caplog.text
    monkeypatch.undo()
    only(Worker(once=True), "expire").run()
    assert Memory.everywhere.get().status == "expired"


def test_reading_ends_its_turn_in_time_and_comes_back(monkeypatch):
    read = []
    waiting = list(range(50))
    monkeypatch.setattr(intake, "due", lambda limit: waiting[:limit])
    monkeypatch.setattr(intake, "read", lambda pk: (read.append(pk), waiting.remove(pk)))
    monkeypatch.setattr(tasks, "TURN_SECONDS", -1)
    assert tasks.read_turns.call() == {"read": 0}
    monkeypatch.setattr(tasks, "TURN_SECONDS", 30)
    assert tasks.read_turns.call() == {"read": 50}
    assert read == list(range(50))


def test_snapshots_look_at_a_turn_once_unless_it_is_still_to_be_read(settings, monkeypatch):
    settings.SNAPSHOT_TURNS = 2
    for _ in range(2):
        make.turn(content="我住在苏州园区")
    monkeypatch.setattr(snapshots, "is_read", lambda session: False)
    assert tasks.take_snapshots.call() == {"taken": 0}
    assert job("take_snapshots").is_due()
    monkeypatch.undo()
    settings.SNAPSHOT_TURNS = 2
    assert tasks.take_snapshots.call() == {"taken": 1}
    # Its own write is looked at once more, and then nothing is left.
    assert tasks.take_snapshots.call() == {"taken": 0}
    assert not job("take_snapshots").is_due()


def test_duplicates_are_looked_for_once_and_in_every_workspace(monkeypatch):
    monkeypatch.setattr(tasks, "SWEEP_ROWS", 2)
    monkeypatch.setattr(sameness, "note_pairs", lambda *_: 0)
    other = make.scope(make.workspace("w2"))
    for scope in (None, other):
        make.remember(scope, text="The kitchen tap drips at night")
        make.remember(scope, text="At night the kitchen tap drips a bit")
        make.remember(scope, text="The harbour ferry leaves from pier nine")
    assert job("find_duplicates").is_due()
    DuplicatePair.everywhere.all().delete()
    assert tasks.find_duplicates.call() == {"looked": 6, "found": 2}
    assert not job("find_duplicates").is_due()
    make.remember(text="Rent is due on the first")
    assert tasks.find_duplicates.call() == {"looked": 1, "found": 0}


def test_looking_for_duplicates_ends_its_turn_and_goes_on_where_it_was(monkeypatch):
    for text in ("The kitchen tap drips", "Rent is due on the first"):
        make.remember(text=text)
    monkeypatch.setattr(tasks, "SWEEP_SECONDS", -1)
    assert tasks.find_duplicates.call()["looked"] == 0
    assert job("find_duplicates").is_due()


@pytest.mark.django_db(transaction=True)
def test_old_notes_are_forgotten_and_what_waits_is_not():
    for days, status in ((8, "SUCCESSFUL"), (8, "RUNNING"), (8, "READY"), (6, "FAILED")):
        tasks.expire.enqueue()
        row = DBTaskResult.objects.order_by("-enqueued_at")[0]
        then = timezone.now() - timedelta(days=days)
        DBTaskResult.objects.filter(pk=row.pk).update(status=status, enqueued_at=then)
    assert tasks.upkeep.call()["forgotten"] == 2
    assert sorted(noted("expire")) == ["FAILED", "READY"]


@pytest.mark.django_db(transaction=True)
def test_the_command_does_what_is_due_and_ends():
    over()
    call_command("worker", "--once")
    assert Memory.everywhere.get().status == "expired"
    assert noted("upkeep") == ["SUCCESSFUL"]
    assert noted("report_health") == ["SUCCESSFUL"]
    assert noted("read_turns") == []
