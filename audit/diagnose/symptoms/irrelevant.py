"""What was recalled has nothing to do with the question."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory.models import Memory, Status
from memory.recall import Ranked
from memory.recall.look import matches_of

from .. import fixes
from ..case import WEAK, Case
from ..chain import context, model, rank, retrieval
from ..symptom import Symptom
from ..told import CONTEXT, MODEL, RANK, RETRIEVAL, Evidence, Step, cause
from ..words import listed, named

# So many that wait are compared with the question.
WAITING_READ = 200


class Irrelevant(Symptom):
    order = 2
    title = gettext_lazy("Irrelevant results")
    told = gettext_lazy("What came back has nothing to do with what was asked.")
    about_memory = gettext_lazy("the memory that should have come instead")
    look_next = gettext_lazy(
        "What is given answers the question in its own words: look at whether the agent asks "
        "memory the question that it means."
    )
    icon = "filter"

    def subjects(self, case: Case) -> list[Memory]:
        return [case.expected] if case.expected else case.all_given

    def retrieval(self, case: Case, subjects: Sequence[Memory]) -> Step:
        plain = retrieval.found(case, subjects)
        return plain if plain.is_cause else _drifted(case) or _no_answer(case) or plain

    def rank(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return _weak_before_strong(case) or rank.ranked(case, subjects)

    def context(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return _weak_beside_strong(case) or context.handed(case, subjects)

    def model(self, case: Case, subjects: Sequence[Memory]) -> Step:
        return _weak_repeated(case) or model.used(case, subjects)


def _drifted(case: Case) -> Step | None:
    """A row was found for words that it does not hold."""
    for item in case.seen.context.kept:
        if item.matched_by not in ("words", "both"):
            continue
        if {m.term for m in item.matches} - {
            m.term for m in matches_of(case.seen.query, item.memory)[0]
        }:
            told = _("The index finds “%(memory)s” for words that it does not hold.")
            return cause(
                RETRIEVAL,
                told % {"memory": named(item.memory)},
                retrieval.terms(case, item.memory),
                [fixes.reindex()],
            )
    return None


def _no_answer(case: Case) -> Step | None:
    """Everything given shares a little with the question, and nothing answers it."""
    items = case.seen.context.kept
    if not items or not all(rank.is_weak(case, item) for item in items):
        return None
    best = max(items, key=lambda item: case.carries(item))
    told = _(
        "Nothing that is remembered answers it: the nearest, “%(memory)s”, carries %(share)s of "
        "the question's weight. No memory given holds %(terms)s."
    )
    says = {
        "memory": named(best.memory),
        "share": f"{case.carries(best):.0%}",
        "terms": listed(rank.unmet(case)) or "—",
    }
    held = _waiting(case)
    evidence = [*retrieval.terms(case, best.memory), *(fixes.of_memory(row, "") for row in held)]
    words = fixes.ask_again(case, "ask_with_term", _("Ask in other words"))
    return cause(RETRIEVAL, told % says, evidence, [*map(fixes.approve, held), words])


def _waiting(case: Case) -> list[Memory]:
    """Memories that answer better and wait for review."""
    rows = Memory.objects.within(case.request.scope).filter(
        status__in=(Status.CANDIDATE, Status.QUARANTINED)
    )
    held = {m.term for row in case.given for m in matches_of(case.seen.query, row)[0]}
    return [
        row
        for row in rows.order_by("-pk")[:WAITING_READ]
        if {match.term for match in matches_of(case.seen.query, row)[0]} - held
    ][:3]


def _weak_before_strong(case: Case) -> Step | None:
    """One that answers half as much as a later one stands before it."""
    items = case.seen.context.kept
    for place, first in enumerate(items):
        for later in items[place + 1 :]:
            half = 2 * case.carries(first) <= case.carries(later)
            if half and first.hop is None and not rank.is_weak(case, later):
                return _lifted(case, first, later)
    return None


def _lifted(case: Case, weak: Ranked, strong: Ranked) -> Step:
    others = {n: v for n, v in weak.parts.items() if n not in ("relevance", "meaning")}
    told = _(
        "“%(weak)s” carries %(share)s of the question's weight and stands before “%(strong)s”, "
        "which carries %(more)s: its %(part)s lifts it."
    )
    says = {
        "weak": named(weak.memory),
        "strong": named(strong.memory),
        "share": f"{case.carries(weak):.0%}",
        "more": f"{case.carries(strong):.0%}",
        "part": _(max(others, key=lambda n: others[n] - strong.parts.get(n, 0))),
    }
    return cause(
        RANK,
        told % says,
        rank.table(case, [weak.memory, strong.memory]),
        [fixes.correct(weak.memory)],
    )


def _weak_beside_strong(case: Case) -> Step | None:
    """The limit lets in what hardly answers."""
    items = case.seen.context.kept
    weak = [item for item in items if rank.is_weak(case, item)]
    strong = len(items) - len(weak)
    if not weak or not strong:
        return None
    told = ngettext(
        "%(n)s of %(all)s memories given carries less than %(share)s of the question's weight.",
        "%(n)s of %(all)s memories given carry less than %(share)s of the question's weight.",
        len(weak),
    )
    says = {"n": len(weak), "all": len(items), "share": f"{WEAK:.0%}"}
    shown = [
        Evidence(
            "score",
            f"“{named(item.memory)}” · {case.carries(item):.0%}",
            str(item.memory.public_id),
            fixes.page_of(item.memory.public_id),
        )
        for item in items
    ]
    fewer = _("Ask for at most %(n)s") % {"n": strong}
    return cause(
        CONTEXT,
        told % says,
        shown,
        [fixes.ask_again(case, "lower_limit", fewer, limit=strong)],
    )


def _weak_repeated(case: Case) -> Step | None:
    """The answer repeats one that hardly answers."""
    weak = {i.memory.public_id for i in case.seen.context.kept if rank.is_weak(case, i)}
    repeated = [memory for memory in case.quoted if memory.public_id in weak]
    if not repeated or len(repeated) < len(case.quoted):
        return None
    told = _("The answer repeats “%(memory)s”, which hardly answers the question.")
    return cause(
        MODEL,
        told % {"memory": named(repeated[0])},
        [*model.shown(case), *(fixes.of_memory(row, "") for row in repeated)],
        fixes.question(case),
    )


SYMPTOM = Irrelevant()
