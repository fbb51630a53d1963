"""Memory held it, and the answer does without."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Memory

from .. import fixes
from ..case import Case
from ..chain import context, model
from ..symptom import Symptom
from ..told import MODEL, Step, cause
from ..words import named

# Of the question's weight: from here on a memory is taken for the answer without being named.
ANSWERS = 0.5


class Unused(Symptom):
    order = 5
    title = gettext_lazy("Had it but did not use it")
    told = gettext_lazy("Memory holds it, and the answer does without.")
    about_memory = gettext_lazy("the memory that should have been used")
    look_next = gettext_lazy(
        "It was handed over and used, as far as its value tells: look at how the agent puts the "
        "context into its prompt."
    )
    icon = "eye"

    def subjects(self, case: Case) -> list[Memory]:
        """The memory that was missed; where none is named, the best that was handed over, if it
        answers the question."""
        if case.expected is not None:
            return [case.expected]
        ranked = [(row, case.ranked(row)) for row in case.then[:1]]
        return [row for row, item in ranked if item and case.carries(item) >= ANSWERS]

    def context(self, case: Case, subjects: Sequence[Memory]) -> Step:
        for check in (context.missing_in_line, context.buried):
            for memory in subjects:
                if found := check(case, memory):
                    return found
        return context.handed(case, subjects)

    def model(self, case: Case, subjects: Sequence[Memory]) -> Step:
        for memory in subjects:
            if case.answer and case.line(memory) and not case.says(memory):
                return _left_out(case, memory)
        return model.used(case, subjects)


def _left_out(case: Case, memory: Memory) -> Step:
    told = _("The context said “%(memory)s”, and the answer does not say “%(value)s”.")
    line = context.told_line(case, case.line(memory))
    return cause(
        MODEL,
        told % {"memory": named(memory), "value": memory.value or memory.text},
        [line, *model.shown(case)],
        [*fixes.question(case, [memory]), fixes.correct(memory)],
    )


SYMPTOM = Unused()
