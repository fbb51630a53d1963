"""Which symptoms there are: one a module of `symptoms/`, no list to keep."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from . import symptoms as folder
from .symptom import Symptom


class UnknownSymptom(LookupError):
    """No symptom has this id."""


@cache
def symptoms() -> dict[str, Symptom]:
    """Every symptom by its id, in the order in which they are offered."""
    names = [module.name for module in iter_modules(folder.__path__)]
    found = {name: import_module(f"{folder.__name__}.{name}").SYMPTOM for name in names}
    return dict(sorted(found.items(), key=lambda pair: pair[1].order))


def symptom(symptom_id: str) -> Symptom:
    """The symptom, or `UnknownSymptom`."""
    try:
        return symptoms()[symptom_id]
    except KeyError:
        raise UnknownSymptom(symptom_id) from None
