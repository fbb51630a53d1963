from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.recent import StaleServed
from memory.models import Status


class ExpiredServed(StaleServed):
    """An active memory whose time was over when it was served counts as well."""

    title = gettext_lazy("Expired but served")
    why = gettext_lazy(
        "What was only good for a time, such as yesterday's stock, was handed to an agent as if "
        "it still held."
    )
    advice = gettext_lazy(
        "Open the rows. Check that the clocks of the servers agree and that upkeep runs, and look "
        "for a reader that goes round recall."
    )
    severity = Severity.ERROR
    statuses = frozenset({Status.EXPIRED, Status.ACTIVE})


CHECK = ExpiredServed()
