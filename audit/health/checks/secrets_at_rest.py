from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.texts import Detail, Text, TextCheck
from memory.models import Memory, Scope
from memory.text.screen import SECRET


class SecretsAtRest(TextCheck):
    """Rows of every state: what was retracted still lies in the file. The door refuses what is
    recognised as a secret, so these came past it or before the rule did."""

    title = gettext_lazy("Secrets at rest")
    why = gettext_lazy(
        "A password, key or card number stands in the store: it goes into answers, exports and "
        "backups, and whoever reads one of them has it."
    )
    advice = gettext_lazy(
        "Change the secret where it is used first, then erase the memory: a retraction leaves "
        "its words in the history."
    )
    severity = Severity.ERROR
    labels = {
        "api_key": gettext_lazy("API key"),
        "password": gettext_lazy("password"),
        "token": gettext_lazy("token"),
        "bearer_token": gettext_lazy("bearer token"),
        "private_key": gettext_lazy("private key"),
        "payment_card": gettext_lazy("payment card"),
        "connection_string": gettext_lazy("connection string"),
    }

    def find(self, text: Text) -> Detail | None:
        return text.told(SECRET)

    def among(self, scope: Scope) -> QuerySet[Memory]:
        return Memory.objects.within(scope)


CHECK = SecretsAtRest()
