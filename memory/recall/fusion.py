"""Meaning beside words: memories that lie near a question join those that share its words, and
both count half.

A cosine says little by itself: multilingual-e5-small gives 0.7 to 0.85 to any two texts. So it is
counted from a base, in spreads (see `asker`): the base is what the question has in common with
sentences about nothing, or with the scope's rows where these lie nearer, which long talk does.

Measured with that model on MemoryBank-cn and two LoCoMo conversations as memories (330 questions),
and with 24 questions about nothing: these bring up nothing by meaning from 20 rows of such talk in
93 draws of 100, from 100 rows in 75 to 94, and from a few single sentences never, whose right
answers lie 2.4 to 5.5 spreads above the base; in thousands of rows of talk something lies near to
most questions. A bar of 2.6 keeps 97 of 100 draws clean, and loses 9 of 100 paraphrases in 256,000
tokens. With equal shares hit@5 rose from 0.70 to 0.74 on LoCoMo and from 0.90 to 0.93 on
MemoryBank (0.94 to 0.96 where a day that is named filters); shares from 0.4 to 0.6, and full marks
from 5 to 8, do as well. Adding reciprocal ranks instead gives back half of what is won: a rank
does not tell how near a row is.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.index.by_key import active_hits, hits_as_of
from memory.index.embedding import EmbeddingError
from memory.index.filters import Filters
from memory.index.search import Found, Hit
from memory.models import Scope
from memory.text.terms import CHARACTERS, Query

from .asker import asker
from .relevance import Relevance

# Spreads above the base: what counts as nothing, what the nearest row must reach before anything
# is found by meaning alone, and what is as near as can be.
FLOOR, NEAR, FULL = 1.0, 2.3, 6.0
# Then all rows are found that lie half as far above the base as the nearest. In a large scope what
# answers is often not the nearest: of LoCoMo's answers that share no word with their question this
# finds two more than a fixed bar of 2.3, for six more rows of 400; 0.4 brings twelve for one more.
HALF = 0.5
# The sentences about nothing weigh in the base as so many of the scope's own rows.
WEIGHT = 8
SHARE = 0.5


@dataclass(frozen=True)
class Near:
    """What was compared by meaning: `cosines` by memory, of which `floor` counts as 0 and `full`
    as 1. `problem` says why nothing was compared: a code of `EmbeddingError`."""

    model: str
    problem: str = ""
    floor: float = 0.0
    full: float = 1.0
    cosines: Mapping[UUID, float] = field(default_factory=dict)

    def of(self, memory_id: UUID) -> float | None:
        """From 0 to 1 how near a memory is; None where it has no vector."""
        cosine = self.cosines.get(memory_id)
        if cosine is None:
            return None
        return min(max((cosine - self.floor) / (self.full - self.floor), 0.0), 1.0)

    def as_record(self) -> dict[str, Any]:
        """As the record keeps it, so that a replay need not have the model or the vectors."""
        if self.problem:
            return {"model": self.model, "problem": self.problem}
        cosines = {memory_id.hex: cosine for memory_id, cosine in self.cosines.items()}
        return {
            "model": self.model, "floor": self.floor, "full": self.full, "cosines": cosines,
        }  # fmt: skip


def recorded(kept: Mapping[str, Any] | None) -> Near | None:
    """What `as_record` gave; None for a record that was made by words alone."""
    if not kept or "cosines" not in kept:
        return None
    cosines = {UUID(memory_id): cosine for memory_id, cosine in kept["cosines"].items()}
    return Near(kept["model"], "", kept["floor"], kept["full"], cosines)


def fused(
    scope: Scope, question: str, query: Query, found: Found, filters: Filters
) -> tuple[Found, Near | None]:
    """What words found, and what lies near the question beside it, both within the filters.

    None where the settings name no model. A row that lacks a term which the question requires is
    no candidate by meaning either: then meaning only ranks. Never raises for the model's sake.
    """
    model = asker()
    if model is None or not query.terms:
        return found, None
    try:
        # As much of it as words are taken from: a long text would cost the model its time limit.
        asked = model.ask(question[:CHARACTERS], patient=scope.surface == "command")
    except EmbeddingError as error:
        return found, Near(model.model.name, error.code)
    from memory.index.vectors import nearest

    known = {hit.pk for hit in found.hits}
    rows = nearest(scope, model.model.name, asked.vector, filters, beside=known)
    cosines = {pk: round(cosine, 4) for pk, cosine in rows.cosines.items()}
    own = (WEIGHT * asked.base + rows.rows * rows.mean) / (WEIGHT + rows.rows)
    base = max(asked.base, own)
    floor, near, full = (round(base + k * asked.spread, 4) for k in (FLOOR, NEAR, FULL))
    best = max(cosines.values(), default=0.0)
    if best >= near and not any(term.required for term in query.terms):
        least = max(floor, min(near, base + HALF * (best - base)))
        new = [pk for pk, cosine in cosines.items() if cosine >= least and pk not in known]
        found = _with(found, active_hits(scope, new))
    by_memory = {hit.public_id: cosines[hit.pk] for hit in found.hits if hit.pk in cosines}
    return found, Near(model.model.name, "", floor, full, by_memory)


def fused_as_of(
    scope: Scope,
    found: Found,
    filters: Filters,
    moment: datetime,
    among: Set[UUID] | None,
    near: Near | None,
) -> Found:
    """What words find in the store as it was, and of those `among` a record's candidates what
    `near` says that meaning found."""
    if near is None or among is None:
        return found
    held = {hit.public_id for hit in found.hits}
    wanted = [m for m in near.cosines if m in among and m not in held and near.of(m)]
    return _with(found, hits_as_of(scope, wanted, filters, moment))


def weighed(relevance: Relevance, near: Near | None, memory_id: UUID) -> Relevance:
    """Words and meaning in equal shares; words alone for a row that has no vector (yet)."""
    meaning = near and near.of(memory_id)
    if meaning is None:
        return relevance
    return replace(
        relevance,
        score=(1 - SHARE) * relevance.score,
        meaning=SHARE * meaning,
        cosine=near.cosines[memory_id],
    )


def _with(found: Found, hits: list[Hit]) -> Found:
    return replace(
        found,
        hits=[*found.hits, *hits],
        by_meaning=found.by_meaning | {hit.public_id for hit in hits},
    )
