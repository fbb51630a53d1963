"""Imports as jobs: tried, carried out in pieces, taken up after a kill, taken back."""

import stat
from datetime import timedelta

import pytest

from memory import clock
from memory.exchange import uploads, work
from memory.exchange.formats import Options
from memory.exchange.source import FormatError
from memory.jobs.work import cancel
from memory.jobs.work import work as carry_out_jobs
from memory.models import Job, JobRow, Memory, Status
from memory.write.plan import Conflict
from tests.factories import remember, scope

from .files import mem0, row, write_json

pytestmark = pytest.mark.django_db


def uploaded(tmp_path, *rows) -> str:
    path = write_json(tmp_path / "m.json", mem0(*rows))
    return uploads.keep([path.read_bytes()])


def begun(tmp_path, *rows, dry_run: bool = False, user: str = "ann", **said) -> Job:
    upload = uploaded(tmp_path, *rows)
    return work.begin(scope(), upload, "m.json", options=Options(user), dry_run=dry_run, **said)


def done(job: Job) -> Job:
    carry_out_jobs()
    job.refresh_from_db()
    return job


def there(*jobs: Job) -> list[bool]:
    return [uploads.path_of(job.params["upload"]).exists() for job in jobs]


def test_an_upload_is_its_owners_alone():
    upload = uploads.keep([b"a", b"b"])
    path = uploads.path_of(upload)
    assert path.read_bytes() == b"ab"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(ValueError, match="badly formed"):
        uploads.path_of("../secret_key")
    assert uploads.plain_name("C:\\x\\..\\<b>名.json") == "_b_名.json"


def test_an_upload_beyond_the_limit_leaves_nothing(settings):
    settings.IMPORT_MAX_MB = 1
    before = set(uploads.folder().iterdir())
    with pytest.raises(FormatError, match="larger than 1 MB"):
        uploads.keep([b"x" * 600_000] * 2)
    with pytest.raises(FormatError, match="is empty"):
        uploads.keep([])
    assert set(uploads.folder().iterdir()) == before


def test_a_trial_tells_and_keeps_the_file_for_the_import(tmp_path):
    trial = done(begun(tmp_path, row(1, "likes tea"), row(2, ""), dry_run=True))
    assert (trial.state, trial.done, trial.total) == ("done", 2, 2)
    assert (trial.result["added"], trial.result["rejected"]) == (1, 1)
    assert trial.result["format"] == "mem0"
    assert not Memory.everywhere.exists()
    told = {one.action: one for one in JobRow.objects.filter(job=trial)}
    assert told["rejected"].code == "invalid"
    assert told["added"].raw == {"text": "likes tea"}
    job = work.carry_out(scope(), trial, "yes")
    assert work.carry_out(scope(), trial) == job
    job = done(job)
    assert (job.result["added"], job.result["rejected"]) == (1, 1)
    assert len(job.result["batches"]) == 1
    assert Memory.everywhere.get().text == "likes tea"
    assert not uploads.path_of(trial.params["upload"]).exists()


def test_without_its_file_a_trial_cannot_be_carried_out(tmp_path):
    trial = done(begun(tmp_path, row(1, "likes tea"), dry_run=True))
    uploads.discard(trial.params["upload"])
    with pytest.raises(Conflict, match="not kept"):
        work.carry_out(scope(), trial)


def test_a_file_that_cannot_be_read_fails_with_why_and_is_removed():
    upload = uploads.keep([b"\x00nothing"])
    job = done(work.begin(scope(), upload, "x.bin", options=Options("ann")))
    assert job.state == "failed"
    assert job.error.startswith("x.bin: none of the known formats")
    assert not uploads.path_of(upload).exists()


class Killed(BaseException):
    """What nothing here expects, as a kill."""


def test_a_killed_import_goes_on_and_writes_nothing_twice(tmp_path, monkeypatch):
    rows = [row(n, f"tea number {n}") for n in range(230)]
    job = begun(tmp_path, *rows, {"memory": ""})
    write, calls = work.write_prepared, []

    def killed(*arguments):
        calls.append(1)
        if len(calls) == 2:
            write(*arguments)
            raise Killed
        return write(*arguments)

    monkeypatch.setattr(work, "write_prepared", killed)
    with pytest.raises(Killed):
        carry_out_jobs()
    job.refresh_from_db()
    assert (job.state, job.done, Memory.everywhere.count()) == ("running", 100, 100)
    job = done(job)
    assert (job.state, job.done, job.result["added"]) == ("done", 231, 230)
    assert Memory.everywhere.count() == 230
    assert JobRow.objects.filter(job=job, action="rejected").count() == 1
    assert len(job.result["batches"]) == 3


def test_an_import_is_taken_back_but_for_what_was_changed_since(tmp_path):
    rows = [row(n, f"tea number {n}") for n in range(120)]
    job = done(begun(tmp_path, *rows))
    kept = Memory.everywhere.get(external_id="m110")
    remember(text=kept.text, user_id="ann")
    back = done(work.take_back(scope(), job, "wrong file"))
    assert (back.state, back.done, back.total) == ("done", 2, 2)
    assert JobRow.objects.get(job=back).code == "changed_since"
    assert Memory.everywhere.filter(status=Status.RETRACTED).count() == 100


def test_a_secret_in_a_row_is_masked_where_it_is_told(tmp_path):
    secret = "sk-proj-" + "Ab3" * 14
    job = done(begun(tmp_path, row(1, f"my api key is {secret}"), dry_run=True))
    assert secret not in str(list(JobRow.objects.filter(job=job).values()))
    assert secret not in str(job.result)


def test_a_killed_trial_begins_anew_and_tells_nothing_twice(tmp_path, monkeypatch):
    rows = [row(n, f"tea number {n}") for n in range(150)]
    job = begun(tmp_path, *rows, {"memory": ""}, dry_run=True)
    piece, calls = work.Trial.piece, []

    def killed(trial, some):
        calls.append(1)
        if len(calls) == 2:
            raise Killed
        return piece(trial, some)

    monkeypatch.setattr(work.Trial, "piece", killed)
    with pytest.raises(Killed):
        carry_out_jobs()
    job = done(job)
    assert (job.state, job.result["added"], job.result["rejected"]) == ("done", 150, 1)
    assert JobRow.objects.filter(job=job, action="rejected").count() == 1
    assert not Memory.everywhere.exists()


def test_files_are_removed_but_not_those_that_are_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "GRACE_SECONDS", -10)
    tried = done(begun(tmp_path, row(2, "likes rain"), dry_run=True))
    taken = done(begun(tmp_path, row(3, "likes hail"), dry_run=True))
    gone, failed = begun(tmp_path, row(4, "likes snow")), begun(tmp_path, row(5, "x"), dry_run=True)
    cancel(gone), cancel(failed)
    # Its import is over, its file was left by a kill.
    over = work.carry_out(scope(), taken)
    cancel(over)
    waiting = begun(tmp_path, row(1, "likes tea"))
    uploads.forget()
    assert there(waiting, tried, gone, failed, over) == [True, True, False, False, False]
    with clock.at(clock.now() + timedelta(seconds=uploads.KEPT_SECONDS + 1)):
        uploads.forget()
    assert there(waiting, tried) == [True, False]


def test_a_new_file_is_given_time_to_get_its_job():
    upload = uploads.keep([b"x"])
    uploads.forget()
    assert uploads.path_of(upload).exists()


def test_a_trial_is_dropped_with_its_file_unless_its_import_has_begun(tmp_path):
    waiting = begun(tmp_path, row(1, "likes tea"), dry_run=True)
    work.drop(waiting)
    waiting.refresh_from_db()
    assert waiting.state == "cancelled"
    tried = done(begun(tmp_path, row(2, "likes rain"), dry_run=True))
    work.drop(tried)
    taken = done(begun(tmp_path, row(3, "likes hail"), dry_run=True))
    work.carry_out(scope(), taken)
    with pytest.raises(Conflict):
        work.drop(taken)
    assert there(waiting, tried, taken) == [False, False, True]
