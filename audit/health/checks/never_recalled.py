from datetime import timedelta

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Severity, active
from memory import clock
from memory.models import Memory, RecallCandidate, Scope

DAYS = 30


class NeverRecalled(MemoryCheck):
    """Older than `DAYS` days and in no recall of the log among what was served."""

    title = gettext_lazy("Never recalled")
    why = gettext_lazy(
        "Kept for a month and never of use to any answer: chatter that should not be here, or "
        "something that its users cannot find."
    )
    advice = gettext_lazy(
        "Look through the rows. Retract what nobody will ask for; for what should have been found "
        "ask why not on the recall page."
    )
    severity = Severity.WARNING
    reads_past = True
    unit = "share"
    # Most stores are asked about a part of what they hold; from nine tenths on they are kept for
    # nobody.
    warning_from, error_from = 0.9, None

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        given = RecallCandidate.objects.filter(memory_id=OuterRef("public_id"), rank__isnull=False)
        old = active(scope).filter(created_at__lte=clock.now() - timedelta(days=DAYS))
        return old.filter(~Exists(given))


CHECK = NeverRecalled()
