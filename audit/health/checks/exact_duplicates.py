from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext_lazy, ngettext

from audit.health.check import MemoryCheck, Severity, active
from memory.models import Memory, Scope


class ExactDuplicates(MemoryCheck):
    title = gettext_lazy("Exact duplicates")
    why = gettext_lazy(
        "The same statement several times over takes the place of others in what an agent is given."
    )
    advice = gettext_lazy("Open the rows, keep the best sourced one of each and retract the rest.")
    severity = Severity.WARNING
    reads_past = True

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        same = active(scope).filter(
            user_id=OuterRef("user_id"), fingerprint=OuterRef("fingerprint")
        )
        return active(scope).filter(Exists(same.exclude(pk=OuterRef("pk"))))

    def detail(self, scope: Scope) -> dict:
        statements = self.rows(scope).values("user_id", "fingerprint").distinct().count()
        return {"statements": statements}

    def notes(self, detail) -> list[str]:
        n = detail["statements"]
        if not n:
            return []
        return [ngettext("%d statement is repeated", "%d statements are repeated", n) % n]


CHECK = ExactDuplicates()
