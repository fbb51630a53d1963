"""The server at an address of the ordinary site: one POST, one JSON answer, nothing kept between.

The SDK speaks ASGI and knows every version of the protocol; this site is WSGI. So each request
is handed to the SDK's own transport in memory, and the tools run in the request's thread, with
its database connection.
"""

from urllib.parse import urlsplit

import anyio
from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


def exchange(server: Server, request: HttpRequest) -> HttpResponse:
    """What the protocol answers to this request."""
    return async_to_sync(_exchanged)(server, _scope(request), request.body)


def is_own_origin(request: HttpRequest) -> bool:
    """Whether a request comes from this site or a trusted one, or from no page at all. A page
    whose name was made to point here brings a host that is not allowed: raises `DisallowedHost`.
    """
    own = f"{request.scheme}://{request.get_host()}"
    origin = request.headers.get("Origin")
    trusted = {own, *settings.CSRF_TRUSTED_ORIGINS}
    return origin is None or origin in trusted or _is_beneath(origin, trusted)


def _is_beneath(origin: str, trusted: set[str]) -> bool:
    parts = urlsplit(origin)
    return any(
        f"{parts.scheme}://*{parts.netloc[at:]}" in trusted
        for at, char in enumerate(parts.netloc)
        if char == "."
    )


async def _exchanged(server: Server, scope: dict, body: bytes) -> HttpResponse:
    manager = StreamableHTTPSessionManager(
        app=server,
        json_response=True,
        stateless=True,
        max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
    )
    messages, sent = [{"type": "http.request", "body": body, "more_body": False}], []

    async def receive() -> dict:
        if not messages:
            await anyio.sleep_forever()
        return messages.pop()

    async def send(message: dict) -> None:
        sent.append(message)

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return _response(sent)


def _response(sent: list[dict]) -> HttpResponse:
    start = next(message for message in sent if message["type"] == "http.response.start")
    body = b"".join(m.get("body", b"") for m in sent if m["type"] == "http.response.body")
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    headers.pop("content-length", None)
    return HttpResponse(body, status=start["status"], headers=headers)


def _scope(request: HttpRequest) -> dict:
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in request.headers.items()
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }
