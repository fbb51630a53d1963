"""Kept answers that tell an erased memory: the answer goes, the note that it was given stays, so
that a late repetition does not write the memory again."""

from memory.models import GivenAnswer

from ..answers import ERASED
from .places import Place, place
from .subject import Subject


@place
class Answers(Place):
    name = "answers"
    model = GivenAnswer

    def rows(self, subject: Subject):
        return GivenAnswer.objects.filter(key__workspace_id=subject.scope.workspace_id)

    def holds(self, subject: Subject, row: GivenAnswer) -> bool:
        if any(str(memory_id) in row.body for memory_id in subject.ids):
            return True
        return subject.words.holds(row.body)

    def clean(self, subject: Subject, rows: list[GivenAnswer]) -> int:
        for row in rows:
            row.status, row.headers, row.body = ERASED, {}, ""
        GivenAnswer.objects.bulk_update(rows, ["status", "headers", "body"], batch_size=200)
        return len(rows)
