"""The agent says one thing and then another about the same matter."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Memory, Status

from .. import fixes
from ..case import Case, last_said
from ..chain import freshness
from ..rivals import pairs_among, rivals
from ..symptom import Symptom
from ..told import FRESHNESS, Evidence, Step, cause
from ..words import named, said_when


class Contradiction(Symptom):
    order = 4
    title = gettext_lazy("Contradicts itself")
    told = gettext_lazy("It says one thing and then another about the same matter.")
    about_memory = gettext_lazy("one of the memories that contradict each other")
    look_next = gettext_lazy(
        "What is given agrees: ask both questions that got different answers, and compare what "
        "each of them is given."
    )
    icon = "copy"

    def subjects(self, case: Case) -> list[Memory]:
        """What answers, repeated or not: of two that disagree the answer has perhaps but one."""
        expected = [case.expected] if case.expected else []
        rows = (*expected, *case.quoted, *case.answering)
        return list({row.public_id: row for row in rows}.values())

    def freshness(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return freshness.checked(case, subjects, (_disagree, _twice, freshness.waiting))


def _disagree(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """Two current memories say different things of the same thing."""
    active = [row for row in subjects if row.status == Status.ACTIVE]
    given = [row for row in active if case.is_given(row)]
    for memory, others in rivals(case, given).items():
        current = [row for row in others if row.status == Status.ACTIVE]
        if not current:
            continue
        older, later = sorted((memory, current[0]), key=last_said)
        told = _(
            "“%(old)s” (%(old_when)s) and “%(new)s” (%(new_when)s) are both current and say "
            "different things."
        )
        says = {
            "old": named(older),
            "old_when": said_when(case, older),
            "new": named(later),
            "new_when": said_when(case, later),
        }
        return cause(
            FRESHNESS,
            told % says,
            [
                *(fixes.of_memory(row, said_when(case, row)) for row in (older, later)),
                *fixes.last_changes([older, later]),
            ],
            [fixes.retract(older), fixes.correct(later), freshness.limit_of(case, older)],
        )
    return None


def _twice(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """One fact stands there in two wordings that nobody has merged."""
    given = {row.public_id: row for row in subjects if case.is_given(row)}
    pairs = pairs_among(case, given.values())
    if not pairs:
        return None
    first, second = given[pairs[0].first], given[pairs[0].second]
    told = _("“%(first)s” and “%(second)s” may be one fact in two wordings; both are current.")
    evidence = [fixes.of_memory(row, said_when(case, row)) for row in (first, second)]
    link = fixes.merge(pairs[0])
    likeness = _("alike: %(score)s") % {"score": f"{pairs[0].score:.0%}"}
    return cause(
        FRESHNESS,
        told % {"first": named(first), "second": named(second)},
        [*evidence, Evidence("pair", likeness, str(pairs[0].pk), link.url)],
        [link],
    )


SYMPTOM = Contradiction()
