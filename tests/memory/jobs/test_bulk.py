"""A change of many memories in the background: piece by piece, told of, taken back as a whole."""

import pytest

from memory.api.jobs import job_form
from memory.jobs import bulk, undoing
from memory.jobs.work import Report, cancel
from memory.jobs.work import work as carry_out
from memory.models import Batch, Job, Memory, Status
from memory.write.many import VERBS
from memory.write.plan import Conflict
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(monkeypatch) -> list[Memory]:
    monkeypatch.setattr(bulk, "PIECE", 2)
    return [make.remember(text=f"第{n}件事 note {n}", kind="other") for n in range(5)]


def begun(*rows: Memory, verb: str = "retract", reason: str = "out of date") -> Job:
    return bulk.begin(
        make.scope(), VERBS[verb], "", [(row.pk, row.revision) for row in rows], reason
    )


def done(job: Job) -> Job:
    carry_out()
    job.refresh_from_db()
    return job


def states(*rows: Memory) -> list[str]:
    return [Memory.everywhere.get(pk=row.pk).status for row in rows]


def test_it_is_done_in_pieces_and_taken_back_at_once(rows):
    job = done(begun(*rows))
    assert (job.state, job.done, job.total, job.result["changed"]) == ("done", 5, 5, 5)
    assert len(job.result["batches"]) == 3
    assert set(states(*rows)) == {Status.RETRACTED}
    assert set(Batch.everywhere.filter(verb="retract").values_list("reason")) == {("out of date",)}

    back = done(undoing.take_back(make.scope(), job, "too many"))
    assert set(states(*rows)) == {Status.ACTIVE}
    assert len(back.result["batches"]) == 3
    assert not undoing.can_take_back(make.scope(), job)
    with pytest.raises(Conflict):
        undoing.take_back(make.scope(), job)

    # And the undo itself.
    done(undoing.take_back(make.scope(), back))
    assert set(states(*rows)) == {Status.RETRACTED}


def test_what_has_moved_is_left_and_told_of(rows):
    job = begun(*rows)
    make.remember(text=rows[1].text, kind="other")
    job = done(job)
    assert (job.result["changed"], job.result["left"]) == (4, 1)
    told = job.rows.get()
    assert (told.number, told.action, told.code, told.memory_id) == (
        2, "skipped", "moved", rows[1].public_id,
    )  # fmt: skip
    assert states(*rows)[1] == Status.ACTIVE


def test_what_later_changes_stand_on_stays_when_the_rest_is_taken_back(rows):
    job = done(begun(*rows, verb="hold"))
    fourth = Memory.everywhere.get(pk=rows[3].pk)
    done(begun(fourth, verb="retract"))
    back = done(undoing.take_back(make.scope(), job))
    assert states(*rows) == ["active", "active", "quarantined", "retracted", "active"]
    assert [row.code for row in back.rows.all()] == ["changed_since"]


def test_what_was_cancelled_can_be_taken_back_as_far_as_it_came(rows, monkeypatch):
    job = begun(*rows)
    # Somebody cancels it while the worker is between two pieces.
    monkeypatch.setattr(Report, "pause", lambda report: cancel(job) and pause(report))
    job = done(job)
    assert (job.state, states(*rows).count("retracted")) == ("cancelled", 2)
    monkeypatch.setattr(Report, "pause", pause)
    done(undoing.take_back(make.scope(), job))
    assert set(states(*rows)) == {Status.ACTIVE}


pause = Report.pause


def test_an_open_job_is_not_taken_back(rows):
    job = begun(*rows)
    with pytest.raises(Conflict):
        undoing.take_back(make.scope(), job)
    job = done(job)
    first = undoing.take_back(make.scope(), job)
    assert undoing.take_back(make.scope(), job) == first


def test_of_another_workspace_nothing_is_taken_back(rows):
    job = done(begun(*rows))
    assert not undoing.can_take_back(make.scope(make.workspace("w2")), job)


def test_what_only_the_runner_reads_is_not_shown(rows):
    job = begun(*rows)
    assert "_rows" in job.params
    assert job_form(job)["params"] == {"verb": "retract", "to": ""}
