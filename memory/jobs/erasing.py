"""What the notes of finished tasks and the jobs hold of an erased memory."""

import json
from typing import Any

from django_tasks.base import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from memory.models import Job, JobRow
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


class _Told(Place):
    """Rows that say the words: these are blotted out."""

    texts: tuple[str, ...] = ()

    def holds(self, subject: Subject, row) -> bool:
        return any(getattr(row, name) != value for name, value in self._blotted(subject, row))

    def clean(self, subject: Subject, rows: list) -> int:
        for row in rows:
            for name, value in self._blotted(subject, row):
                setattr(row, name, value)
        self.rows(subject).bulk_update(rows, self.texts, batch_size=200)
        return len(rows)

    def own(self, subject: Subject, row) -> bool:
        """Whether the row is about the memory itself."""
        return False

    def _blotted(self, subject: Subject, row) -> list[tuple[str, Any]]:
        words, own = subject.words, self.own(subject, row)
        return [(name, words.blotted_json(getattr(row, name), own=own)) for name in self.texts]


@place
class Jobs(_Told):
    name, model = "jobs", Job
    texts = ("reason", "params", "result", "error")


@place
class JobRows(_Told):
    """What was told of single rows; one that became the memory is its own, as it came."""

    name, model = "job_rows", JobRow
    texts = ("message", "raw")

    def rows(self, subject: Subject):
        return JobRow.objects.filter(job__in=subject.own(Job).values("pk"))

    def own(self, subject: Subject, row: JobRow) -> bool:
        return row.memory_id in subject.ids
