"""What the notes of finished tasks hold of an erased memory."""

import json

from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from memory.write.erase.places import Place, place
from memory.write.erase.subject import Subject

_DONE = (TaskResultStatus.SUCCESSFUL, TaskResultStatus.FAILED)


@place
class Tasks(Place):
    """A note that holds the words is removed as a whole: it only tells that a task ran."""

    name = "tasks"
    model = DBTaskResult

    def newest(self) -> int:
        # Their keys tell no order, and there are few.
        return 0

    def look(self, subject: Subject, after: int = 0) -> list:
        rows = DBTaskResult.objects.filter(status__in=_DONE)
        return [row.pk for row in rows.iterator(500) if self.holds(subject, row)]

    def loaded(self, subject: Subject, keys) -> list:
        return list(DBTaskResult.objects.filter(pk__in=set(keys)))

    def holds(self, subject: Subject, row: DBTaskResult) -> bool:
        told = json.dumps([row.args_kwargs, row.return_value], ensure_ascii=False, default=str)
        return subject.words.holds(f"{told} {row.traceback}")

    def clean(self, subject: Subject, rows: list) -> int:
        DBTaskResult.objects.filter(pk__in=[row.pk for row in rows]).delete()
        return len(rows)
