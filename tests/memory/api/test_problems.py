"""Refusals: always problem details, never a 500 for what was sent."""

import logging

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import Memory
from tests.factories import scope
from tests.memory.api.calls import call, get, owner

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"", 422, "invalid"),
        (b"null", 422, "invalid"),
        (b"[1]", 422, "invalid"),
        (b'""', 422, "invalid"),
        (b"{", 400, "bad_json"),
        (b"user_id=ann&text=x", 400, "bad_json"),
        (b'{"text":"\xff"}', 400, "bad_json"),
        (b'{"text":"\xed\xa0\xbd"}', 400, "bad_json"),
        ('{"text":"好"}'.encode("utf-16"), 400, "bad_json"),
        (b'{"text":"a","confidence":NaN}', 400, "bad_json"),
        (b'{"text":"a","text":"b"}', 400, "bad_json"),
        (b'{"text":"a","metadata":{"x":-Infinity}}', 400, "bad_json"),
        (b'{"text":"a","confidence":1e999}', 400, "bad_json"),
        (b'{"text":"a","importance":' + b"9" * 5000 + b"}", 400, "bad_json"),
        (b"[" * 20_000 + b"]" * 20_000, 400, "bad_json"),
        (b'{"metadata":' + b'{"a":' * 40 + b"1" + b"}" * 41, 400, "bad_json"),
        (b'{"text":"\\ud83d"}', 422, "invalid"),
        (b'{"text":"a","metadata":{"\\udc81":1}}', 422, "invalid"),
        (b'{"text":"a\\u0000b"}', 422, "invalid"),
        (b'{"text":"' + b"a" * 2_700_000 + b'"}', 413, "too_large"),
    ],
)
def test_an_awkward_body_is_refused(raw, status, code):
    answer = call(owner(), "POST", "/memories", raw=raw)
    assert (answer.status_code, answer.problem) == (status, code)
    assert Memory.objects.within(scope()).count() == 0


def test_a_surrogate_pair_that_is_whole_is_welcome():
    raw = b'{"user_id":"ann","text":"\\ud83d\\ude80 launch","metadata":{"a":[[[1]]]}}'
    answer = call(owner(), "POST", "/memories", raw=raw)
    assert answer.data["results"][0]["memory"]["text"] == "🚀 launch"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "not_found"),
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/memories/", 404, "not_found"),
        ("PUT", "/memories", 405, "method_not_allowed"),
        ("DELETE", "/turns", 405, "method_not_allowed"),
    ],
)
def test_what_no_operation_takes(method, path, status, code):
    answer = call(owner(), method, path)
    assert (answer.status_code, answer.problem) == (status, code)
    assert answer.data["title"]
    assert ("Allow" in answer) == (status == 405)


def test_outside_the_first_version_there_is_nothing():
    answer = Client().get("/api/v0/memories")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_what_we_did_not_foresee_is_logged_and_tells_nothing(monkeypatch, caplog):
    def broken(*args, **kwargs):
        raise RuntimeError("secret path /srv/x")

    monkeypatch.setattr("memory.api.memories.listed", broken)
    with caplog.at_level(logging.ERROR, "memory.api.problems"):
        answer = get(owner(), "/memories")
    assert (answer.status_code, answer.problem) == (500, "internal")
    assert b"secret" not in answer.content
    assert "secret path" in caplog.text


def test_no_cache_keeps_an_answer():
    assert get(owner(), "/memories")["Cache-Control"] == "private, no-store"


def test_too_many_parameters_are_a_bad_request():
    query = "&".join(f"a{number}=1" for number in range(1100))
    assert call(owner(), "GET", f"/memories?{query}").problem == "bad_request"


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.uuids().map(str),
    st.datetimes().map(str), st.sampled_from(["ann", "*", "any", "user", "fact"]),
)  # fmt: skip
names = st.sampled_from(
    [
        "user_id", "agent_id", "session_id", "text", "entity", "attribute", "value", "kind", "tags",
        "links", "source", "importance", "confidence", "occurred_at", "valid_to", "ttl_seconds",
        "evidence", "turn_id", "quote", "metadata", "messages", "role", "content", "infer",
        "reason", "query", "kinds", "limit", "as_of", "profile", "budget_tokens", "turns",
        "prompt", "answer",
    ]
)  # fmt: skip
bodies = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(names, st.text(max_size=5)), inner, max_size=6),
    ),
    max_leaves=20,
)


@given(body=bodies, place=st.integers(0, 8), data=st.data())
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_body_gives_a_server_error(body, place, data):
    client = owner(name=f"k{place}")
    kept = call(client, "POST", "/memories", {"user_id": "ann", "text": "好"}).data
    memory, batch = kept["results"][0]["memory"]["id"], kept["batch_id"]
    recall = call(client, "POST", "/recall", {"user_id": "ann", "query": "好"}).data["recall_id"]
    method, path = [
        ("POST", "/memories"), ("POST", "/recall"), ("POST", "/turns"),
        ("PATCH", f"/memories/{memory}"), ("POST", f"/memories/{memory}/confirm"),
        ("POST", f"/memories/{memory}/retract"), ("POST", f"/memories/{memory}/restore"),
        ("POST", f"/batches/{batch}/undo"), ("POST", f"/recalls/{recall}/outcome"),
    ][place]  # fmt: skip
    if isinstance(body, dict):
        body = data.draw(st.sampled_from([{}, {"text": "好"}, {"query": "好"}])) | body
    assert call(client, method, path, body).status_code < 500


queries = st.dictionaries(
    st.sampled_from(
        [
            "user_id", "agent_id", "session_id", "entity", "attribute", "kind", "domain", "status",
            "source", "q", "since", "until", "sort", "limit", "cursor", "memory_id", "fresh",
        ]
    ),
    st.one_of(
        st.text(max_size=12), st.integers().map(str), st.datetimes().map(str),
        st.binary(max_size=20).map(lambda b: b.decode("latin-1")),
        st.sampled_from(["any", "active", "-created", "created", "updated", "importance", "ann"]),
    ),
    max_size=5,
)  # fmt: skip


@given(query=queries, path=st.sampled_from(["memories", "recalls", "batches", "turns", "health"]))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_query_gives_a_server_error(query, path):
    assert get(owner(), f"/{path}", **query).status_code < 500
