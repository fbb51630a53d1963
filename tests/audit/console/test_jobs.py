"""The pages of jobs."""

import csv
import io
from datetime import timedelta

import pytest

from audit.console.progress import Pace, pace
from audit.models import HealthReport
from memory import clock
from memory.jobs import alive, work
from memory.jobs.work import start
from memory.models import Job, JobRow, Role
from tests import factories as make
from tests.factories import logged_in, person

from .pages_kit import PART, is_whole, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def rejected(job: Job, number: int, **fields) -> JobRow:
    fields = {"message": "no text", "code": "empty"} | fields
    return JobRow.objects.create(job=job, number=number, action="rejected", **fields)


def test_without_any_job_the_page_says_what_comes_here():
    page = operator().get("/jobs/")
    assert is_whole(page)
    assert "No job yet" in text_of(page)


def test_a_started_job_runs_and_its_page_tells():
    make.remember(text="我对海鲜过敏")
    client = operator()
    answer = client.post("/jobs/start/", {"kind": "reindex"})
    job = Job.everywhere.get()
    assert (answer.url, job.actor) == (f"/jobs/{job.public_id}/", "person:olga")
    page = client.get(answer.url)
    assert is_whole(page)
    assert "waits for a worker, and none is running" in text_of(page)
    assert 'hx-trigger="every 2s"' in text_of(page)
    assert "<noscript><a href" in text_of(page)
    work.work()
    page = client.get(answer.url)
    assert "2 of 2" in text_of(page)
    assert "hx-trigger" not in text_of(page)
    assert "Rebuild the search indexes" in text_of(client.get("/jobs/"))


def test_htmx_is_given_how_far_it_is_and_no_more():
    job = start(make.scope(), "reindex", total=7)
    part = operator().get(f"/jobs/{job.public_id}/", **PART)
    assert not is_whole(part)
    assert "0 of 7" in text_of(part)
    assert 'id="state"' in text_of(part)


def test_the_health_report_is_a_job():
    client = operator()
    client.post("/jobs/start/", {"kind": "health"})
    work.work()
    job, kept = Job.everywhere.get(), HealthReport.everywhere.get()
    assert (job.state, job.result["report"], job.result["worst"]) == ("done", kept.pk, kept.worst)
    assert job.done == job.total == len(kept.body["checks"])


def test_cancelling_from_the_page():
    client, job = operator(), start(make.scope(), "reindex")
    assert "Cancel the job" in text_of(client.get(f"/jobs/{job.public_id}/"))
    client.post(f"/jobs/{job.public_id}/cancel/")
    job.refresh_from_db()
    assert job.state == "cancelled"
    again = client.post(f"/jobs/{job.public_id}/cancel/", follow=True)
    assert "over already" in text_of(again)
    assert "Cancel the job" not in text_of(again)


def test_a_failure_says_why():
    job = start(make.scope(), "reindex")
    Job.everywhere.filter(pk=job.pk).update(state="failed", error="the file cannot be read")
    assert "the file cannot be read" in text_of(operator().get(f"/jobs/{job.public_id}/"))


def test_a_job_of_a_file_names_it_and_says_why_in_words():
    job = start(make.scope(), "reindex", params={"file": "stock.csv"})
    failed = {"state": "failed", "error": "stock.csv: none of these", "result": {"code": "empty"}}
    Job.everywhere.filter(pk=job.pk).update(**failed)
    rejected(job, 1, code="invalid", message="text: give a text; x")
    rejected(job, 2, code="same", message="is so already")
    rejected(job, 3, code="new_code", message="who knows")
    client = operator()
    assert "stock.csv" in text_of(client.get("/jobs/"))
    page = text_of(client.get(f"/jobs/{job.public_id}/"))
    for words in ("The file is empty.", "stock.csv: none of these", "text: give a text; x"):
        assert words in page
    assert "A field cannot be taken as it is." in page
    assert "they are so already" in page
    assert "is so already<" not in page.replace("they are so already", "")
    assert "who knows" in page


def test_rows_on_the_page_and_as_csv_without_formulas():
    job, client = start(make.scope(), "reindex"), operator()
    for number in range(60):
        rejected(job, number + 1)
    rejected(job, 61, message='=HYPERLINK("http://x")', raw={"text": "坏"})
    page = client.get(f"/jobs/{job.public_id}/")
    assert "of 61" in text_of(page)
    assert f"/jobs/{job.public_id}/rows.csv" in text_of(page)
    answer = client.get(f"/jobs/{job.public_id}/rows.csv")
    assert answer["Content-Type"].startswith("text/csv")
    found = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert len(found) == 62
    assert found[1][:2] == ["1", "rejected"]
    assert found[61][4] == '\'=HYPERLINK("http://x")'
    assert "坏" in found[61][5]


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_who_may_not_start_may_look(role):
    client = logged_in(person("rita", role=role))
    job = start(make.scope(), "reindex")
    assert "job-start" not in text_of(client.get("/jobs/"))
    assert client.post("/jobs/start/", {"kind": "reindex"}).status_code == 403
    assert client.post(f"/jobs/{job.public_id}/cancel/").status_code == 403
    assert "Cancel the job" not in text_of(client.get(f"/jobs/{job.public_id}/"))
    job.refresh_from_db()
    assert (job.state, Job.everywhere.count()) == ("queued", 1)


def test_only_what_is_started_here_is_started():
    client = operator()
    assert client.post("/jobs/start/", {"kind": "import"}).status_code == 404
    assert not Job.everywhere.exists()


def test_a_stranger_sees_none_of_it():
    job, client = start(make.scope(), "reindex"), stranger()
    rejected(job, 1)
    for end in ("", "rows.csv"):
        assert client.get(f"/jobs/{job.public_id}/{end}").status_code == 404
    assert client.post(f"/jobs/{job.public_id}/cancel/").status_code == 404
    assert str(job.public_id) not in text_of(client.get("/jobs/"))


def test_more_jobs_and_rows_take_no_more_queries():
    client, job = viewer(), start(make.scope(), "reindex")
    rejected(job, 1)
    address = f"/jobs/{job.public_id}/"
    before = queries(client, "/jobs/"), queries(client, address)
    for number in range(5):
        work.cancel(start(make.scope(make.workspace()), "health"))
        rejected(job, number)
    assert (queries(client, "/jobs/"), queries(client, address)) == before


def running(total: int = 200, done: int = 50, seconds: int = 10) -> Job:
    """A job that has been at it for so long."""
    job = start(make.scope(), "reindex", total=total)
    moments = {"started_at": clock.now() - timedelta(seconds=seconds), "moved_at": clock.now()}
    Job.everywhere.filter(pk=job.pk).update(state="running", done=done, **moments)
    return job


def test_a_running_job_tells_its_rate_and_the_time_left():
    alive.Sign().give()
    job = running()
    page = operator().get(f"/jobs/{job.public_id}/")
    text = text_of(page)
    for told in ('role="progressbar"', 'aria-valuenow="50"', 'aria-valuemax="200"', "25 %"):
        assert told in text
    rate, left = page.context["pace"].rate, page.context["pace"].left
    assert 4.5 <= float(rate) <= 5.0
    assert left == "less than a minute"
    assert "manage.py worker" not in text


def test_what_is_young_or_has_no_end_tells_no_time():
    assert pace(running(seconds=1), 50, 200) == Pace()
    job = running()
    job.refresh_from_db()
    assert pace(job, 50, None).left == ""
    assert pace(job, 0, 200) == Pace()
    assert "hour" in pace(job, 1, 1000).left


def test_a_job_whose_worker_was_killed_says_so_until_another_one_comes():
    job, client = running(), operator()
    page = text_of(client.get(f"/jobs/{job.public_id}/"))
    assert "Its worker has stopped" in page
    assert "manage.py worker" in page
    assert 'hx-trigger="every 2s"' in page
    alive.Sign().give()
    assert "Its worker has stopped" not in text_of(client.get(f"/jobs/{job.public_id}/"))
    alive.gone()
    assert not alive.is_there()


def test_the_list_says_when_nobody_works():
    start(make.scope(), "reindex")
    client = operator()
    assert "No worker is running" in text_of(client.get("/jobs/"))
    alive.Sign().give()
    assert "No worker is running" not in text_of(client.get("/jobs/"))
    alive.gone()
    work.work()
    assert "No worker is running" not in text_of(client.get("/jobs/"))


def test_the_end_is_announced_with_a_way_to_what_came_of_it():
    client = operator()
    client.post("/jobs/start/", {"kind": "health"})
    job, address = Job.everywhere.get(), f"/jobs/{Job.everywhere.get().public_id}/"
    assert "announcer" not in text_of(client.get(address, **PART))
    work.work()
    job.refresh_from_db()
    part = text_of(client.get(address, **PART))
    assert 'id="announcer" hx-swap-oob="innerHTML"' in part
    assert f"/health/reports/{job.result['report']}/" in part
    assert "hx-trigger" not in part
    assert "hx-swap-oob" not in text_of(client.get(address))


def test_with_a_worker_the_health_page_leaves_the_checks_to_it():
    client = logged_in(person("rita", role=Role.REVIEWER))
    assert client.post("/health/")["Location"] == "/health/"
    assert HealthReport.everywhere.count() == 1
    alive.Sign().give()
    answer = client.post("/health/")
    assert answer["Location"] == f"/jobs/{Job.everywhere.get().public_id}/"
    assert HealthReport.everywhere.count() == 1
    work.work()
    assert HealthReport.everywhere.count() == 2
