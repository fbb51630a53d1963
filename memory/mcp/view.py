"""`/mcp`: who may come in, before the protocol is spoken."""

import importlib.util
from collections.abc import Callable, Sequence

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from memory.api.auth import key_of
from memory.api.problems import problem, problem_for

from .caller import caller_with
from .tool import Tool

MISSING = "The extra [mcp] is not installed here."


def mcp_view(tools: Sequence[Tool]) -> Callable[[HttpRequest], HttpResponse]:
    """A view that serves these tools to whoever brings a live key."""

    @csrf_exempt
    def mcp(request: HttpRequest) -> HttpResponse:
        if importlib.util.find_spec("mcp") is None:
            return problem(501, "not_installed", MISSING)
        # Only now: the site without the extra has no SDK to import.
        from . import over_http, server

        if request.method != "POST":
            return problem(405, "method_not_allowed", "Only POST.", headers={"Allow": "POST"})
        try:
            if not over_http.is_own_origin(request):
                return problem(403, "foreign_origin", "Requests from this origin are not taken.")
            caller = caller_with(key_of(request))
            return over_http.exchange(server.server_for(tools, lambda: caller), request)
        except Exception as error:
            return problem_for(request, error)

    return mcp
