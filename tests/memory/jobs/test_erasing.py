import pytest
from django.utils import timezone
from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from memory.jobs.work import start
from memory.models import JobRow
from memory.write.erase.road import erase
from tests import factories as make

pytestmark = pytest.mark.django_db
SECRET = "绝密代号青鹭 zqcanary7788"


def note(traceback: str, status=TaskResultStatus.FAILED) -> DBTaskResult:
    return DBTaskResult.objects.create(
        task_path="memory.jobs.tasks.upkeep", args_kwargs={"args": [], "kwargs": {}},
        backend_name="default", status=status, traceback=traceback,
        enqueued_at=timezone.now(),
    )  # fmt: skip


def test_the_note_of_a_task_that_says_it_is_removed():
    row = make.remember(text=SECRET)
    saying, other = note(f"ValueError: {SECRET}"), note("ValueError: other")
    done = erase(make.scope(), row, "x")
    assert done.erasure.removed["tasks"] == 1
    assert not DBTaskResult.objects.filter(pk=saying.pk).exists()
    assert DBTaskResult.objects.filter(pk=other.pk).exists()


def test_what_a_job_was_asked_and_told_is_blotted_out():
    row = make.remember(text=SECRET)
    job = start(make.scope(), "reindex", {"note": SECRET}, reason=f"for {SECRET}")
    elsewhere = start(make.scope(make.workspace("w2")), "reindex", {"note": SECRET})
    mine = JobRow.objects.create(
        job=job, number=1, action="added", memory_id=row.public_id, raw={"content": "青鹭"}
    )
    said = JobRow.objects.create(job=job, number=2, action="rejected", raw={"text": SECRET})
    other = JobRow.objects.create(job=job, number=3, action="rejected", raw={"text": "牛奶"})
    done = erase(make.scope(), row, "x")
    assert (done.erasure.removed["jobs"], done.erasure.removed["job_rows"]) == (1, 1)
    for kept in (job, elsewhere, mine, said, other):
        kept.refresh_from_db()
    assert "zqcanary" not in f"{job.params} {job.reason} {said.raw}"
    assert elsewhere.params == {"note": SECRET}
    assert other.raw == {"text": "牛奶"}
