from datetime import datetime

from django.db.models import Min, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.check import MemoryCheck, Severity, active, shown_time
from memory import clock
from memory.models import Memory, Scope


class ExpiredActive(MemoryCheck):
    title = gettext_lazy("Expired but still active")
    why = gettext_lazy(
        "Their time is over. Recall leaves them out, but pages and exports still show them as "
        "current."
    )
    advice = gettext_lazy(
        "Run manage.py maintain and see that it runs on a schedule; correct the expiry of what "
        "still holds."
    )
    severity = Severity.WARNING
    reads_past = True

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        return active(scope).filter(expires_at__lte=clock.now())

    def detail(self, scope: Scope) -> dict:
        oldest = self.rows(scope).aggregate(oldest=Min("expires_at"))["oldest"]
        return {"oldest": oldest.isoformat() if oldest else None}

    def notes(self, detail) -> list[str]:
        if not detail["oldest"]:
            return []
        since = shown_time(datetime.fromisoformat(detail["oldest"]))
        return [_("the oldest expired at %(time)s") % {"time": since}]


CHECK = ExpiredActive()
