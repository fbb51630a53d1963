"""What did the model make of it? The answer against what was handed over."""

import re
from collections.abc import Sequence

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from audit.questions.values import holds
from memory.models import Memory
from memory.text.atoms import atoms
from memory.text.normalise import key

from .. import fixes
from ..case import Case
from ..rivals import measure
from ..told import MODEL, Evidence, Step, cause, fine, unknown
from ..words import listed

SHOWN = 400
_FIGURES = {"number", "quantity", "id"}
_LONE_DIGIT = re.compile(r"[0-9]\Z")


def used(case: Case, subjects: Sequence[Memory]) -> Step:
    """Whether the answer says what the context did not have."""
    if not case.answer:
        return unanswered(case)
    strange = invented(case)
    if strange:
        return cause(
            MODEL,
            _("The answer says %(said)s, which nothing that it was handed says.")
            % {"said": listed(strange)},
            shown(case),
            fixes.question(case, subjects),
        )
    repeated = [memory for memory in case.quoted if memory.value]
    if repeated and not any(case.is_given(memory) for memory in repeated):
        told = _("The answer repeats what was handed over then, which is not given any more.")
    elif repeated:
        told = _("The answer says what it was handed: %(values)s.")
    else:
        told = _("The answer says nothing that memory speaks against.")
    values = list(dict.fromkeys(memory.value for memory in repeated))
    return fine(MODEL, told % {"values": listed(values)}, shown(case))


def unanswered(case: Case) -> Step:
    told = _("No answer is known: let the agent send its outcome, or give the answer here.")
    return unknown(MODEL, told, shown(case))


def invented(case: Case, *, of_any_measure: bool = False) -> list[str]:
    """Figures of the answer that neither the context nor the question has.

    Of amounts, those whose measure the context speaks of in another number, for a count of days
    or items may be the model's own to give; with `of_any_measure` all of them.
    """
    said = [line.said for line in case.lines]
    given = " ".join(said)
    measures = {measure(figure) for figure, _kind in figures(given)}
    found = []
    for figure, kind in figures(case.answer):
        if holds(case.request.query, figure) or any(holds(one, figure) for one in said):
            continue
        if kind == "id" or of_any_measure or measure(figure) in measures:
            found.append(figure)
    return list(dict.fromkeys(found))


def figures(text: str) -> list[tuple[str, str]]:
    """The amounts, numbers and ids of a text with their kinds; a lone digit numbers a list."""
    main = (atom for atom in atoms(key(text)) if atom.role == "main" and atom.kind in _FIGURES)
    return [(atom.text, atom.kind) for atom in main if not _LONE_DIGIT.match(atom.text)]


def shown(case: Case) -> list[Evidence]:
    """The answer, and the record that it came from."""
    found = [fixes.of_record(case.record)] if case.record else []
    if case.answer:
        told = Truncator(case.answer).chars(SHOWN)
        found.insert(0, Evidence("answer", _("answer: %(text)s") % {"text": told}))
    return found
