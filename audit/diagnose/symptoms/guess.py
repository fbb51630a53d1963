"""A guess is told as a fact."""

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Memory, Source
from memory.recall.lines import UNCONFIRMED
from memory.text.normalise import normalise
from memory.text.similar_words import MOODS

from .. import fixes
from ..case import Case, last_said
from ..chain import context, model
from ..symptom import Symptom
from ..told import CONTEXT, MODEL, Step, cause
from ..words import from_where, listed, named

# Below it a memory is no more than likely; from SURE on it is told as good as certain.
LIKELY, SURE = 0.6, 0.8
# With what an answer shows that it does not know: the words of doubt, and these.
_HEDGES = re.compile(
    r"没有[^。！？]*(?:记录|信息|数据|库存数)|查不到|不知道|不清楚|未确认|没有确认|不确定|推测|推断|估计|据说|据记录|记录显示|仅供参考|请核实|需要确认|应该是|大概"
    r"|\bno(?:thing)?\b.*\brecord\b|\b(?:do not|don't|cannot|can't) (?:know|say|tell)\b"
    r"|\bunconfirmed\b|\bnot confirmed\b|\bnot sure\b|\bunsure\b|\bseems?\b|\bapparently\b"
    r"|\bas far as\b|\blikely\b|\baccording to\b|\breportedly\b|\bplease (?:check|confirm|verify)\b"
    r"|\bmay\b|\bguess\b|\binferred\b|\bassum"
)


class Guess(Symptom):
    order = 6
    title = gettext_lazy("States guesses as facts")
    told = gettext_lazy("It is sure of what nobody has said or confirmed.")
    about_memory = gettext_lazy("the memory that is no more than a guess")
    look_next = gettext_lazy(
        "What is given says how sure it is, and nothing doubtful was told as certain: look at "
        "whether the agent's prompt keeps the labels and the rules of the context."
    )
    icon = "progress"

    def context(self, case: Case, subjects: Sequence[Memory]) -> Step:
        given = [memory for memory in subjects if case.is_given(memory)]
        for check in (_unlabelled, _too_sure):
            for memory in given:
                if found := check(case, memory):
                    return found
        return context.handed(case, subjects)

    def model(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return (
            _out_of_nothing(case, subjects)
            or _label_dropped(case, subjects)
            or model.used(case, subjects)
        )


def is_hedged(text: str) -> bool:
    """Whether a text shows that it does not know for certain."""
    plain = normalise(text)
    return bool(MOODS["doubt"].search(plain) or _HEDGES.search(plain))


def _unlabelled(case: Case, memory: Memory) -> Step | None:
    """Nothing says where it comes from or how sure it is."""
    lacking = []
    if memory.confidence is None:
        lacking.append(_("confidence"))
    if not memory.source:
        lacking.append(_("source"))
    if not lacking:
        return None
    told = _("“%(memory)s” has no %(what)s, so its label cannot say how sure it is.")
    return cause(
        CONTEXT,
        told % {"memory": named(memory), "what": ", ".join(lacking)},
        _told(case, memory),
        [fixes.correct(memory), fixes.confirm(memory)],
    )


def _too_sure(case: Case, memory: Memory) -> Step | None:
    """It is labelled as good as certain, and is a guess by its source or its own words."""
    if (memory.confidence or 0) < SURE or memory.confirmations:
        return None
    if memory.source == Source.INFERRED:
        told = _("“%(memory)s” was inferred and nobody confirmed it; its label says %(sure)s.")
    elif MOODS["doubt"].search(normalise(f"{memory.text}\n{memory.quote}")):
        told = _("“%(memory)s” was said with doubt, and its label says %(sure)s.")
    else:
        return None
    says = {"memory": named(memory), "sure": f"{memory.confidence:.0%}"}
    return cause(
        CONTEXT,
        told % says,
        _told(case, memory),
        [fixes.correct(memory), fixes.confirm(memory), fixes.retract(memory)],
    )


def _out_of_nothing(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """It gives figures that nothing stands behind, and does not say so."""
    if not case.answer or is_hedged(case.answer):
        return None
    figures = model.invented(case, of_any_measure=True)
    if not figures:
        return None
    told = _("The answer says %(said)s as a fact, and nothing that it was handed says so.")
    return cause(
        MODEL,
        told % {"said": listed(figures)},
        model.shown(case),
        fixes.question(case, subjects),
    )


def _label_dropped(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """The line was labelled as doubtful, and the answer passes that over."""
    if not case.answer or is_hedged(case.answer):
        return None
    for memory in subjects:
        if not case.is_given(memory) or not case.says(memory) or not _is_doubtful(case, memory):
            continue
        line = case.line(memory)
        if line is None:
            continue
        told = _(
            "The line of “%(memory)s” is labelled “%(labels)s”, and the answer leaves that out."
        )
        return cause(
            MODEL,
            told % {"memory": named(memory), "labels": line.labels},
            [context.told_line(case, line), *model.shown(case)],
            [fixes.confirm(memory), fixes.retract(memory), *fixes.question(case, subjects)],
        )
    return None


def _is_doubtful(case: Case, memory: Memory) -> bool:
    """Whether it was labelled so when it was handed over."""
    sure = memory.confidence if memory.confidence is not None else 0.0
    age = (case.record.at if case.record else case.moment) - last_said(memory)
    return memory.source == Source.INFERRED or sure < LIKELY or age >= UNCONFIRMED


def _told(case: Case, memory: Memory) -> list:
    line = case.line(memory)
    shown = [context.told_line(case, line)] if line else []
    return [*shown, fixes.of_memory(memory, from_where(memory))]


SYMPTOM = Guess()
