"""Refusals as mem0's client reads them, with this API's own `code`."""

from django.http import HttpResponse
from ninja import NinjaAPI

from ..problems import HANDLERS, as_mem0, problem


def install(api: NinjaAPI) -> None:
    """Answer every exception of an operation with `detail`, `error` and `code`."""
    for kind, handler in HANDLERS.items():
        api.add_exception_handler(kind, _in_their_form(handler))


def not_served(instead: str) -> HttpResponse:
    """The answer to what mem0 does and this store does not: 501, and what there is `instead`."""
    return as_mem0(problem(501, "not_served", instead))


def _in_their_form(handler):
    return lambda request, error: as_mem0(handler(request, error))
