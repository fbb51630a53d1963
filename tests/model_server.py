"""A real OpenAI-compatible server on this machine that answers as a test wants, also badly."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What goes over the wire. `delay`: seconds before anything does; `drip`: seconds between
    single bytes of the body."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        return self.body["messages"]


Script = Reply | Callable[[Request], Reply]


def as_json(value: Any, **how: Any) -> Reply:
    how.setdefault("headers", {"Content-Type": "application/json"})
    return Reply(json.dumps(value).encode(), **how)


def message(content: Any, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """The body of a chat completion."""
    said = {"role": "assistant", "content": content} | more
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
    }


def said(content: Any, **how: Any) -> Reply:
    """A good completion; anything but text is said as JSON."""
    if not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False)
    return as_json(message(content), **how)


def error(status: int, told: str = "no", **headers: str) -> Reply:
    kinds = {"Content-Type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    return as_json({"error": {"message": told}}, status=status, headers=kinds)


TOOL_CALL = as_json(
    message(
        None,
        "tool_calls",
        tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    )
)
NO_CHOICE = as_json({"object": "chat.completion", "choices": []})
SILENCE = as_json(message(""))
PAGE = Reply(b"<html><body>Sign in</body></html>", headers={"Content-Type": "text/html"})
HUGE = as_json(message("x" * 2_000_000))


class ModelServer:
    """`with ModelServer(first, second) as server`: answers by the script, its last line again
    and again; `server.url` is the base address, `server.requests` what came in."""

    def __init__(self, *script: Script) -> None:
        self.script, self.requests = list(script), []
        self._over, self._guard = threading.Event(), threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> "ModelServer":
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()

    def _next(self, request: Request) -> Reply:
        with self._guard:
            line = self.script[min(len(self.requests), len(self.script) - 1)]
            self.requests.append(request)
        return line if isinstance(line, Reply) else line(request)

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.path, dict(self.headers), json.loads(data or b"{}"))
                try:
                    self._send(server._next(request))
                except OSError:
                    self.close_connection = True  # The client no longer listens.

            def do_GET(self) -> None:
                self.do_POST()

            def _send(self, reply: Reply) -> None:
                if reply.delay and server._over.wait(reply.delay):
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                if not reply.drip:
                    self.wfile.write(reply.body)
                    return
                for byte in reply.body:
                    self.wfile.write(bytes([byte]))
                    if server._over.wait(reply.drip):
                        return

            def log_message(self, *_: object) -> None:
                """Silent: a test's output is its own."""

        return Handler
