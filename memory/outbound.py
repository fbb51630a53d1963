"""One exchange with a server outside: one that the operator named in the settings, or one whose
address was judged before (`memory.addresses`)."""

import http.client
import io
import json
import socket
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.views.decorators.debug import sensitive_variables

# Long enough for a handshake across the world; leaves time for the name's next address.
CONNECT_SECONDS = 5.0


class NoAnswer(Exception):
    """`code`: "timeout", "too_long" (more than the limit), "refused" (all else that broke)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Answer:
    """What came back, whatever the status. A redirect is not followed: it is the answer."""

    status: int
    retry_after: str
    body: bytes


@sensitive_variables("key", "headers")
def post_json(url: str, payload: Any, *, key: str, seconds: float, limit: int) -> Answer:
    """POST `payload` as JSON, with `key` (unless empty) as bearer token.

    `seconds` bounds the whole exchange, a body that drips in included; http.client is used
    because the timeouts of urllib, requests and httpx start again with each piece received.
    More than `limit` bytes are not read. Raises `NoAnswer`.
    """
    headers = {"Content-Type": "application/json", "User-Agent": "mase"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    body = json.dumps(payload).encode()
    return post(url, body, headers=headers, seconds=seconds, limit=limit)


@sensitive_variables("headers")
def post(
    url: str,
    data: bytes,
    *,
    headers: dict[str, str],
    seconds: float,
    limit: int,
    number: str = "",
) -> Answer:
    """POST bytes; with `number` to that IP address, whatever the name in `url` resolves to now
    (the certificate is still held to the name). Bounded as `post_json` is. Raises `NoAnswer`."""
    end = time.monotonic() + seconds
    connection = None
    try:
        connection = _connection(url, end, number)
        connection.connect()
        connection.sock.settimeout(_left(end))
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, data, headers)
        with connection.getresponse() as response:
            body = response.read(limit + 1)
    except TimeoutError:
        raise NoAnswer("timeout") from None
    except (OSError, ValueError, http.client.HTTPException):
        # Their messages may quote a header: nothing of them is passed on.
        raise NoAnswer("refused") from None
    finally:
        if connection is not None:
            connection.close()
    if len(body) > limit:
        raise NoAnswer("too_long")
    return Answer(response.status, response.headers.get("Retry-After", ""), body)


def _connection(url: str, end: float, number: str = "") -> http.client.HTTPConnection:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=min(CONNECT_SECONDS, _left(end)))
    connection.response_class = lambda sock, **how: http.client.HTTPResponse(
        _Until(sock, end), **how
    )
    if number:
        connection._create_connection = lambda address, *how: socket.create_connection(
            (number, address[1]), *how
        )
    return connection


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Until:
    """A socket that is read until `end` and not longer, however little comes at a time."""

    def __init__(self, sock: Any, end: float) -> None:
        self._sock, self._end = sock, end

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Pieces(self._sock, self._end))


class _Pieces(io.RawIOBase):
    def __init__(self, sock: Any, end: float) -> None:
        self._sock, self._end = sock, end
        # Holds the socket open when the connection lets go of it before the body is read.
        self._file = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(_left(self._end))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()
