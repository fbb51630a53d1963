"""Where did it come, and what came before it?"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from memory.models import Memory
from memory.recall import Ranked
from memory.recall.look import matches_of

from .. import fixes
from ..case import WEAK, Case
from ..told import RANK, Evidence, Step, cause, fine
from ..words import named, score

SHOWN = 5


def ranked(case: Case, subjects: Sequence[Memory]) -> Step:
    """Whether the subjects came within the limit, and behind what."""
    for memory in subjects:
        place = case.place(memory)
        if place.gate == "limit":
            told = _("“%(memory)s” came at rank %(rank)s, and %(limit)s are given.") % {
                "memory": named(memory),
                "rank": place.rank,
                "limit": case.request.limit,
            }
            return cause(RANK, told, table(case, subjects), fixes.advised(case, memory))
    if not case.seen.ranked:
        return fine(RANK, _("Nothing was ranked."))
    if not subjects:
        told = _("No memory given answers the question for the most part.")
        return fine(RANK, told, table(case, ()))
    places = {item.memory.public_id: n for n, item in enumerate(case.seen.ranked, start=1)}
    first = next((memory for memory in subjects if memory.public_id in places), None)
    if first is None:
        return fine(RANK, _("What this is about is not ranked any more."), table(case, ()))
    told = _("“%(memory)s” is at rank %(rank)s of %(all)s, within the limit of %(limit)s.")
    return fine(
        RANK,
        told
        % {
            "memory": named(first),
            "rank": places[first.public_id],
            "all": len(places),
            "limit": case.request.limit,
        },
        table(case, subjects),
    )


def table(case: Case, subjects: Sequence[Memory]) -> list[Evidence]:
    """The first ranks with the parts of their scores, and the subjects where they came later."""
    wanted = {memory.public_id for memory in subjects}
    shown = [
        (place, item)
        for place, item in enumerate(case.seen.ranked, start=1)
        if place <= SHOWN or item.memory.public_id in wanted
    ]
    return [line(place, item) for place, item in shown[: 2 * SHOWN]]


def line(place: int, item: Ranked) -> Evidence:
    memory = item.memory
    name = named(memory) if isinstance(memory, Memory) else (memory.summary or "…")
    return Evidence(
        "score",
        f"{place}. “{name}” · {score(item)}",
        str(memory.public_id),
        fixes.page_of(memory.public_id),
    )


def is_weak(case: Case, item: Ranked) -> bool:
    """Whether a memory hardly answers; one that a link led to answers by what it is linked to."""
    return item.hop is None and case.carries(item) < WEAK


def unmet(case: Case) -> list[str]:
    """Terms of the question that nothing given holds."""
    held = {m.term for row in case.given for m in matches_of(case.seen.query, row)[0]}
    asked = case.request.query
    lacking = (term for term in case.seen.query.terms if term.text not in held)
    return [asked[term.start : term.end] or term.text for term in lacking]
