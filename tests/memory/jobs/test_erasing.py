import pytest
from django.utils import timezone
from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

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
