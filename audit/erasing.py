"""What the people's side keeps of an erased memory: findings, what was put off, questions, and
views of lists that look for its words."""

from django.http import QueryDict

from audit.models import Finding, Question, QuestionResult, ReviewMark, SavedView
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


@place
class SavedViews(Place):
    """Views whose query or name says the words: the filter that does is dropped, the name is
    blotted out. They belong to people, not to users, so all of the workspace are looked at."""

    name = "saved_views"
    model = SavedView

    def rows(self, subject: Subject):
        return SavedView.objects.filter(workspace_id=subject.scope.workspace_id)

    def holds(self, subject: Subject, row: SavedView) -> bool:
        return self._cleared(subject, row) != (row.query, row.name)

    def clean(self, subject: Subject, rows: list[SavedView]) -> int:
        for row in rows:
            row.query, row.name = self._cleared(subject, row)
        self.rows(subject).bulk_update(rows, ["query", "name"], batch_size=100)
        return len(rows)

    def _cleared(self, subject: Subject, row: SavedView) -> tuple[str, str]:
        holds, query = subject.words.holds, row.query
        kept, said = QueryDict(mutable=True), QueryDict(query)
        for name, values in said.lists():
            kept.setlist(name, [value for value in values if not holds(value)])
        if kept != said:
            query = kept.urlencode()
        name = subject.words.blotted(row.name)
        # Two blotted names may be alike, and a name is there once.
        return query, name if name == row.name else f"{name[:60]} {row.pk}"
