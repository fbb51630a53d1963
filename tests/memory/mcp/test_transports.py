"""The SDK's own client over both transports: a process of its own, and the served site."""

import asyncio
import subprocess
import sys
from dataclasses import replace

import httpx2
import pytest
from django.core.management import CommandError, call_command
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.live import MANAGE, ROOT, free_port, wait_for


def talk(client: Client) -> dict:
    """A write, a search and a list by one client; what came of them."""

    async def talking():
        async with client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            said = {"user_id": "ann.of.mcp", "text": "我的预算是1200元"}
            added = await client.call_tool("add_memories", said)
            asked = {"user_id": "ann.of.mcp", "query": "我的预算是多少？"}
            found = await client.call_tool("search_memory", asked)
            return {
                "names": names,
                "added": added.structured_content["results"][0]["action"],
                "found": [i["memory"]["text"] for i in found.structured_content["items"]],
            }

    return asyncio.run(talking())


def over_http(live, mode: str, **headers: str) -> Client:
    sent = {"Authorization": f"Bearer {live.key}"} | headers
    http = httpx2.AsyncClient(headers=sent, timeout=60)
    return Client(streamable_http_client(live.url + "/mcp", http_client=http), mode=mode)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_http_at_the_ordinary_server(live, mode):
    told = talk(over_http(live, mode))
    assert len(told["names"]) == 11
    assert told["added"] in ("added", "confirmed")
    assert told["found"] == ["我的预算是1200元"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_stdio_in_a_process_of_its_own(live, mode):
    server = StdioServerParameters(
        command=sys.executable,
        args=[MANAGE[1], "mcp", "--skip-checks"],
        env=live.environment | {"MASE_API_KEY": live.key},
        cwd=ROOT,
    )
    told = talk(Client(server, mode=mode))
    assert len(told["names"]) == 11
    assert told["found"] == ["我的预算是1200元"]


def test_nothing_but_messages_is_written_to_standard_output(live):
    done = subprocess.run(
        [*MANAGE, "mcp", "--key", live.key],
        input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        env=live.environment | {"MASE_LOG_LEVEL": "DEBUG"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert all(line.startswith('{"jsonrpc"') for line in done.stdout.splitlines())


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "mase_00000000_abc"])
def test_stdio_does_not_start_without_a_live_key(monkeypatch, capsys, key):
    monkeypatch.setenv("MASE_API_KEY", key)
    with pytest.raises(CommandError, match="API key"):
        call_command("mcp")
    assert capsys.readouterr().out == ""


def test_the_key_bounds_what_http_shows(live):
    text = live.manage("create_api_key", "bobs", "--scopes", "read", "--user", "bob").split()[-1]

    async def asking():
        async with over_http(live, "auto", Authorization=f"Bearer {text}") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            return names, (await client.call_tool("list_memories", {})).structured_content

    names, page = asyncio.run(asking())
    assert "add_memories" not in names
    assert page["items"] == []


def test_http_of_the_command_itself(live):
    port = str(free_port())
    process = subprocess.Popen(
        [*MANAGE, "mcp", "--http", "--port", port, "--skip-checks"],
        env=live.environment,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(url + "/readyz")
        told = talk(over_http(replace(live, url=url), "auto"))
        assert told["found"] == ["我的预算是1200元"]
    finally:
        process.terminate()
        process.wait(timeout=20)
