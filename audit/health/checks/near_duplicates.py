from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy, ngettext

from audit.health.check import MemoryCheck, Severity, active
from memory.models import Memory, Scope
from memory.write.sameness import open_pairs


class NearDuplicates(MemoryCheck):
    """What the search for duplicates found and nobody has decided on. Small stores always hold a
    few look-alikes, so it is the share that counts."""

    title = gettext_lazy("Near duplicates")
    why = gettext_lazy(
        "Memories that may say the same in other words. Several of them fill an answer's room "
        "with one statement, and when it changes, only one of them is corrected."
    )
    advice = gettext_lazy(
        "Open the possible duplicates in the review queue: merge what says the same and keep "
        "apart what does not."
    )
    severity = Severity.WARNING
    unit = "share"
    # In fifty memories one pair that waits is everyday work; a tenth of the store is a backlog.
    warning_from, error_from = 0.05, None

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        pairs = open_pairs(scope)
        return active(scope).filter(
            Q(public_id__in=pairs.values("first")) | Q(public_id__in=pairs.values("second"))
        )

    def detail(self, scope: Scope) -> dict:
        return {"pairs": open_pairs(scope).count()}

    def notes(self, detail) -> list[str]:
        n = detail["pairs"]
        return [ngettext("%d pair waits", "%d pairs wait", n) % n] if n else []


CHECK = NearDuplicates()
