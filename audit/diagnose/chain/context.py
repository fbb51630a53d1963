"""Was it handed to the model, and how? Room, place, labels, and whether its line says it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from memory.models import Memory

from .. import fixes
from ..case import Case, Line, speaks
from ..told import CONTEXT, Evidence, Step, cause, fine, unknown
from ..words import named

# Liu et al., "Lost in the Middle" (2023): what stands in the middle of a long context is read
# worst. Shorter ones than this have no middle to be lost in.
LONG, EDGE = 8, 3


def handed(case: Case, subjects: Sequence[Memory]) -> Step:
    """Whether the subjects stood in the context, where and with which labels."""
    for memory in subjects:
        place = case.place(memory)
        if place.gate == "budget":
            told = _("“%(memory)s” did not fit: the context has room for %(tokens)s tokens.") % {
                "memory": named(memory),
                "tokens": case.request.budget_tokens,
            }
            return cause(CONTEXT, told, [fixes.of_memory(memory, "")], fixes.advised(case, memory))
    if not case.lines:
        return unknown(CONTEXT, _("The model was handed no memory."), _record(case))
    found = [line for memory in subjects if (line := case.line(memory))]
    if not found:
        told = _("What this is about was not in the context; %(n)s other lines were.")
        return fine(CONTEXT, told % {"n": len(case.lines)}, _record(case))
    shown = [told_line(case, line) for line in found]
    told = _("It was handed over, labelled, in a context of %(n)s lines.")
    return fine(CONTEXT, told % {"n": len(case.lines)}, [*shown, *_record(case)])


def missing_in_line(case: Case, memory: Memory) -> Step | None:
    """Its line is a summary or one sentence that leaves its value out."""
    line = case.line(memory)
    if line is None or not memory.value or speaks(line.said, memory.value):
        return None
    told = _("The line of “%(memory)s” leaves out its value, “%(value)s”.")
    return cause(
        CONTEXT,
        told % {"memory": named(memory), "value": memory.value},
        [told_line(case, line), fixes.of_memory(memory, "")],
        [fixes.correct(memory)],
    )


def buried(case: Case, memory: Memory) -> Step | None:
    """Its line stands in the middle of a long context and the answer does not say it."""
    line = case.line(memory)
    if line is None or not case.answer or case.says(memory):
        return None
    total = len(case.lines)
    if total < LONG or line.place <= EDGE or line.place > total - EDGE:
        return None
    told = _("“%(memory)s” stood in the middle of the context, at line %(place)s of %(n)s.")
    fewer = fixes.ask_again(case, "lower_limit", _("Ask for fewer memories"), limit=EDGE)
    return cause(
        CONTEXT,
        told % {"memory": named(memory), "place": line.place, "n": total},
        [told_line(case, line), *_record(case)],
        [fewer, fixes.correct(memory)],
    )


def told_line(case: Case, line: Line) -> Evidence:
    place = _("line %(place)s of %(n)s") % {"place": line.place, "n": len(case.lines)}
    where = f"{place}, {_(line.block)}" if line.block else place
    labels = f"[{line.labels}] " if line.labels else ""
    return Evidence("line", f"{where}: {labels}{line.said}", line.public_id)


def _record(case: Case) -> list[Evidence]:
    return [fixes.of_record(case.record)] if case.record else []
