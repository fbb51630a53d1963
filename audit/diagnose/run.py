"""`diagnose(symptom, case)`: ask the chain about one case. Nothing is written."""

from django.utils.translation import gettext as _

from memory.index.storage import one_view

from .case import Case
from .registry import symptom as symptom_of
from .told import Diagnosis


def diagnose(symptom_id: str, case: Case) -> Diagnosis:
    """The steps along the chain, and the first cause in one sentence of the active language.
    Raises `UnknownSymptom`."""
    symptom = symptom_of(symptom_id)
    with one_view():
        steps = symptom.steps(case)
    cause = next((step for step in steps if step.is_cause), None)
    if cause:
        sentence = f"{cause.title}: {cause.sentence}"
    else:
        sentence = f"{_('No cause was found here.')} {symptom.look_next}"
    return Diagnosis(
        symptom.id,
        str(symptom.title),
        case.request.query,
        case.request.scope.user_id or "",
        str(case.record.public_id) if case.record else "",
        str(case.expected.public_id) if case.expected else "",
        case.answer,
        steps,
        sentence,
    )
