"""Every refusal in one form: RFC 9457 problem details with a stable `code`."""

import json
import logging
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError

from memory.index.past import InTheFuture
from memory.models import ForbiddenMove, ScopeError
from memory.recall import InvalidRequest
from memory.write.correction.preview import Moved
from memory.write.correction.road import Refused
from memory.write.plan import Conflict, StalePlan
from memory.write.proposal import InvalidInput
from memory.write.queue import QueueTimeout
from memory.write.retract import OverTheCap
from memory.write.revise import Erased, NotFound
from memory.write.undo import WouldTrample
from memory.write.working import StaleItem
from memory.write.working_cache import OutOfReach

from .auth import MissingScope
from .lanes import LANES, MEM0
from .parser import RefusedBody
from .rates import RateLimited

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
ERRORS_TOLD = 50
READ = frozenset({401, 403, 422, 429})
READ_ONE = READ | {404}
WRITE = READ | {400, 409, 413, 503}
WRITE_ONE = WRITE | {404}
# Of a memory that was erased.
GONE = frozenset({410})
# For refusals that Django itself makes.
CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
# mem0 answers 400 to what it cannot read.
MEM0_STATUSES = {422: 400}
# Headers that outlive the page that a problem takes the place of.
KEPT = ("Allow", "Cache-Control", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
NOT_FOUND = "There is nothing here by this name."


class FieldError(Schema):
    field: str
    message: str


class ErasureNote(Schema):
    """When, by whom and why a memory was erased; `id` is its tombstone's."""

    id: str
    at: str
    actor: str
    reason: str


class Problem(Schema):
    """What every refusal says. `code` is stable; `detail` is for people and may change."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldError] | None = None
    batches: list[str] | None = None
    memories: list[str] | None = None
    erasure: ErasureNote | None = None
    count: int | None = None
    sample: list[str] | None = None
    confirm_token: str | None = None


def problem(
    status: int, code: str, detail: str, *, headers: dict | None = None, **more: Any
) -> HttpResponse:
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        **more,
    }
    return HttpResponse(json.dumps(body), status=status, content_type=MEDIA_TYPE, headers=headers)


def invalid(errors: list[tuple[str, str]], code: str = "invalid") -> HttpResponse:
    told = [{"field": name, "message": message} for name, message in errors[:ERRORS_TOLD]]
    detail = "; ".join(f"{error['field'] or 'body'}: {error['message']}" for error in told[:3])
    return problem(422, code, detail, errors=told)


def install(api: NinjaAPI) -> None:
    """Answer every exception of an operation with a problem, never with a page or a trace."""
    for kind, handler in HANDLERS.items():
        api.add_exception_handler(kind, handler)


def problem_for(request, error: Exception) -> HttpResponse:
    """The problem that an operation which raised this answers."""
    handler = next(HANDLERS[kind] for kind in type(error).__mro__ if kind in HANDLERS)
    return handler(request, error)


def problems_for_agents(get_response):
    """Middleware: what is refused outside an operation (unknown path, wrong method) is a
    problem too, and no answer to a key is kept by a cache."""

    def middleware(request):
        response = get_response(request)
        if not request.path.startswith(("/api/", *LANES)):
            return response
        response.setdefault("Cache-Control", "private, no-store")
        if request.method == "GET" and (after := getattr(response, "next_cursor", None)):
            asked = request.GET.copy()
            asked["cursor"] = after
            response["Link"] = f'<{request.path}?{asked.urlencode()}>; rel="next"'
        if rate := getattr(request, "rate", None):
            for name, value in rate.headers().items():
                response.setdefault(name, value)
        if response.get("Content-Type") == MEDIA_TYPE and request.path.startswith(MEM0):
            return as_mem0(response)
        if response.status_code < 400 or _is_told(response):
            return response
        status = response.status_code
        detail = NOT_FOUND if status == 404 else HTTPStatus(status).description
        kept = {name: response[name] for name in KEPT if name in response}
        return problem(status, CODES.get(status, "refused"), detail, headers=kept)

    return middleware


def as_mem0(answer: HttpResponse) -> HttpResponse:
    """A problem answer as JSON with mem0's two names for what is wrong."""
    told = json.loads(answer.content)
    body = {name: value for name, value in told.items() if name not in ("type", "title", "status")}
    body["error"] = body["detail"]
    answer.content = json.dumps(body)
    answer["Content-Type"] = "application/json"
    answer.status_code = MEM0_STATUSES.get(answer.status_code, answer.status_code)
    return answer


def _is_told(response) -> bool:
    # Whoever refused said it for its own clients already: a problem, or JSON-RPC, or mem0's form.
    return response.get("Content-Type", "").startswith("application/")


def _unauthorised(request, error) -> HttpResponse:
    return problem(
        401,
        "unauthorised",
        "A live API key is needed: Authorization: Bearer KEY.",
        headers={"WWW-Authenticate": 'Bearer realm="mase"'},
    )


def _not_found(request, error) -> HttpResponse:
    return problem(404, "not_found", NOT_FOUND)


def _erased(request, error: Erased) -> HttpResponse:
    kept = error.erasure
    note = {
        "id": str(kept.public_id),
        "at": kept.at.isoformat(),
        "actor": kept.actor,
        "reason": kept.reason,
    }
    return problem(410, "erased", "This memory was erased.", erasure=note)


def _validation(request, error: ValidationError) -> HttpResponse:
    places = [(tuple(e.get("loc", ())), e.get("msg", "is not valid")) for e in error.errors]
    if places and all(place[:1] == ("path",) for place, _ in places):
        # An id that cannot be one is an id of nothing.
        return _not_found(request, error)
    return invalid([(_field(place), told.removeprefix("Value error, ")) for place, told in places])


def _field(place: tuple) -> str:
    # A body's first step is the name of our own parameter.
    return ".".join(str(step) for step in place[2 if place[:1] == ("body",) else 1 :])


def _http(request, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, RefusedBody):
        refused = error.__cause__
        return problem(refused.status, refused.code, str(refused))
    code = "bad_json" if error.status_code == 400 else CODES.get(error.status_code, "refused")
    return problem(error.status_code, code, str(error))


def _stale(request, error: StalePlan) -> HttpResponse:
    if request.headers.get("If-Match"):
        return problem(412, "precondition_failed", str(error))
    return problem(409, "stale", str(error))


def _would_trample(request, error: WouldTrample) -> HttpResponse:
    batches = [str(batch.public_id) for batch in error.batches]
    return problem(409, "would_trample", str(error), batches=batches)


def _moved(request, error: Moved) -> HttpResponse:
    memories = [str(memory_id) for memory_id in error.memory_ids]
    return problem(409, "stale_plan", str(error), memories=memories)


def _correction_refused(request, error: Refused) -> HttpResponse:
    status = 410 if error.code == "expired" else 409
    done = error.correction.batch
    more = {"batches": [str(done.public_id)]} if done else {}
    return problem(status, error.code, str(error), **more)


def _over_the_cap(request, error: OverTheCap) -> HttpResponse:
    sample = [str(memory_id) for memory_id in error.sample]
    token = {"confirm_token": error.token} if error.token else {}
    return problem(409, error.code, str(error), count=error.count, sample=sample, **token)


def _busy(request, error: QueueTimeout) -> HttpResponse:
    wait = {"Retry-After": str(error.retry_after_seconds)}
    return problem(503, "busy", str(error), headers=wait)


def _out_of_reach(request, error: OutOfReach) -> HttpResponse:
    wait = {"Retry-After": str(error.retry_after_seconds)}
    return problem(503, "out_of_reach", str(error), headers=wait)


def rate_limited(request, error: RateLimited) -> HttpResponse:
    wait = {"Retry-After": str(error.rate.reset)}
    return problem(429, "rate_limited", str(error), headers=wait | error.rate.headers())


def _unforeseen(request, error: Exception) -> HttpResponse:
    logger.error("%s %s", request.method, request.path, exc_info=error)
    return problem(500, "internal", "Something went wrong here; it has been logged.")


def _always(status: int, code: str, detail: str = ""):
    return lambda request, error: problem(status, code, detail or str(error))


HANDLERS = {
    AuthenticationError: _unauthorised,
    MissingScope: _always(403, "missing_scope"),
    ScopeError: _always(403, "outside_scope", "That is outside the scope of this key."),
    NotFound: _not_found,
    Erased: _erased,
    Http404: _not_found,
    ValidationError: _validation,
    InvalidInput: lambda request, error: invalid(error.errors, error.code),
    InvalidRequest: lambda request, error: invalid(error.errors),
    InTheFuture: lambda request, error: invalid([("as_of", str(error))]),
    HttpError: _http,
    RequestDataTooBig: _always(413, "too_large", "The body is too large."),
    SuspiciousOperation: _always(400, "bad_request", "The request cannot be read."),
    Moved: _moved,
    Refused: _correction_refused,
    OverTheCap: _over_the_cap,
    StalePlan: _stale,
    WouldTrample: _would_trample,
    Conflict: _always(409, "conflict"),
    ForbiddenMove: _always(409, "forbidden_move"),
    StaleItem: _always(412, "precondition_failed"),
    QueueTimeout: _busy,
    OutOfReach: _out_of_reach,
    RateLimited: rate_limited,
    Exception: _unforeseen,
}
