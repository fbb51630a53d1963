from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Length, Substr
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Severity, active
from memory.models import Memory, Scope

BLOT = "█"
LABELS = {
    "lost": gettext_lazy("the turn is not there: %d"),
    "outside": gettext_lazy("the place lies outside the turn: %d"),
    "moved": gettext_lazy("the quote does not stand at its place: %d"),
}


class OrphanEvidence(MemoryCheck):
    """A quote with masked data differs from its turn on purpose: of it only the place is looked
    at. What an erasure blotted out is no orphan."""

    title = gettext_lazy("Orphan evidence")
    why = gettext_lazy(
        "A memory quotes words that do not stand where it says: nobody can check any more what "
        "was really said."
    )
    advice = gettext_lazy(
        "Open the rows and look into the dialogue for what was said. Retract what nothing "
        "supports; find out who wrote to the tables past the engine."
    )
    severity = Severity.WARNING

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        kinds = _kinds()
        return _quoting(scope).filter(kinds["lost"] | kinds["outside"] | kinds["moved"])

    def counted(self, scope: Scope) -> tuple[int, dict]:
        kinds = _kinds()
        first = Case(*(When(condition, then=Value(name)) for name, condition in kinds.items()))
        found = _quoting(scope).annotate(what=first).exclude(what=None).order_by()
        by = dict(found.values_list("what").annotate(n=Count("id")))
        return sum(by.values()), {name: by.get(name, 0) for name in kinds}

    def notes(self, detail) -> list[str]:
        return [str(LABELS[name]) % n for name, n in detail.items() if n]


def _quoting(scope: Scope) -> QuerySet[Memory]:
    length = F("evidence_end") - F("evidence_start")
    return (
        active(scope)
        .exclude(quote="", turn=None)
        .annotate(
            span=Substr("turn__content", F("evidence_start") + 1, length),
            said=Length("turn__content"),
        )
    )


def _kinds() -> dict[str, Q]:
    quoted = ~Q(quote="")
    return {
        "lost": Q(turn__isnull=False, turn__id__isnull=True) | (quoted & Q(turn__isnull=True)),
        "outside": Q(evidence_end__gt=F("said")),
        "moved": quoted
        & Q(evidence_start__isnull=False, said__isnull=False)
        & ~Q(quote__contains="*")
        & ~Q(span__contains=BLOT)
        & ~Q(quote=F("span")),
    }


CHECK = OrphanEvidence()
