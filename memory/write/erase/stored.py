"""The places of the road in: turns, readings of them, corrections, pairs, reasons."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory.index.turn_rows import put_again
from memory.models import (
    Batch,
    Change,
    Correction,
    CorrectionState,
    DuplicatePair,
    Extraction,
    Memory,
    Turn,
    Vector,
)

from ..ledger import ERASE
from .places import Place, place
from .subject import Subject
from .words import blank


@place
class Turns(Place):
    """Evidence, and the same words wherever else the user said them. The place of evidence is
    blotted out; in a turn that is evidence as a whole, all its words are."""

    name = "turns"
    model = Turn

    def holds(self, subject: Subject, row: Turn) -> bool:
        content, metadata = self._blotted(subject, row)
        return content != row.content or metadata != row.metadata

    def clean(self, subject: Subject, rows: list[Turn]) -> int:
        for row in rows:
            row.content, row.metadata = self._blotted(subject, row)
            row.erased_at = subject.at
        Turn.everywhere.bulk_update(rows, ["content", "metadata", "erased_at"], batch_size=100)
        put_again(rows)
        return len(rows)

    def _blotted(self, subject: Subject, row: Turn) -> tuple[str, Any]:
        spans = subject.spans.get(row.public_id)
        text = row.content
        for start, end in spans or ():
            text = text[:start] + blank(text[start:end]) + text[end:]
        whole = spans is not None and not spans
        words = subject.words
        return words.blotted(text, own=whole), words.blotted_json(
            row.metadata, own=spans is not None
        )


@place
class Extractions(Place):
    """What was said of every memory to be read from a turn, and why."""

    name = "extractions"
    model = Extraction

    def rows(self, subject: Subject):
        turns = subject.own(Turn).values("pk")
        return Extraction.objects.filter(turn__in=turns).select_related("turn")

    def holds(self, subject: Subject, row: Extraction) -> bool:
        return self._blotted(subject, row) != (row.fields, row.reason, row.note)

    def clean(self, subject: Subject, rows: list[Extraction]) -> int:
        for row in rows:
            row.fields, row.reason, row.note = self._blotted(subject, row)
        Extraction.objects.bulk_update(rows, ["fields", "reason", "note"], batch_size=100)
        return len(rows)

    def _blotted(self, subject: Subject, row: Extraction) -> tuple[Any, str, str]:
        own, words = row.turn.public_id in subject.spans, subject.words
        return (
            words.blotted_json(row.fields, own=own),
            words.blotted(row.reason, own=own),
            words.blotted(row.note, own=own),
        )


@place
class Corrections(Place):
    """A correction of nothing but what is erased loses all its words, for it may tell the value
    in any; of another one the words that are known go."""

    name = "corrections"
    model = Correction

    def holds(self, subject: Subject, row: Correction) -> bool:
        return bool(self._named(row) & self._ids(subject)) or any(
            subject.words.blotted_json(getattr(row, name)) != getattr(row, name)
            for name in self._TEXTS
        )

    def clean(self, subject: Subject, rows: list[Correction]) -> int:
        ids = self._ids(subject)
        for row in rows:
            named = self._named(row)
            mine, only = bool(named & ids), bool(named) and named <= ids
            for name in self._TEXTS:
                value = subject.words.blotted_json(getattr(row, name), own=mine)
                setattr(row, name, blank(value) if only and isinstance(value, str) else value)
            if mine:
                self._emptied(row, ids, subject)
        fields = [*self._TEXTS, "state", "closed_at", "closed_by"]
        Correction.everywhere.bulk_update(rows, fields, batch_size=100)
        return len(rows)

    _TEXTS = ("text", "message", "change", "targets", "candidates")

    def _emptied(self, row: Correction, ids: set[str], subject: Subject) -> None:
        row.change = {}
        for entry in [*row.targets, *row.candidates]:
            if _hex(entry["id"]) in ids:
                entry["set"] = {}
        if row.state == CorrectionState.OPEN:
            row.state, row.closed_at = CorrectionState.DISMISSED, subject.at
            row.closed_by = subject.scope.actor

    def _named(self, row: Correction) -> set[str]:
        return {_hex(entry["id"]) for entry in [*row.targets, *row.candidates]}

    def _ids(self, subject: Subject) -> set[str]:
        return {one.hex for one in subject.ids}


@place
class Pairs(Place):
    """Possible duplicates of it: there is nothing left to compare."""

    name = "duplicate_pairs"
    model = DuplicatePair

    def rows(self, subject: Subject):
        rows = DuplicatePair.everywhere.filter(workspace_id=subject.scope.workspace_id)
        return rows.filter(first__in=subject.ids) | rows.filter(second__in=subject.ids)

    def holds(self, subject: Subject, row: DuplicatePair) -> bool:
        return True

    def clean(self, subject: Subject, rows: list[DuplicatePair]) -> int:
        DuplicatePair.everywhere.filter(pk__in=[row.pk for row in rows]).delete()
        return len(rows)


@place
class Reasons(Place):
    """Why it was changed. Of a batch that changed nothing else every reason goes, for it is said
    of the memory in anybody's words; of another batch the one that holds its words."""

    name = "reasons"
    model = Batch

    def rows(self, subject: Subject):
        rows = Batch.everywhere.filter(workspace_id=subject.scope.workspace_id)
        return rows.exclude(reason="")

    def look(self, subject: Subject, after: int = 0) -> list[int]:
        own = set(self._own(subject))
        mixed = set(
            Change.objects.filter(batch__in=own)
            .exclude(memory_id__in=subject.ids)
            .values_list("batch_id", flat=True)
        )
        # Its own batch says why it was erased, without the words.
        own -= set(Batch.everywhere.filter(pk__in=own, verb=ERASE).values_list("pk", flat=True))
        rows = self.rows(subject).filter(pk__gt=after).values_list("pk", "reason")
        return [
            pk
            for pk, reason in rows.iterator(5000)
            if (pk in own and pk not in mixed) or subject.words.holds(reason, own=pk in own)
        ]

    def clean(self, subject: Subject, rows: list[Batch]) -> int:
        Batch.everywhere.filter(pk__in=[row.pk for row in rows]).update(reason="")
        return len(rows)

    def foreign(self, subject: Subject, rows: list[Batch]) -> list[Batch]:
        """Those of these batches that changed no row of what is erased."""
        own = set(self._own(subject))
        return [row for row in rows if row.pk not in own]

    def _own(self, subject: Subject):
        changes = Change.objects.filter(memory_id__in=subject.ids)
        return changes.order_by().values_list("batch_id", flat=True)


def _hex(public_id: str) -> str:
    return public_id.replace("-", "")


def payloads_of(memory_ids: list[UUID]) -> QuerySet[Change]:
    """The ledger's entries that still hold what these memories said."""
    return Change.objects.filter(memory_id__in=memory_ids, payload__isnull=False)


def vectors_of(memories: Sequence[Memory]) -> QuerySet[Vector]:
    return Vector.objects.filter(memory__in=[memory.pk for memory in memories])
