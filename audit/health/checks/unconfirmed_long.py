from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Severity, active, shown_time
from audit.health.ruled import by_policy
from memory import clock
from memory.models import Kind, Memory, Policy, Scope, policies_of

# After a month without confirmation a memory is for reference only and recall says so; nobody
# need look at it earlier.
DAYS = 30
# Then a quarter of its freshness is left: a preference after 60 days, a fact after 180, a rule
# after two years.
HALF_LIVES = 2


class UnconfirmedLong(MemoryCheck):
    """Events are left out: what happened needs no confirming."""

    title = gettext_lazy("Unconfirmed for long")
    why = gettext_lazy(
        "Nobody has said them again for two of their half-lives. Prices, people and plans change "
        "without a word to the agent, and these are still told as current."
    )
    advice = gettext_lazy(
        "Open the rows: confirm what still holds and retract the rest, or give their kind a hard "
        "limit in its policy. Have the agent ask the user now and then."
    )
    severity = Severity.WARNING
    reads_past = True
    unit = "share"
    # In a store that is used some age; from a fifth on nobody looks after it.
    warning_from, error_from = 0.2, None

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        now, late = clock.now(), Q(pk__in=())
        for span, ruled in by_policy(policies_of(scope.workspace_id), _span).items():
            late |= ruled & Q(last_confirmed__lte=now - span)
        return _dated(scope).filter(late)

    def counted(self, scope: Scope) -> tuple[int, dict]:
        found = self.rows(scope).aggregate(n=Count("id"), oldest=Min("last_confirmed"))
        oldest = found["oldest"]
        return found["n"], {"oldest": oldest.isoformat() if oldest else None}

    def notes(self, detail) -> list[str]:
        if not detail["oldest"]:
            return []
        since = shown_time(datetime.fromisoformat(detail["oldest"]))
        return [_("the oldest was last confirmed at %(time)s") % {"time": since}]


def _dated(scope: Scope) -> QuerySet[Memory]:
    rows = active(scope).exclude(kind=Kind.EVENT)
    return rows.annotate(last_confirmed=Coalesce("confirmed_at", "created_at"))


def _span(policy: Policy) -> timedelta:
    return max(timedelta(days=DAYS), HALF_LIVES * timedelta(hours=policy.half_life_hours))


CHECK = UnconfirmedLong()
