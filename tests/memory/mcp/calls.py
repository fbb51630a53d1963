"""Calling tools as the SDK's own client does, in this process."""

import json
from typing import Any

from asgiref.sync import async_to_sync
from mcp import Client
from mcp.types import CallToolResult, ListToolsResult

from audit.health.tool import TOOL
from memory.mcp.server import server_for
from memory.mcp.stdio import door_of
from memory.mcp.toolbox import TOOLS

ALL = (*TOOLS, TOOL)


def listed(key: str, mode: str = "auto") -> ListToolsResult:
    @async_to_sync
    async def ask():
        async with Client(server_for(ALL, lambda: door_of(key)), mode=mode) as client:
            return await client.list_tools()

    return ask()


def called(key: str, name: str, *, listing: bool = True, **arguments: Any) -> CallToolResult:
    """One call; with `listing` the client holds the answer against the tool's output schema."""

    @async_to_sync
    async def ask():
        async with Client(server_for(ALL, lambda: door_of(key))) as client:
            if listing:
                await client.list_tools()
            return await client.session.call_tool(name, arguments)

    answer = ask()
    said = json.loads(answer.content[0].text)
    assert answer.structured_content == (None if answer.is_error else said)
    return answer


def told(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    answer = called(key, name, **arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


def refused(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    answer = called(key, name, **arguments)
    assert answer.is_error, answer.structured_content
    return json.loads(answer.content[0].text)
