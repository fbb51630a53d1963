"""What the tests of a diagnosis share: asking, answering and reading the steps."""

from datetime import timedelta

from audit.diagnose.case import open_case
from audit.diagnose.run import diagnose
from audit.diagnose.told import LINKS, Diagnosis, Step
from memory import clock
from memory.models import Recall
from memory.recall.record import add_outcome
from tests import factories as make


def answered(query: str, answer: str = "", **fields) -> Recall:
    """A real recall with what the model said."""
    kept = make.ask(query, **fields)
    return add_outcome(kept.record, prompt=kept.context.text, answer=answer)


def of_question(symptom: str, query: str, **fields) -> Diagnosis:
    return diagnose(symptom, open_case(make.scope(), query=query, user_id="ann", **fields))


def of_record(symptom: str, record: Recall, **fields) -> Diagnosis:
    return diagnose(symptom, open_case(make.scope(), record=record, **fields))


def step(found: Diagnosis, link: str) -> Step:
    assert [one.link for one in found.steps] == list(LINKS)
    return next(one for one in found.steps if one.link == link)


def causes(found: Diagnosis) -> list[str]:
    return [one.link for one in found.steps if one.is_cause]


def fixes(found: Diagnosis) -> list[str]:
    return [fix.kind for fix in found.cause.fixes]


def ago(**parts):
    """The store's clock, so long before now."""
    return clock.at(clock.now() - timedelta(**parts))


def stock(value: str, *, attribute: str = "库存", **fields):
    """Live state of a store room."""
    return make.remember(
        **{
            "entity": "M 型号",
            "attribute": attribute,
            "value": value,
            "text": f"M 型号{attribute} {value}",
            "kind": "inventory",
            "source": "external_sync",
            "confidence": 0.98,
        }
        | fields
    )
