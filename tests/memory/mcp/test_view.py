"""The door of /mcp, before the protocol is spoken."""

import importlib.util
import json

import pytest
from django.test import Client

from memory import clock
from memory.models import ApiKey
from tests.factories import api_key, client_for

pytestmark = pytest.mark.django_db
HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "list_memories", "arguments": {}},
}


def send(client: Client, body=HANDSHAKE, **headers):
    named = {"accept": "application/json", **{n.replace("_", "-"): v for n, v in headers.items()}}
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post("/mcp", raw, content_type="application/json", headers=named)


def agent() -> Client:
    return client_for(api_key()[1])


def test_the_handshake_and_a_call_each_stand_alone():
    client = agent()
    hello = send(client).json()["result"]
    assert hello["serverInfo"]["name"] == "mase"
    assert "get_context" in hello["instructions"]
    ready = send(client, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (ready.status_code, ready.content) == (202, b"")
    answer = send(client, CALL, mcp_protocol_version="2025-06-18")
    assert answer["Content-Type"].startswith("application/json")
    assert answer["Cache-Control"] == "private, no-store"
    assert answer.json()["result"]["structuredContent"]["total"] == 0


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer mase_00000000_abc"}])
def test_without_a_live_key_nothing_is_said(headers):
    answer = Client(headers=headers).post("/mcp", HANDSHAKE, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorised")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_revoked_key_is_out_at_once():
    client = agent()
    assert send(client).status_code == 200
    ApiKey.objects.update(revoked_at=clock.now())
    assert send(client).status_code == 401


@pytest.mark.parametrize("method", ["get", "delete", "put"])
def test_only_post_for_there_is_no_stream_and_no_session(method):
    answer = getattr(agent(), method)("/mcp")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://testserver", 200),
        ("https://chat.example.org", 200),
        ("https://a.b.trusted.org", 200),
        ("https://evil.example.net", 403),
        ("http://testserver.evil.net", 403),
        ("http://testserver:81", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_a_page_of_elsewhere_cannot_use_it(settings, origin, status):
    settings.CSRF_TRUSTED_ORIGINS = ["https://chat.example.org", "https://*.trusted.org"]
    answer = send(agent(), origin=origin)
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["code"] == "foreign_origin"


def test_a_name_that_was_made_to_point_here_is_no_host():
    answer = send(agent(), host="rebound.example.net")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"\xff", b'{"jsonrpc":"2.0","id":1}', b'"x"', b"[" * 5000]
)
def test_what_is_no_message_is_an_error_of_the_protocol(raw):
    answer = send(agent(), raw)
    assert 400 <= answer.status_code < 500
    assert answer["Content-Type"] in ("application/json", "application/problem+json")


def test_a_body_is_bounded(settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = send(agent(), b" " * 2000)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_an_old_or_unheard_of_version_is_told_so():
    answer = send(agent(), CALL, mcp_protocol_version="1999-01-01")
    assert answer.status_code == 400


def test_without_the_extra_it_says_so(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    answer = send(agent())
    assert (answer.status_code, answer.json()["code"]) == (501, "not_installed")


def test_it_counts_against_the_rate_of_the_key():
    key, text = api_key()
    ApiKey.objects.filter(pk=key.pk).update(rate=1)
    client = client_for(text)
    assert send(client)["RateLimit-Limit"] == "1"
    answer = send(client)
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert int(answer["Retry-After"]) >= 1
