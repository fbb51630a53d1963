from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Severity, active
from audit.health.ruled import by_policy
from memory.models import Memory, Scope, policies_of


class LowConfidence(MemoryCheck):
    """Below the confidence that its policy needs, 0.5 unless the policy says otherwise: what was
    written before the policy, or lowered since."""

    title = gettext_lazy("Low confidence")
    why = gettext_lazy(
        "Memories that nobody is sure of are current like any other: a guess may be told as a fact."
    )
    advice = gettext_lazy(
        "Open the rows: confirm what is known to be true, retract or hold the rest. See that "
        "agents send with each inference how sure they are."
    )
    severity = Severity.WARNING
    reads_past = True
    unit = "share"
    # A guess in ten is what inference gives; more says that guesses are the rule.
    warning_from, error_from = 0.1, 0.5

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        needed = by_policy(policies_of(scope.workspace_id), lambda policy: policy.threshold)
        below = Q(pk__in=())
        for threshold, ruled in needed.items():
            below |= ruled & Q(confidence__lt=threshold)
        return active(scope).filter(below)


CHECK = LowConfidence()
