from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.texts import Detail, ScreenCheck, Text
from memory.text.screen import INSTRUCTION


class PlantedInstructions(ScreenCheck):
    title = gettext_lazy("Planted instructions")
    why = gettext_lazy(
        "A memory reads like an order to the agent, such as to ignore its rules. Whoever wrote it "
        "speaks to the agent in every answer that it is recalled for."
    )
    advice = gettext_lazy(
        "Hold the rows at once, see in their history who wrote them, and retract them."
    )
    severity = Severity.ERROR
    labels = {"planted_instruction": gettext_lazy("instruction")}

    def find(self, text: Text) -> Detail | None:
        return text.told(INSTRUCTION)


CHECK = PlantedInstructions()
