"""Was it found? The gates before ranking, and the terms on both sides."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory.index.entry import entry_for
from memory.models import Memory
from memory.recall.gates import Place
from memory.recall.look import matches_of

from .. import fixes
from ..case import Case
from ..told import RETRIEVAL, Evidence, Step, cause, fine
from ..words import listed, named

# These are judged by other links of the chain.
LATER = {"", "state", "expiry", "limit", "budget"}
TERMS_SHOWN = 12


def found(case: Case, subjects: Sequence[Memory]) -> Step:
    """Whether the missed memory passes the gates before ranking; where none is named, whether
    anything does."""
    if not case.seen.question.trigger.triggered:
        return cause(
            RETRIEVAL,
            _("Memory was not searched: the question was taken for small talk (%(what)s).")
            % {"what": _(case.seen.question.trigger.reason)},
            fixes=[fixes.ask_again(case, "ask_with_term", _("Ask with words of the subject"))],
        )
    if case.expected is not None:
        return reached(case, case.expected)
    if not case.seen.ranked:
        return nothing(case)
    count = len(case.seen.ranked)
    told = ngettext(
        "It was found: %(n)s memory shares terms with the question.",
        "It was found: %(n)s memories share terms with the question.",
        count,
    )
    return fine(RETRIEVAL, told % {"n": count}, [_asked(case)])


def reached(case: Case, memory: Memory) -> Step:
    """Whether one memory comes as far as being ranked."""
    place, name = case.place(memory), {"memory": named(memory)}
    if place.gate in LATER:
        told = _("“%(memory)s” passes every gate of the search.")
        if place.gate in ("state", "expiry"):
            told = _("“%(memory)s” is not among what is searched: see its freshness.")
        return fine(RETRIEVAL, told % name, terms(case, memory))
    told = _("The question does not find “%(memory)s”: %(why)s.")
    why = told % (name | {"why": reason(case, memory, place)})
    return cause(RETRIEVAL, why, terms(case, memory), fixes.advised(case, memory))


def reason(case: Case, memory: Memory, place: Place) -> str:
    """Why a gate before ranking keeps a memory back, in the reader's language."""
    told = {
        "user": _("it belongs to another user"),
        "kind": _("it is not of the kinds asked for"),
        "domain": _("it is not of the domains asked for"),
        "agent": _("it belongs to another agent"),
        "time": _("it did not happen in the time asked for"),
        "candidates": _("too many others match better"),
        "index": _("the index does not hold it as it reads now"),
    }
    if place.gate in told:
        return told[place.gate]
    if not case.seen.query.terms:
        return _("the question has no term that can be looked for")
    held = {match.term for match in matches_of(case.seen.query, memory)[0]}
    lacking = [t.text for t in case.seen.query.terms if t.required and t.text not in held]
    if lacking:
        return _("it does not hold %(terms)s, which the question requires") % {
            "terms": listed(lacking)
        }
    return _("they share no term")


def nothing(case: Case) -> Step:
    told = _("The question finds nothing: no current memory of this user shares a term with it.")
    dropped = [
        Evidence("memory", f"{hit.summary or hit.public_id} · {hit.gate}", str(hit.public_id))
        for hit in case.seen.found.dropped
    ]
    other = fixes.ask_again(case, "ask_with_term", _("Ask in other words"))
    return cause(RETRIEVAL, told, [_asked(case), *dropped], [other])


def terms(case: Case, memory: Memory) -> list[Evidence]:
    """The terms on both sides, and those that met."""
    row = case.row(memory) or memory
    met = [match.term for match in matches_of(case.seen.query, row)[0]]
    held = list(dict.fromkeys(entry_for(row).terms.words))[:TERMS_SHOWN]
    sides = [
        _asked(case),
        Evidence("terms", _("terms of the memory: %(terms)s") % {"terms": ", ".join(held) or "—"}),
        Evidence("terms", _("terms that met: %(terms)s") % {"terms": ", ".join(met) or "—"}),
    ]
    return [*sides, fixes.of_memory(memory, "")]


def _asked(case: Case) -> Evidence:
    asked = ", ".join(term.text for term in case.seen.query.terms[:TERMS_SHOWN]) or "—"
    return Evidence("terms", _("terms of the question: %(terms)s") % {"terms": asked})
