from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Severity, active
from memory.models import Memory, Scope

LACKS = {
    "user": Q(user_id=""),
    "agent_or_session": Q(agent_id="", session_id=""),
    "occurred_at": Q(occurred_at=None),
    "source": Q(source=""),
    "confidence": Q(confidence=None),
}
LABELS = {
    "user": gettext_lazy("without a user: %d"),
    "agent_or_session": gettext_lazy("with neither agent nor session: %d"),
    "occurred_at": gettext_lazy("without the time it occurred: %d"),
    "source": gettext_lazy("without a source: %d"),
    "confidence": gettext_lazy("without a confidence: %d"),
}


class MissingMetadata(MemoryCheck):
    title = gettext_lazy("Missing metadata")
    why = gettext_lazy(
        "Whose it is, where it came from, when and how sure: without these a memory can be "
        "neither ranked fairly nor traced when it turns out wrong."
    )
    advice = gettext_lazy(
        "Open the rows and fill in what is known; make the agent send these fields with each write."
    )
    severity = Severity.WARNING
    reads_past = True

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        lacking = Q()
        for lack in LACKS.values():
            lacking |= lack
        return active(scope).filter(lacking)

    def detail(self, scope: Scope) -> dict:
        return active(scope).aggregate(
            **{name: Count("id", filter=lack) for name, lack in LACKS.items()}
        )

    def notes(self, detail) -> list[str]:
        return [str(LABELS[name]) % n for name, n in detail.items() if n]


CHECK = MissingMetadata()
