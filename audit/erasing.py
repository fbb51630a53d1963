"""What the people's side keeps of an erased memory: findings, what was put off, questions."""

from audit.models import Finding, Question, QuestionResult, ReviewMark
from memory.write.erase.places import Place, place
from memory.write.erase.subject import Subject


class _OfIt(Place):
    """Rows that are about the memory itself go as a whole, with what was said about them."""

    key = ""

    def rows(self, subject: Subject):
        rows = self.model._default_manager.filter(workspace_id=subject.scope.workspace_id)
        return rows.filter(**{f"{self.key}__in": subject.ids})

    def holds(self, subject: Subject, row) -> bool:
        return True

    def clean(self, subject: Subject, rows: list) -> int:
        self.rows(subject).filter(pk__in=[row.pk for row in rows]).delete()
        return len(rows)


@place
class Findings(_OfIt):
    name, model, key = "findings", Finding, "memory_id"


@place
class PutOff(_OfIt):
    name, model, key = "put_off", ReviewMark, "item_id"


@place
class Questions(Place):
    """Acceptance questions that say the words: these are blotted out, and so are its results."""

    name = "questions"
    model = Question
    _TEXTS = ("text", "now_said", "note", "expected", "forbidden")

    def holds(self, subject: Subject, row: Question) -> bool:
        return self._blotted(subject, row) != {name: getattr(row, name) for name in self._TEXTS}

    def clean(self, subject: Subject, rows: list[Question]) -> int:
        for row in rows:
            for name, value in self._blotted(subject, row).items():
                setattr(row, name, value)
        self.rows(subject).bulk_update(rows, self._TEXTS, batch_size=100)
        results = list(QuestionResult.objects.filter(question__in=[row.pk for row in rows]))
        for result in results:
            result.missing = subject.words.blotted_json(result.missing)
            result.present = subject.words.blotted_json(result.present)
        QuestionResult.objects.bulk_update(results, ["missing", "present"], batch_size=200)
        return len(rows)

    def _blotted(self, subject: Subject, row: Question) -> dict:
        return {name: subject.words.blotted_json(getattr(row, name)) for name in self._TEXTS}
