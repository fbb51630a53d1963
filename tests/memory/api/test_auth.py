"""Keys: how they are sent, when they are refused, which scope does what."""

import re
import uuid
from datetime import timedelta

import pytest
from django.test import Client

from memory import clock
from memory.models import KEY_SCOPES, ApiKey
from memory.write.queue import QueueTimeout
from tests.factories import api_key, client_for, remember
from tests.memory.api.calls import call, get, owner

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("authorization", "Bearer {}"),
        ("authorization", "bearer {}"),
        ("authorization", "Token {}"),
        ("x-api-key", "{}"),
    ],
)
def test_a_key_may_be_sent_in_three_ways(header, form):
    text = api_key()[1]
    assert get(Client(headers={header: form.format(text)}), "/memories").status_code == 200


def refused_keys() -> dict[str, dict]:
    good = api_key(name="good")[1]
    revoked, revoked_text = api_key(name="revoked")
    ApiKey.objects.filter(pk=revoked.pk).update(revoked_at=clock.now())
    expired = api_key(name="expired", expires_at=clock.now() - timedelta(seconds=1))[1]
    return {
        "none": {},
        "unknown": {"authorization": "Bearer mase_00000000_abc"},
        "no key at all": {"authorization": "Bearer 钥匙".encode().decode("latin-1")},
        "other scheme": {"authorization": f"Basic {good}"},
        "half": {"authorization": f"Bearer {good[:-1]}"},
        "revoked": {"x-api-key": revoked_text},
        "expired": {"authorization": f"Bearer {expired}"},
    }


def test_every_dead_key_gets_the_same_refusal():
    answers = [get(Client(headers=headers), "/memories") for headers in refused_keys().values()]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.content for answer in answers} == {answers[0].content}
    assert answers[0].problem == "unauthorised"
    assert all(answer["WWW-Authenticate"].startswith("Bearer") for answer in answers)


def test_an_unknown_path_is_not_a_door():
    assert get(Client(), "/memory").problem == "not_found"


ID = uuid.UUID(int=7)
OPERATIONS = [
    ("POST", "/memories", "write", {"user_id": "ann", "text": "好"}, 201),
    ("POST", "/memories/bulk", "write",
     {"items": [{"user_id": "ann", "entity": "e", "attribute": "a", "value": "1"}]}, 200),
    ("GET", "/memories", "read", None, 200),
    ("GET", f"/memories/{ID}", "read", None, 404),
    ("PATCH", f"/memories/{ID}", "correct", {"text": "好"}, 404),
    ("GET", f"/memories/{ID}/history", "read", None, 404),
    ("GET", f"/memories/{ID}/accesses", "read", None, 404),
    ("POST", f"/memories/{ID}/confirm", "correct", {}, 404),
    ("POST", f"/memories/{ID}/retract", "correct", {}, 404),
    ("POST", f"/memories/{ID}/restore", "correct", {}, 404),
    ("POST", f"/memories/{ID}/approve", "correct", {"reason": "好"}, 404),
    ("POST", f"/memories/{ID}/reject", "correct", {"reason": "好"}, 404),
    ("POST", f"/memories/{ID}/erase", "erase", {"reason": "好"}, 404),
    ("GET", "/erasures", "read", None, 200),
    ("GET", f"/erasures/{ID}", "read", None, 404),
    ("GET", "/exports", "read", None, 200),
    ("POST", "/imports", "write", {}, 422),
    ("GET", "/imports/formats", "read", None, 200),
    ("POST", f"/imports/{ID}/apply", "write", {}, 404),
    ("DELETE", f"/imports/{ID}", "write", None, 404),
    ("GET", "/ledger/verify", "read", None, 200),
    ("POST", "/recall", "read", {"query": "好", "user_id": "ann"}, 200),
    ("GET", "/entities", "read", None, 422),
    ("GET", "/entities/x/links", "read", None, 422),
    ("POST", "/recall/why-not", "read",
     {"query": "好", "user_id": "ann", "memory_id": str(ID)}, 404),
    ("POST", "/diagnose", "read",
     {"symptom": "unused", "query": "好", "user_id": "ann", "memory_id": str(ID)}, 404),
    ("GET", "/recalls", "read", None, 200),
    ("GET", f"/recalls/{ID}", "read", None, 404),
    ("GET", f"/recalls/{ID}/export", "read", None, 404),
    ("POST", "/recalls/verify", "read", {}, 422),
    ("POST", f"/recalls/{ID}/outcome", "write", {"answer": "好"}, 404),
    ("POST", f"/recalls/{ID}/replay", "read", {}, 404),
    ("POST", f"/recalls/{ID}/feedback", "write", {"verdict": "good"}, 404),
    ("POST", "/corrections", "correct", {"text": "好", "user_id": "ann"}, 201),
    ("GET", "/corrections", "read", None, 200),
    ("GET", f"/corrections/{ID}", "read", None, 404),
    ("POST", f"/corrections/{ID}/apply", "correct", {}, 404),
    ("POST", f"/corrections/{ID}/dismiss", "correct", {}, 404),
    ("GET", "/batches", "read", None, 200),
    ("GET", f"/batches/{ID}", "read", None, 404),
    ("POST", f"/batches/{ID}/undo", "correct", {}, 404),
    ("POST", "/turns", "write", {"role": "user", "content": "好"}, 201),
    ("GET", "/turns", "read", None, 200),
    ("GET", "/diff", "read", None, 422),
    ("GET", f"/turns/{ID}", "read", None, 404),
    ("GET", "/working/s1", "read", None, 422),
    ("DELETE", "/working/s1", "write", None, 422),
    ("GET", "/working/s1/k", "read", None, 422),
    ("PUT", "/working/s1/k", "write", {"user_id": "ann", "value": 1}, 200),
    ("DELETE", "/working/s1/k", "write", None, 422),
    ("POST", "/images", "write", {}, 422),
    ("GET", "/images", "read", None, 200),
    ("GET", f"/images/{ID}", "read", None, 404),
    ("GET", f"/images/{ID}/file", "read", None, 404),
    ("GET", f"/images/{ID}/thumbnail", "read", None, 404),
    ("GET", "/jobs", "read", None, 200),
    ("GET", f"/jobs/{ID}", "read", None, 404),
    ("GET", f"/jobs/{ID}/rows", "read", None, 404),
    ("POST", f"/jobs/{ID}/cancel", "write", None, 404),
    ("GET", "/health", "read", None, 200),
    ("GET", "/health/reports", "read", None, 200),
    ("GET", "/health/reports/7", "read", None, 404),
    ("GET", "/health/trend", "read", None, 200),
    ("POST", "/webhooks", "correct", {"url": "ftp://a"}, 422),
    ("GET", "/webhooks", "correct", None, 200),
    ("GET", f"/webhooks/{ID}", "correct", None, 404),
    ("DELETE", f"/webhooks/{ID}", "correct", None, 404),
    ("GET", f"/webhooks/{ID}/deliveries", "correct", None, 404),
    ("GET", "/questions", "read", None, 200),
    ("POST", "/questions", "write",
     {"user_id": "ann", "text": "预算是多少？", "expected": ["640"]}, 201),
    ("POST", "/questions/run", "write", {}, 200),
    ("GET", "/questions/runs", "read", None, 200),
    ("GET", f"/questions/runs/{ID}", "read", None, 404),
    ("GET", f"/questions/{ID}", "read", None, 404),
    ("PATCH", f"/questions/{ID}", "write", {"note": "好"}, 404),
    ("DELETE", f"/questions/{ID}", "write", None, 404),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "scope", "body", "status"), OPERATIONS)
def test_each_operation_needs_exactly_its_scope(method, path, scope, body, status):
    with_it = call(client_for(api_key(scopes=[scope], name="with")[1]), method, path, body)
    assert with_it.status_code == status
    others = [name for name in KEY_SCOPES if name != scope]
    without = call(client_for(api_key(scopes=others, name="without")[1]), method, path, body)
    assert (without.status_code, without.problem) == (403, "missing_scope")
    nobody = call(Client(), method, path, body)
    assert (nobody.status_code, nobody.problem) == (401, "unauthorised")


def filled_in(path: str) -> str:
    """A path's parameters as the table has them."""
    said = {"name": "x", "session_id": "s1", "key": "k", "report_id": "7"}
    return re.sub(r"\{(\w+)\}", lambda found: said.get(found[1], str(ID)), path)


def test_the_table_above_is_complete():
    from memory.api import api

    known = {
        (method.upper(), filled_in(path.removeprefix("/api/v1")))
        for path, operations in api.get_openapi_schema()["paths"].items()
        for method in operations
    }
    assert known == {(method, path) for method, path, *_ in OPERATIONS}


def test_the_last_use_is_noted_once_a_minute():
    key, text = api_key()
    client = client_for(text)
    start = clock.now()
    for seconds, noted in ((0, 0), (59, 0), (61, 61)):
        with clock.at(start + timedelta(seconds=seconds)):
            get(client, "/memories")
        key.refresh_from_db()
        assert key.last_used_at == start + timedelta(seconds=noted)


def test_a_full_queue_does_not_fail_a_reader(monkeypatch):
    def full(*args):
        raise QueueTimeout("full")

    remember(text="Ann prefers trains")
    key, text = api_key()
    monkeypatch.setattr("memory.write.queue.turn", full)
    assert get(client_for(text), "/memories").data["total"] == 1
    key.refresh_from_db()
    assert key.last_used_at is None


def test_a_full_queue_tells_a_writer_to_come_again(monkeypatch):
    client = owner()
    get(client, "/memories")

    def full(*args):
        raise QueueTimeout("full")

    monkeypatch.setattr("memory.write.queue.turn", full)
    answer = call(client, "POST", "/memories", {"user_id": "ann", "text": "好"})
    assert (answer.status_code, answer.problem) == (503, "busy")
    assert int(answer["Retry-After"]) >= 1
