"""The user has put it right, and the agent goes on with the old value."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Change, Memory, Status

from .. import fixes
from ..case import Case
from ..chain import freshness, model
from ..symptom import Symptom
from ..told import FRESHNESS, MODEL, Step, cause
from ..words import named, said_when

# Versions of one fact that are compared with the answer.
VERSIONS = 50
# Of all facts given, the newest.
CHANGES = 200


class Uncorrected(Symptom):
    order = 3
    title = gettext_lazy("Keeps the old value after a correction")
    told = gettext_lazy("The user said that it is otherwise, and the agent insists on the old.")
    about_memory = gettext_lazy("the memory that should have been corrected")
    look_next = gettext_lazy(
        "The correction has reached memory: look at what the agent keeps of its own, such as the "
        "dialogue in its prompt."
    )
    icon = "pencil"

    def freshness(self, case: Case, subjects: Sequence[Memory]) -> Step:
        checks = (
            freshness.gone,
            freshness.not_applied,
            freshness.waiting,
            freshness.outdated,
            _undone,
            _never_corrected,
        )
        return freshness.checked(case, subjects, checks)

    def model(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return _old_value(case, subjects) or model.used(case, subjects)


def _undone(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """It was corrected, and somebody took the correction back."""
    rows = {memory.fact: memory for memory in subjects if case.is_given(memory)}
    # Of a fact corrected again since, the newest change is another.
    last: dict = {}
    changes = Change.objects.filter(fact__in=rows, batch__workspace_id=case.scope.workspace_id)
    changes = changes.exclude(action="confirm").defer("payload")
    for change in changes.select_related("batch__undone_by").order_by("-pk")[:CHANGES]:
        if change.batch.undoes_id is None:
            last.setdefault(change.fact, change)
    for fact, memory in rows.items():
        batch = last[fact].batch if fact in last else None
        if batch is None or not batch.is_undone:
            continue
        told = _("“%(memory)s” was corrected, and %(actor)s has undone that.")
        what = _("batch “%(reason)s”") % {"reason": batch.reason or _(batch.verb)}
        return cause(
            FRESHNESS,
            told % {"memory": named(memory), "actor": batch.undone_by.actor},
            [fixes.of_batch(batch, what), fixes.of_memory(memory, said_when(case, memory))],
            [fixes.correct(memory)],
        )
    return None


def _never_corrected(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """None of what is given has ever had another value; an answer that repeats none of it does
    not insist on it."""
    if case.answer and not case.quoted and case.expected is None:
        return None
    given = [memory for memory in subjects if case.is_given(memory)]
    if not given or any(memory.version > 1 for memory in given):
        return None
    told = _("No correction of “%(memory)s” has reached memory: it is as it was first written.")
    return cause(
        FRESHNESS,
        told % {"memory": named(given[0])},
        [fixes.of_memory(memory, said_when(case, memory)) for memory in given],
        [fixes.correct(given[0]), fixes.retract(given[0])],
    )


def _old_value(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """The answer says a value that history has and the context had not."""
    if not case.answer or case.quoted:
        return None
    facts = [memory.fact for memory in subjects]
    old = Memory.objects.within(case.scope).filter(fact__in=facts, status=Status.SUPERSEDED)
    handed = {memory.public_id for memory in case.then}
    for row in old.order_by("-pk")[:VERSIONS]:
        if row.public_id in handed or not row.value or not case.says(row):
            continue
        told = _("The answer says the old “%(value)s”, which the context did not have.")
        return cause(
            MODEL,
            told % {"value": row.value},
            [*model.shown(case), fixes.of_memory(row, said_when(case, row))],
            fixes.question(case, subjects),
        )
    return None


SYMPTOM = Uncorrected()
