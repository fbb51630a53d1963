from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Severity, active
from audit.health.ruled import where
from memory import clock
from memory.models import Memory, Scope, Status, policies_of
from memory.write.planner import WAITING

LABELS = {
    "same_agent": gettext_lazy("with another value beside it: %d"),
    "agents": gettext_lazy("with another value only under another agent: %d"),
    "waiting": gettext_lazy("waiting, and speak against a current value: %d"),
}


class ConflictingActives(MemoryCheck):
    """Two current values of a thing that by its policy has one: written before the policy was,
    or by agents of which each keeps its own. And what waits because it speaks against a current
    value of a more trusted source."""

    title = gettext_lazy("Conflicting values")
    why = gettext_lazy(
        "Of one thing two values are current at once: an agent is given both, and answers now "
        "this, now that."
    )
    advice = gettext_lazy(
        "Open the rows and retract or correct the value that no longer holds; decide in the "
        "review queue on what waits. Let agents that share a user write without an agent's name."
    )
    severity = Severity.WARNING
    reads_past = True

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        return Memory.objects.within(scope).filter(
            Q(pk__in=_beside(scope).values("pk")) | Q(pk__in=_waiting(scope).values("pk"))
        )

    def counted(self, scope: Scope) -> tuple[int, dict]:
        beside, waiting = _beside(scope).count(), _waiting(scope).count()
        # Of a sound store the second look is saved.
        of_one = _beside(scope, agent_id=OuterRef("agent_id")).count() if beside else 0
        found = {"same_agent": of_one, "agents": beside - of_one, "waiting": waiting}
        return beside + waiting, found

    def notes(self, detail) -> list[str]:
        return [str(LABELS[name]) % n for name, n in detail.items() if n]


def _beside(scope: Scope, **same) -> QuerySet[Memory]:
    """Current values beside which another one of the same key is current."""
    single = where(policies_of(scope.workspace_id), lambda policy: policy.single_valued)
    still = Q(expires_at__isnull=True) | Q(expires_at__gt=clock.now())
    keyed = active(scope).filter(single, still).exclude(value_key="")
    keyed = keyed.exclude(entity_key="").exclude(attribute_key="")
    others = keyed.filter(
        user_id=OuterRef("user_id"),
        entity_key=OuterRef("entity_key"),
        attribute_key=OuterRef("attribute_key"),
        **same,
    )
    return keyed.filter(Exists(others.exclude(value_key=OuterRef("value_key"))))


def _waiting(scope: Scope) -> QuerySet[Memory]:
    rows = Memory.objects.within(scope)
    current = rows.filter(public_id=OuterRef("conflicts_with"), status=Status.ACTIVE)
    return rows.filter(Exists(current), status__in=WAITING, conflicts_with__isnull=False)


CHECK = ConflictingActives()
