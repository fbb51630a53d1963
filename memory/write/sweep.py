"""Moving on what has run out of time."""

from django.db.models import F, Manager, QuerySet

from memory import clock
from memory.models import Memory, Scope, Status, Workspace

from . import queue
from .apply import apply
from .revise import plan_expire

SWEEP = 500


def is_due() -> bool:
    """Whether any active memory's time is over."""
    return _over(Memory.everywhere).exists()


def expire_due() -> int:
    """Expire the active memories whose time is over, in batches of `SWEEP`; how many.

    Recall never serves them anyway: its expiry filter does not wait for this.
    """
    done = 0
    for workspace in Workspace.objects.all():
        scope = Scope(workspace.pk, "maintenance", "command")
        while True:
            with queue.turn():
                due = list(_over(Memory.objects.within(scope)).order_by(F("expires_at"))[:SWEEP])
                if not due:
                    break
                apply(plan_expire(scope, due).plan("expire", "its time is over"))
            done += len(due)
    return done


def _over(rows: Manager[Memory] | QuerySet[Memory]) -> QuerySet[Memory]:
    return rows.filter(status=Status.ACTIVE, expires_at__lte=clock.now())
