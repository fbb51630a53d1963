"""The tools as a server of the SDK; who calls is asked anew at each call."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from asgiref.sync import sync_to_async
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    CallToolResult,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ToolForm
from ninja.errors import AuthenticationError

from .caller import Caller
from .size import text_of
from .tool import Tool, tell

NAME = "mase"
INSTRUCTIONS = (
    "The long-term memory of your users. Before you answer, get_context or search_memory; when a "
    "user tells something that lasts, add_memories; when a user says that something remembered is "
    "wrong, correct_memory: show the preview, then confirm it."
)


def server_for(tools: Sequence[Tool], door: Callable[[], Caller]) -> Server:
    """A server of these tools. `door` says who calls, in a thread that may use the database, or
    raises what the API answers to a key that is none."""
    by_name = {tool.name: tool for tool in tools}

    async def list_tools(ctx, params) -> ListToolsResult:
        try:
            scopes = (await sync_to_async(door)()).auth.scopes
        except AuthenticationError:
            raise MCPError(code=INVALID_REQUEST, message="The key is no longer live") from None
        return ListToolsResult(tools=[_form(tool) for tool in tools if tool.needs in scopes])

    async def call_tool(ctx, params) -> CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool: {params.name[:100]}")
        told = await sync_to_async(tell)(tool, door, params.arguments or {})
        return CallToolResult(
            content=[TextContent(type="text", text=text_of(told.body))],
            # Some clients hold even a refusal against the schema of the answer.
            structured_content=None if told.refused else told.body,
            is_error=told.refused,
        )

    return Server(
        NAME,
        version=_version(),
        title="MASE",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


@cache
def _form(tool: Tool) -> ToolForm:
    return ToolForm(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(mode="serialization"),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.reads or tool.repeats,
            open_world_hint=False,
        ),
    )


def _version() -> str:
    try:
        return version("mase")
    except PackageNotFoundError:
        return "0"
