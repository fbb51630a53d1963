"""Jobs that were asked for: carried out in turns, resumed, cancelled, told of."""

import pytest
from django.core.cache import cache

from memory import clock
from memory.jobs import upkeep, work
from memory.jobs.work import NotOpen, UnknownKind, WorkError, cancel, progress, start
from memory.models import Job, JobRow, JobState, Memory, ScopeError
from memory.write.queue import QueueTimeout
from tests import factories as make

pytestmark = pytest.mark.django_db
WORDS = ["奶茶", "tea", "咖啡", "water", "豆浆"]


class Killed(BaseException):
    """What nothing here expects, as a kill."""


@pytest.fixture
def kinds(monkeypatch):
    """The registry, given back as it was."""
    monkeypatch.setattr(work, "_kinds", dict(work.kinds()))
    return work._kinds


@pytest.fixture
def writing(kinds):
    """A kind that remembers `WORDS`, one a piece, and may be told where to break."""
    told = {"break_at": None, "calls": 0}

    @work.runner("writing", "Write words", goes_on=True)
    def run(job, report):
        told["calls"] += 1
        for n in range(job.done, len(WORDS)):
            with work.patient_transaction():
                make.remember(work.scope_of(job), text=WORDS[n])
                report.row(n + 1, "added")
                report(n + 1, len(WORDS), last=WORDS[n])
                if told["break_at"] == n:
                    told["break_at"] = None
                    raise Killed
            report.pause()

    return told


def kept() -> list[str]:
    return list(Memory.everywhere.order_by("pk").values_list("text", flat=True))


def test_a_job_is_carried_out_and_told_of(writing):
    job = start(make.scope(), "writing", {"a": 1}, reason="because", total=5)
    assert (job.state, job.total, job.params, job.reason) == ("queued", 5, {"a": 1}, "because")
    assert work.is_due()
    assert work.work() == {"turns": 1}
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.error) == ("done", 5, 5, "")
    assert job.result == {"last": "豆浆"}
    assert job.created_at <= job.started_at <= job.moved_at <= job.finished_at
    assert list(job.rows.values_list("number", flat=True)) == [1, 2, 3, 4, 5]
    assert kept() == WORDS
    assert not work.is_due()


def test_after_a_kill_what_was_done_is_not_done_again(writing):
    job = start(make.scope(), "writing")
    writing["break_at"] = 2
    with pytest.raises(Killed):
        work.work()
    job.refresh_from_db()
    # The piece that it was killed in is gone as a whole, with its row.
    assert (job.state, job.done, job.rows.count(), kept()) == ("running", 2, 2, WORDS[:2])
    assert work.is_due()
    work.work()
    job.refresh_from_db()
    assert (job.state, job.done, job.rows.count(), kept()) == ("done", 5, 5, WORDS)


def test_a_long_job_gives_way_after_its_turn(writing):
    first, second = start(make.scope(), "writing"), start(make.scope(), "writing")
    assert work.work(seconds=-1) == {"turns": 1}
    first.refresh_from_db()
    assert (first.state, first.done) == ("running", 1)
    work.work(seconds=-1)
    second.refresh_from_db()
    assert (second.state, second.done) == ("running", 1)
    while work.is_due():
        work.work(seconds=-1)
    assert kept() == WORDS
    assert set(Memory.everywhere.values_list("confirmations", flat=True)) == {1}
    # The turn after the last piece finds nothing left.
    assert writing["calls"] == 2 * (len(WORDS) + 1)


def test_a_cancelled_job_stops_and_keeps_what_it_has_done(writing, kinds, monkeypatch):
    job = start(make.scope(), "writing")
    real = make.remember

    def and_cancel(scope, text):
        if text == WORDS[2]:
            cancel(Job.everywhere.get(pk=job.pk))
        return real(scope, text=text)

    monkeypatch.setattr(make, "remember", and_cancel)
    work.work()
    job.refresh_from_db()
    # Both in one transaction here: the piece is given back, and the cancelling with it.
    assert job.done == 2
    assert kept() == WORDS[:2]


def test_a_job_cancelled_before_it_ran_never_runs(writing):
    job = cancel(start(make.scope(), "writing"))
    assert (job.state, job.finished_at is not None) == ("cancelled", True)
    assert work.work() == {"turns": 0}
    assert kept() == []
    with pytest.raises(NotOpen):
        cancel(job)


def test_a_job_cancelled_between_two_pieces_ends_there(kinds):
    @work.runner("slow", "Slow", goes_on=True)
    def run(job, report):
        report(1, 2)
        cancel(Job.everywhere.get(pk=job.pk))
        report.pause()
        raise AssertionError("went on")

    job = start(make.scope(), "slow")
    work.work()
    job.refresh_from_db()
    assert (job.state, job.done) == (JobState.CANCELLED, 1)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (WorkError("there is no such file"), "there is no such file"),
        (ValueError("绝密代号青鹭"), "ValueError; it has been logged"),
    ],
)
def test_a_failure_is_told_without_what_it_was_about(kinds, error, told):
    @work.runner("bad", "Bad")
    def run(job, report):
        raise error

    job = start(make.scope(), "bad")
    other = start(make.scope(), "bad")
    work.work()
    job.refresh_from_db()
    other.refresh_from_db()
    assert (job.state, job.error, other.state) == ("failed", told, "failed")
    assert job.finished_at is not None


def test_a_full_queue_leaves_the_job_open(kinds):
    @work.runner("waits", "Waits")
    def run(job, report):
        raise QueueTimeout("full")

    job = start(make.scope(), "waits")
    with pytest.raises(QueueTimeout):
        work.work()
    job.refresh_from_db()
    assert job.state == "running"


def test_what_ends_every_worker_is_given_up(kinds):
    calls = []

    @work.runner("deadly", "Deadly")
    def run(job, report):
        calls.append(1)
        raise Killed

    job = start(make.scope(), "deadly")
    for _ in range(work.MOST_STARTS):
        with pytest.raises(Killed):
            work.work()
    work.work()
    job.refresh_from_db()
    assert (job.state, len(calls)) == ("failed", work.MOST_STARTS)
    assert job.result == {}


def test_one_that_is_enough_is_asked_for_once(kinds):
    first = start(make.scope(), "reindex")
    assert start(make.scope(), "reindex") == first
    other = start(make.scope(make.workspace("w2")), "reindex")
    assert other != first
    cancel(first)
    assert start(make.scope(), "reindex") != first


def test_an_unknown_kind_is_refused_and_one_that_went_away_fails(kinds):
    with pytest.raises(UnknownKind):
        start(make.scope(), "nothing")
    kinds["gone"] = kinds["reindex"]
    job = start(make.scope(), "gone")
    del kinds["gone"]
    work.work()
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "nothing carries out this kind")
    assert work.title_of(job) == "gone"


def test_a_job_is_of_the_user_of_its_scope(writing):
    assert start(make.scope(), "writing").user_id == ""
    assert start(make.scope(user_id="ann"), "writing").user_id == "ann"
    assert start(make.scope(), "writing", user_id="bob").user_id == "bob"
    with pytest.raises(ScopeError):
        start(make.scope(user_id="ann"), "writing", user_id="bob")
    assert Job.objects.within(make.scope(user_id="ann")).count() == 1


def test_rows_beyond_what_is_looked_through_are_counted(kinds, monkeypatch):
    monkeypatch.setattr(work, "ROWS_KEPT", 3)

    @work.runner("many", "Many")
    def run(job, report):
        for n in range(6):
            report.row(n, "rejected")
            if n % 2:
                report(n + 1)

    job = start(make.scope(), "many")
    work.work()
    job.refresh_from_db()
    assert job.rows.count() == 3
    assert job.result == {"rows_left_out": 3}


def test_what_a_long_transaction_shows_is_seen_at_once_and_only_while_it_runs(kinds):
    cache.clear()
    seen = []

    @work.runner("shows", "Shows")
    def run(job, report):
        report(0, 10)
        report.live(4, 10)
        seen.append(progress(Job.everywhere.get(pk=job.pk)))
        report(5)
        seen.append(progress(Job.everywhere.get(pk=job.pk)))

    job = start(make.scope(), "shows")
    assert progress(job) == (0, None)
    work.work()
    job.refresh_from_db()
    assert seen == [(4, 10), (5, 10)]
    assert progress(job) == (5, 10)


def test_rows_of_old_jobs_are_forgotten_and_the_jobs_stay(writing):
    old = start(make.scope(), "writing")
    with clock.at(clock.now() - upkeep.JOB_ROWS_KEPT):
        work.work()
    young = start(make.scope(), "writing")
    work.work()
    assert upkeep._forget_job_rows() == 5
    assert (old.rows.count(), young.rows.count(), Job.everywhere.count()) == (0, 5, 2)
    assert upkeep._forget_job_rows() == 0


def test_reindexing_is_a_job():
    for word in WORDS:
        make.remember(text=word)
    job = start(make.scope(), "reindex")
    work.work()
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.result) == ("done", 6, 6, {"memories": 5})
    assert JobRow.objects.count() == 0
    assert [found.memory.text for found in make.ask("豆浆").items] == ["豆浆"]
