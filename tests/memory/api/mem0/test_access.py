"""Which scope each operation of mem0's needs: run with it, without it and with no key."""

import json
import uuid

import pytest
from django.test import Client

from memory.api.mem0 import api
from memory.models import KEY_SCOPES
from tests.factories import api_key, client_for

pytestmark = pytest.mark.django_db
ID = uuid.UUID(int=7)
ANN = {"user_id": "ann"}
SAID = {"messages": [{"role": "user", "content": "好"}], **ANN}
ASKED = {"query": "好", "filters": ANN}
ONE = {"memories": [{"memory_id": str(ID), "text": "好"}]}
OPERATIONS = [
    ("POST", "/v1/memories/", "write", SAID, 200),
    ("GET", "/v1/memories/?user_id=ann", "read", None, 200),
    ("DELETE", "/v1/memories/?user_id=ann", "correct", None, 200),
    ("POST", "/v2/memories/", "read", {"filters": ANN}, 200),
    ("POST", "/v3/memories/", "read", {"filters": ANN}, 200),
    ("POST", "/v3/memories/add/", "write", SAID, 200),
    ("POST", "/v1/memories/search/", "read", ASKED, 200),
    ("POST", "/v2/memories/search/", "read", ASKED, 200),
    ("POST", "/v3/memories/search/", "read", ASKED, 200),
    ("GET", f"/v1/memories/{ID}/", "read", None, 404),
    ("PUT", f"/v1/memories/{ID}/", "correct", {"text": "好"}, 404),
    ("DELETE", f"/v1/memories/{ID}/", "correct", None, 404),
    ("GET", f"/v1/memories/{ID}/history/", "read", None, 404),
    ("PUT", "/v1/batch/", "correct", ONE, 404),
    ("DELETE", "/v1/batch/", "correct", ONE, 404),
    ("GET", "/v1/entities/", "read", None, 200),
    ("DELETE", "/v2/entities/user/ann/", "correct", None, 200),
    ("GET", f"/v1/event/{ID}/", "read", None, 404),
    ("POST", "/v1/feedback/", "write", {"memory_id": str(ID), "feedback": "POSITIVE"}, 404),
    ("POST", "/mem0/memories", "write", SAID, 200),
    ("GET", "/mem0/memories?user_id=ann", "read", None, 200),
    ("DELETE", "/mem0/memories?user_id=ann", "correct", None, 200),
    ("POST", "/mem0/search", "read", ASKED, 200),
    ("GET", f"/mem0/memories/{ID}", "read", None, 404),
    ("PUT", f"/mem0/memories/{ID}", "correct", {"text": "好"}, 404),
    ("DELETE", f"/mem0/memories/{ID}", "correct", None, 404),
    ("GET", f"/mem0/memories/{ID}/history", "read", None, 404),
]
# Any live key shakes hands.
HANDSHAKE = ("GET", "/v1/ping/")


def send(client: Client, method: str, path: str, body):
    sent = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    return client.generic(method, path, **sent)


@pytest.mark.parametrize(("method", "path", "scope", "body", "status"), OPERATIONS)
def test_each_operation_needs_exactly_its_scope(method, path, scope, body, status):
    with_it = send(client_for(api_key(scopes=[scope], name="with")[1]), method, path, body)
    assert with_it.status_code == status, with_it.content
    others = [name for name in KEY_SCOPES if name != scope]
    without = send(client_for(api_key(scopes=others, name="without")[1]), method, path, body)
    assert (without.status_code, without.json()["code"]) == (403, "missing_scope")
    nobody = send(Client(), method, path, body)
    assert (nobody.status_code, nobody.json()["code"]) == (401, "unauthorised")


@pytest.mark.parametrize("scope", KEY_SCOPES)
def test_any_live_key_shakes_hands(scope):
    method, path = HANDSHAKE
    assert send(client_for(api_key(scopes=[scope])[1]), method, path, None).status_code == 200
    assert send(Client(), method, path, None).status_code == 401


def test_the_table_above_is_complete():
    known = {
        (method.upper(), path.replace("{memory_id}", str(ID)).replace("{event_id}", str(ID))
         .replace("{kind}", "user").replace("{name}", "ann"))
        for path, operations in api.get_openapi_schema(path_prefix="")["paths"].items()
        for method in operations
    }  # fmt: skip
    assert {(m, p.partition("?")[0]) for m, p, *_ in OPERATIONS} | {HANDSHAKE} == known
