"""The answer quotes something that was true long ago."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.questions.values import holds
from memory.models import Memory, Status

from .. import fixes
from ..case import Case
from ..chain import context, freshness, retrieval
from ..chain.model import figures
from ..rivals import newer
from ..symptom import Symptom
from ..told import CONTEXT, RETRIEVAL, Step, cause
from ..words import named, said_when


class StaleAnswer(Symptom):
    order = 1
    title = gettext_lazy("Stale answer")
    told = gettext_lazy("The answer gives a value of last week as if it were today's.")
    about_memory = gettext_lazy("the outdated memory, or the newer one that was missed")
    look_next = gettext_lazy(
        "What is given is fresh: look at where the agent may have the old value from besides "
        "memory, such as its own prompt, a cache or a tool."
    )
    icon = "clock"
    fresh = (
        freshness.gone,
        freshness.outdated,
        freshness.outlived,
        freshness.waiting,
        freshness.not_applied,
        freshness.unconfirmed,
    )

    def retrieval(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return _newer_not_found(case, subjects) or retrieval.found(case, subjects)

    def context(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return _only_a_turn_says_it(case) or context.handed(case, subjects)


def _newer_not_found(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """The old value is given, and the question does not find the newer one."""
    given = [memory for memory in subjects if case.is_given(memory)]
    for memory, others in newer(case, given).items():
        for row in others:
            place = case.place(row)
            if row.status != Status.ACTIVE or place.gate in retrieval.LATER:
                continue
            told = _("The question finds “%(old)s” and not the later “%(new)s”: %(why)s.")
            says = {
                "old": named(memory),
                "new": named(row),
                "why": retrieval.reason(case, row, place),
            }
            evidence = [fixes.of_memory(memory, said_when(case, memory))]
            return cause(
                RETRIEVAL,
                told % says,
                [*evidence, *retrieval.terms(case, row)],
                [fixes.end(memory), *fixes.advised(case, row)],
            )
    return None


def _only_a_turn_says_it(case: Case) -> Step | None:
    """The answer repeats a line of the dialogue log that no memory stands behind."""
    if not case.answer or case.quoted:
        return None
    memories = {str(memory.public_id) for memory in case.then}
    values = [memory.value for memory in case.all_given if memory.value]
    for line in case.lines:
        if not line.public_id or line.public_id in memories:
            continue
        if said := _repeated(case, line.said, values):
            told = _(
                "The answer's %(said)s comes from what was said in a dialogue, not from memory."
            )
            fewer = fixes.ask_again(case, "no_turns", _("Ask without turns"), turns=0)
            return cause(CONTEXT, told % {"said": said}, [context.told_line(case, line)], [fewer])
    return None


def _repeated(case: Case, said: str, values: Sequence[str]) -> str:
    for figure, _kind in figures(said):
        known = any(holds(value, figure) for value in values)
        if holds(case.answer, figure) and not known and not holds(case.request.query, figure):
            return figure
    return ""


SYMPTOM = StaleAnswer()
