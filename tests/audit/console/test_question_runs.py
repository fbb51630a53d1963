"""Asking all acceptance questions: at once, step by step, or by a worker."""

import pytest

from audit.console import question_runs
from audit.models import QuestionRun
from audit.questions import ask as asking
from memory.jobs import alive, work
from memory.models import Job
from tests import factories as make
from tests.audit.questions.makers import question

from .pages_kit import PART, assert_three_ways, operator, text_of

pytestmark = pytest.mark.django_db


def test_asking_them_all_leads_to_the_run():
    make.budget("640")
    good, bad = question(), question(expected=("900",))
    client = operator()
    response = client.post("/questions/run/", follow=True)
    kept_run = QuestionRun.objects.get()
    assert response.redirect_chain == [(f"/questions/runs/{kept_run.public_id}/", 302)]
    assert "1 question does not hold" in text_of(response)
    assert [row.question for row in response.context["page"]] == [bad]
    response = client.get(f"/questions/runs/{kept_run.public_id}/", {"status": "any"})
    assert [row.question for row in response.context["page"]] == [good, bad]
    assert_three_ways(client, f"/questions/runs/{kept_run.public_id}/")


def test_without_questions_nothing_is_shown_to_hold():
    page = text_of(operator().post("/questions/run/", follow=True))
    assert "nothing has been shown to hold" in page
    assert not QuestionRun.objects.exists()


def test_a_long_run_goes_on_step_by_step(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 2)
    for _ in range(5):
        question(expected=(), forbidden=("900",))
    client = operator()
    response = client.post("/questions/run/", follow=True)
    kept_run = QuestionRun.objects.get()
    more = f"/questions/runs/{kept_run.public_id}/more/"
    assert "2 of 5 questions are asked" in text_of(response)
    assert f'hx-post="{more}"' in text_of(response)
    part = client.post(more, **PART)
    assert "4 of 5 questions are asked" in text_of(part)
    assert "<html" not in text_of(part)
    last = client.post(more, follow=True)
    assert "All 5 questions hold." in text_of(last)
    assert more not in text_of(last)
    assert client.post(more, **PART).status_code == 200
    kept_run.refresh_from_db()
    assert (kept_run.total, kept_run.failed) == (5, 0)


def test_a_long_run_is_a_worker_s_where_one_is_there(monkeypatch):
    for module in (asking, question_runs):
        monkeypatch.setattr(module, "CHUNK", 2)
    for _ in range(5):
        question(expected=(), forbidden=("900",))
    client = operator()
    alive.Sign().give()
    page = text_of(client.post("/questions/run/", follow=True))
    kept_run, job = QuestionRun.objects.get(), Job.objects.within(make.scope()).get()
    assert (job.kind, job.total, job.params) == ("questions", 5, {"run": str(kept_run.public_id)})
    here = f"/questions/runs/{kept_run.public_id}/"
    assert f'hx-get="{here}" hx-trigger="every 2s"' in page
    assert "It waits for the worker" in page
    assert f"{here}more/" not in page
    assert f"/jobs/{job.public_id}/cancel/" in page
    # One turn a piece: what was asked stands, and the next worker goes on.
    work.work(0)
    assert kept_run.results.count() == 2
    work.work()
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", 5, 5)
    page = text_of(client.get(here, **PART))
    assert "All 5 questions hold." in page
    assert "every 2s" not in page
    assert here in text_of(client.get(f"/jobs/{job.public_id}/"))


def test_a_run_whose_job_was_cancelled_does_not_go_on_by_itself(monkeypatch):
    for module in (asking, question_runs):
        monkeypatch.setattr(module, "CHUNK", 2)
    for _ in range(3):
        question(expected=(), forbidden=("900",))
    client = operator()
    alive.Sign().give()
    answer = client.post("/questions/run/")
    job = Job.objects.within(make.scope()).get()
    work.cancel(job)
    page = text_of(client.get(answer["Location"]))
    assert 'hx-trigger="submit"' in page
    assert "every 2s" not in page
    # And a worker that has gone leaves it to the page.
    again = client.post("/questions/run/")
    alive.gone()
    page = text_of(client.get(again["Location"]))
    assert 'hx-trigger="load, submit"' in page
