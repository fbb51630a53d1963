from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.recent import StaleServed
from memory.models import Status


class SupersededServed(StaleServed):
    title = gettext_lazy("Superseded but served")
    why = gettext_lazy(
        "An old value was handed to an agent after a newer one had taken its place: the answer "
        "may have been the old one."
    )
    advice = gettext_lazy(
        "Open the rows and the recalls that served them. Run manage.py reindex, and look for a "
        "reader that goes round recall."
    )
    severity = Severity.ERROR
    statuses = frozenset({Status.SUPERSEDED})


CHECK = SupersededServed()
