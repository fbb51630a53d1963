from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.ruled import where
from audit.health.texts import Detail, ScreenCheck, Text
from memory.models import Memory, PersonalData, Scope, policies_of
from memory.text.screen import PERSONAL


class PersonalDataAtRest(ScreenCheck):
    """Current rows; not those of kinds and domains whose policy keeps personal data."""

    title = gettext_lazy("Personal data at rest")
    why = gettext_lazy(
        "A phone number, an identity card or the like stands in a memory although the policy of "
        "its kind does not say that such data is kept."
    )
    advice = gettext_lazy(
        "Open the rows: hold them for a decision, correct them without the number, or erase them. "
        "Where such data is needed, let the policy of that kind and domain say that it is kept."
    )
    severity = Severity.WARNING
    labels = {
        "email": gettext_lazy("e-mail address"),
        "phone": gettext_lazy("phone number"),
        "bank_card": gettext_lazy("bank card"),
        "id_card": gettext_lazy("identity card"),
        "passport": gettext_lazy("passport"),
        "social_security": gettext_lazy("social security number"),
    }

    def find(self, text: Text) -> Detail | None:
        return text.told(PERSONAL)

    def among(self, scope: Scope) -> QuerySet[Memory]:
        keeps = where(
            policies_of(scope.workspace_id),
            lambda policy: policy.personal_data == PersonalData.KEEP,
        )
        return super().among(scope).exclude(keeps)


CHECK = PersonalDataAtRest()
