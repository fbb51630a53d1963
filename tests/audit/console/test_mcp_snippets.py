"""The settings of MCP clients on the page of a key lead to the tools."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from audit.console.snippets import snippets
from tests import factories as make

pytestmark = pytest.mark.django_db
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_each_of_them_with_the_key_put_in_is_answered():
    key, text = make.api_key()
    pieces = [p for p in snippets(key, "http://testserver/api/v1") if p.title.startswith("MCP")]
    assert len(pieces) == 2
    for piece in pieces:
        assert text not in piece.code
        filled = re.sub(r"\$\{(env:)?MASE_API_KEY\}", text, piece.code)
        server = json.loads(filled)["mcpServers"]["mase"]
        assert server["url"] == "http://testserver" + reverse("mcp")
        headers = server["headers"] | {"Accept": "application/json"}
        answer = Client(headers=headers).post(reverse("mcp"), PING, content_type="application/json")
        assert answer.json()["result"] == {}
