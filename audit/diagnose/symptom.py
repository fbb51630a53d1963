"""What a symptom is. A module in `symptoms/` makes one and calls it SYMPTOM."""

from collections.abc import Sequence
from typing import Any

from memory.models import Memory

from .case import Case
from .chain import context, freshness, model, rank, retrieval
from .told import Step


class Symptom:
    """What somebody noticed of an answer, and what is asked at each link of the chain.

    `told` describes it to whoever chooses, `fix` says how it is usually mended, `look_next` where
    to look when nothing here is the cause. A symptom asks more than the base does by overriding a
    link.
    """

    # The place among the others where somebody chooses.
    order: int
    title: Any
    told: Any
    look_next: Any
    icon: str = "bulb"
    # What naming a memory adds, beside the field.
    about_memory: Any
    fresh: Sequence[freshness.Check] = (freshness.gone,)

    @property
    def id(self) -> str:
        """The name of the module that the symptom stands in."""
        return type(self).__module__.rpartition(".")[2]

    def subjects(self, case: Case) -> list[Memory]:
        return case.subjects

    def steps(self, case: Case) -> tuple[Step, ...]:
        """One step for each link, in the order of the chain."""
        subjects = self.subjects(case)
        links = (self.retrieval, self.rank, self.freshness, self.context, self.model)
        return tuple(link(case, subjects) for link in links)

    def retrieval(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return retrieval.found(case, subjects)

    def rank(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return rank.ranked(case, subjects)

    def freshness(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return freshness.checked(case, subjects, self.fresh)

    def context(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return context.handed(case, subjects)

    def model(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return model.used(case, subjects)
