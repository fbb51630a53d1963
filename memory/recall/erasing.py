"""What recall records hold of an erased memory: its words go, the record is sealed anew.

Of a recall that found the memory the question's own words for it go too, and where it was given,
all that the agent sent, answered and heard about it: that may tell the fact in any words.
"""

from memory.models import Recall, RecallCandidate, RecallFeedback
from memory.text.normalise import key
from memory.text.terms import analyse, query_terms
from memory.write.erase.places import Place, before_looking, place
from memory.write.erase.subject import Subject
from memory.write.erase.words import blank

from .assemble import BLOCKS
from .recorder import recorder
from .sealed import digest_of, fields_of, head_of, leaves_of

_TEXTS = ("query", "query_used", "context", "prompt", "answer")
_SAID = ("terms", "moves", "filters")
_OF_A_MOVE = ("before", "after", "because")
_LINE = "- ["


@place
class Recalls(Place):
    name = "recalls"
    model = Recall

    def look(self, subject: Subject, after: int = 0) -> list[int]:
        tied = self._tied(subject)
        return sorted({pk for pk in tied if pk > after} | set(super().look(subject, after)))

    def holds(self, subject: Subject, row: Recall) -> bool:
        words = subject.words
        return any(words.holds(getattr(row, name)) for name in _TEXTS) or any(
            words.blotted_json(getattr(row, name)) != getattr(row, name) for name in _SAID
        )

    def clean(self, subject: Subject, rows: list[Recall]) -> int:
        tied, given = self._tied(subject), self._given(subject)
        asked = _Asked(subject)
        for row in rows:
            _blot(row, subject, asked, own=row.pk in tied)
            if row.pk in given:
                row.prompt, row.answer = blank(row.prompt), blank(row.answer)
            row.erased_at = subject.at
        subject.own(Recall).bulk_update(rows, [*_TEXTS, *_SAID, "erased_at"], batch_size=100)
        self._clean_candidates(subject, [row.pk for row in rows], asked)
        for row in rows:
            seal(row)
        return len(rows)

    def _clean_candidates(self, subject: Subject, keys: list[int], asked: "_Asked") -> None:
        found = RecallCandidate.objects.filter(recall__in=keys)
        found.filter(memory_id__in=subject.ids).update(matched=[], reason="")
        moved, words = [], subject.words
        for row in found.iterator(1000):
            was = (row.matched, row.reason, row.parts)
            row.matched = [pair for pair in row.matched if asked.left(pair[:1])]
            row.reason = words.blotted(row.reason, own=True)
            row.parts = words.blotted_json(row.parts, own=True)
            if (row.matched, row.reason, row.parts) != was:
                moved.append(row)
        RecallCandidate.objects.bulk_update(moved, ["matched", "reason", "parts"], batch_size=200)

    def _tied(self, subject: Subject) -> set[int]:
        """Those that found the memory, or a turn that is evidence of it."""
        found = RecallCandidate.objects.filter(memory_id__in=subject.ids) | (
            RecallCandidate.objects.filter(turn_id__in=list(subject.spans))
        )
        own = subject.own(Recall).filter(pk__in=found.order_by().values("recall_id"))
        return set(own.values_list("pk", flat=True))

    def _given(self, subject: Subject) -> set[int]:
        found = RecallCandidate.objects.filter(memory_id__in=subject.ids, rank__isnull=False)
        return set(found.order_by().values_list("recall_id", flat=True))


@place
class Feedback(Place):
    """What was said of an answer that the memory was given for."""

    name = "feedback"
    model = RecallFeedback

    def rows(self, subject: Subject):
        rows = RecallFeedback.objects.filter(recall__in=subject.own(Recall).values("pk"))
        return rows.exclude(text="")

    def look(self, subject: Subject, after: int = 0) -> list[int]:
        tied = self._tied(subject)
        rows = self.rows(subject).filter(pk__gt=after).order_by("pk")
        return [
            row.pk
            for row in rows.iterator(1000)
            if row.recall_id in tied or subject.words.holds(row.text)
        ]

    def clean(self, subject: Subject, rows: list[RecallFeedback]) -> int:
        tied = self._tied(subject)
        for row in rows:
            row.text = blank(row.text) if row.recall_id in tied else subject.words.blotted(row.text)
        RecallFeedback.objects.bulk_update(rows, ["text"], batch_size=100)
        recalls = [row.recall_id for row in rows]
        subject.own(Recall).filter(pk__in=recalls).update(erased_at=subject.at)
        return len(rows)

    def _tied(self, subject: Subject) -> set[int]:
        found = RecallCandidate.objects.filter(memory_id__in=subject.ids)
        return set(found.order_by().values_list("recall_id", flat=True))


def seal(record: Recall) -> None:
    """Give a stored record the digest of what it says now."""
    record.digest = digest_of(head_of(record), leaves_of(record, fields_of(record)))
    record.save(update_fields=["digest"])


class _Asked:
    """The words by which a question finds the memory: terms that it has and the question too. What
    names its entity and attribute is not told by it alone, and stays."""

    def __init__(self, subject: Subject):
        rows = subject.all_rows
        texts = [text for row in rows for text in (row.text, row.value, row.summary)]
        names = [text for row in rows for text in (row.entity, row.attribute)]
        self._said = " ".join(map(key, texts))
        self._terms = {term.text for text in texts for term in analyse(text)}
        self._names = {term.text for text in names for term in analyse(text)}
        self._named = " ".join(map(key, names))

    def blotted(self, question: str) -> str:
        chars = list(question)
        for term in query_terms(question).terms:
            if self._finds(term.text, key(question[term.start : term.end])):
                chars[term.start : term.end] = blank(question[term.start : term.end])
        return "".join(chars)

    def left(self, terms: list) -> list:
        """The terms of a record without those."""
        return [term for term in terms if not self._finds(str(term), key(str(term)))]

    def _finds(self, term: str, typed: str) -> bool:
        if term in self._names or typed in self._named or len(typed) < 2:
            return False
        return term in self._terms or typed in self._said


def _blot(row: Recall, subject: Subject, asked: _Asked, *, own: bool) -> None:
    words = subject.words
    for name in _TEXTS:
        setattr(row, name, words.blotted(getattr(row, name), own=own))
    for name in _SAID:
        setattr(row, name, words.blotted_json(getattr(row, name), own=own))
    row.query, row.query_used = asked.blotted(row.query), asked.blotted(row.query_used)
    row.terms["used"] = asked.left(row.terms.get("used", []))
    row.moves = [
        {
            name: asked.blotted(value) if name in _OF_A_MOVE else value
            for name, value in move.items()
        }
        for move in row.moves
    ]
    row.context = _without_lines(row, {str(one) for one in (*subject.ids, *subject.spans)})


def _without_lines(row: Recall, gone: set[str]) -> str:
    """The context without what these memories and turns said, which a line may have shortened."""
    shown = [one for name, ids in row.blocks.items() if name in BLOCKS for one in ids]
    lines = row.context.split("\n")
    places = [n for n, line in enumerate(lines) if line.startswith(_LINE)]
    if len(places) == len(shown):
        for place, public_id in zip(places, shown, strict=True):
            if public_id in gone:
                lines[place] = lines[place][:2] + blank(lines[place][2:])
    return "\n".join(lines)


before_looking(recorder.settle)
