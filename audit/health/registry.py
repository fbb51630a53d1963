"""Which checks there are: one a module of `checks/`, no list to keep."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from django.db.models import QuerySet

from memory.models import Memory, Scope

from . import checks as folder
from .check import Check, MemoryCheck


class UnknownCheck(LookupError):
    """No health check has this id, or it has no rows to show."""


@cache
def checks() -> dict[str, Check]:
    """Every check by its id, in the order of ids."""
    names = sorted(module.name for module in iter_modules(folder.__path__))
    return {name: import_module(f"{folder.__name__}.{name}").CHECK for name in names}


def check(check_id: str) -> Check:
    """The check, or `UnknownCheck`."""
    try:
        return checks()[check_id]
    except KeyError:
        raise UnknownCheck(check_id) from None


def rows_of(check_id: str, scope: Scope) -> QuerySet[Memory]:
    """The memories that a check counts, for the page behind its number; or `UnknownCheck`."""
    found = check(check_id)
    if not isinstance(found, MemoryCheck):
        raise UnknownCheck(check_id)
    return found.rows(scope)
