"""`Idempotency-Key`: a POST that is sent again is answered again and not carried out again."""

import hashlib
import logging
import re

from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.http import HttpResponse

from memory.models import ApiKey
from memory.write import answers
from memory.write.answers import Given, Mismatch, StillRunning
from memory.write.queue import QueueTimeout

from . import rates
from .auth import BearerKey, HeaderKey
from .lanes import MEM0
from .problems import invalid, problem, rate_limited
from .rates import RateLimited

logger = logging.getLogger(__name__)
HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
# Of the answer's headers those that say something about what was done.
KEPT_HEADERS = ("ETag", "X-Recall-Id", "Link", "Location")
# MCP has no place for such a key: its clients send the same headers with every call.
SERVED = ("/api/", *MEM0)
_NAME = re.compile(r"[!-~][ -~]{0,253}[!-~]|[!-~]", re.ASCII)
_DOORS = (BearerKey("write"), HeaderKey("write"))


def idempotent(get_response):
    """Middleware. A request larger than a body in memory may be is not looked at: it is refused
    behind, or it is a file, which its import knows again by its content."""

    def middleware(request):
        name = request.headers.get(HEADER)
        if name is None or request.method != "POST" or not request.path.startswith(SERVED):
            return get_response(request)
        key = _key(request)
        if key is None:
            return get_response(request)
        if not _NAME.fullmatch(name):
            return invalid([(HEADER, "is 1 to 255 printable ASCII characters")])
        try:
            said = _digest(request)
        except RequestDataTooBig:
            return get_response(request)
        return _answered(request, get_response, key, name, said)

    return middleware


def _answered(request, get_response, key: ApiKey, name: str, said: str) -> HttpResponse:
    try:
        given = answers.begin(key, name, said)
    except Mismatch:
        detail = f"Another request was sent with this {HEADER} before."
        return problem(422, "idempotency_mismatch", detail)
    except StillRunning as error:
        wait = {"Retry-After": str(error.retry_after_seconds)}
        return problem(409, "still_running", "The first request is still at it.", headers=wait)
    except QueueTimeout as error:
        wait = {"Retry-After": str(error.retry_after_seconds)}
        return problem(503, "busy", str(error), headers=wait)
    if given is not None:
        return _again(request, key, given)
    try:
        response = get_response(request)
    except BaseException:
        _closed(lambda: answers.drop(key, name))
        raise
    if response.status_code >= 400 or response.streaming:
        _closed(lambda: answers.drop(key, name))
        return response
    headers = {name: response[name] for name in KEPT_HEADERS if name in response}
    told = Given(response.status_code, headers, response.content.decode())
    _closed(lambda: answers.keep(key, name, told))
    return response


def _again(request, key: ApiKey, given: Given) -> HttpResponse:
    try:
        request.rate = rates.count(key)
    except RateLimited as error:
        return rate_limited(request, error)
    headers = {**given.headers, REPLAYED: "true"}
    if given.status == answers.ERASED:
        return problem(410, "erased", "The answer told a memory that was erased.", headers=headers)
    return HttpResponse(
        given.body, status=given.status, content_type="application/json", headers=headers
    )


def _closed(close) -> None:
    """The request is answered whatever becomes of the note; a note that stays open lets the next
    of its name wait a minute."""
    try:
        close()
    except (QueueTimeout, DatabaseError):
        logger.exception("the answer to a request with %s was not noted", HEADER)


def _key(request) -> ApiKey | None:
    texts = filter(None, (door.key_text(request) for door in _DOORS))
    return next(filter(None, map(ApiKey.objects.holding, texts)), None)


def _digest(request) -> str:
    """All that the request says; the key's text is no part of it."""
    parts = (request.method, request.get_full_path(), request.headers.get("Content-Type", ""))
    told = hashlib.sha256("\n".join(parts).encode())
    told.update(b"\n" + request.body)
    return told.hexdigest()
