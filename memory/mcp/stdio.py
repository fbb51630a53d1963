"""The server on this process's own input and output, for a client that starts it."""

import threading
from collections.abc import Sequence

import anyio
from mcp.server.stdio import stdio_server
from ninja.errors import AuthenticationError

from memory.api import rates
from memory.models import ApiKey
from memory.recall.asker import warm_meaning
from memory.text import segment

from .caller import Caller, caller_with
from .server import server_for
from .tool import Tool


def door_of(text: str) -> Caller:
    """Who calls with this key; raises `AuthenticationError` once it is revoked or expired,
    `RateLimited`."""
    key = ApiKey.objects.holding(text)
    if key is None:
        raise AuthenticationError
    rates.count(key)
    return caller_with(key)


def serve_stdio(tools: Sequence[Tool], key: str) -> None:
    """Serve until the client closes the input. The SDK points this process's standard output at
    its standard error meanwhile, so nothing that prints gets among the messages."""
    server = server_for(tools, lambda: door_of(key))
    # The dictionary takes 1-2 s to load, while the client is still shaking hands.
    threading.Thread(target=segment.warm, daemon=True).start()
    warm_meaning()

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)
