"""Images of an erased memory, or that are said to show its words: they go, with their files."""

from django.db import transaction
from django.db.models import Q

from memory import clock
from memory.models import Image

from ..images import forget_unused
from .places import Place, place
from .subject import Subject

_TEXTS = ("caption", "transcript", "name")


@place
class Images(Place):
    """What an image shows cannot be blotted out of it. A row without any words is left, so that
    its other memories can tell that there was one."""

    name = "images"
    model = Image

    def rows(self, subject: Subject):
        return super().rows(subject).filter(removed_at__isnull=True)

    def look(self, subject: Subject, after: int = 0) -> list[int]:
        named = {str(row.metadata.get("image", "")) for row in subject.all_rows}
        mine = Q(public_id__in=[name for name in named if _is_id(name)])
        rows = self.rows(subject).filter(pk__gt=after).order_by("pk")
        return [
            row.pk
            for row in rows.filter(mine | ~Q(caption="", transcript="", name="")).iterator(500)
            if str(row.public_id) in named or self.holds(subject, row)
        ]

    def holds(self, subject: Subject, row: Image) -> bool:
        return any(subject.words.holds(getattr(row, name)) for name in _TEXTS)

    def clean(self, subject: Subject, rows: list[Image]) -> int:
        for row in rows:
            gone = row.sha256
            for name in (*_TEXTS, "sha256"):
                setattr(row, name, "")
            row.removed_at = subject.at or clock.now()
            row.save(update_fields=[*_TEXTS, "sha256", "removed_at"])
            transaction.on_commit(lambda gone=gone: forget_unused(gone))
        return len(rows)


def _is_id(name: str) -> bool:
    return len(name) == 36 and name.count("-") == 4
