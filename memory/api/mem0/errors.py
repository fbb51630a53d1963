"""Refusals as mem0's client reads them, with this API's own `code`."""

import json

from django.http import HttpResponse
from ninja import NinjaAPI

from ..problems import HANDLERS

# mem0 answers 400 to what it cannot read.
STATUSES = {422: 400}


def install(api: NinjaAPI) -> None:
    """Answer every exception of an operation with `detail`, `error` and `code`."""
    for kind, handler in HANDLERS.items():
        api.add_exception_handler(kind, _in_their_form(handler))


def _in_their_form(handler):
    return lambda request, error: as_mem0(handler(request, error))


def as_mem0(answer: HttpResponse) -> HttpResponse:
    """A problem answer as JSON with mem0's two names for what is wrong."""
    told = json.loads(answer.content)
    body = {name: value for name, value in told.items() if name not in ("type", "title", "status")}
    body["error"] = body["detail"]
    answer.content = json.dumps(body)
    answer["Content-Type"] = "application/json"
    answer.status_code = STATUSES.get(answer.status_code, answer.status_code)
    return answer
