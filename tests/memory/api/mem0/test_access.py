"""Which scope each operation of mem0's needs: run with it, without it and with no key."""

import json
import re
import uuid

import pytest
from django.test import Client

from memory.api.mem0 import api
from memory.api.mem0.unserved import NOT_SERVED
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
    ("GET", "/v1/events/", "read", None, 200),
    ("GET", "/v1/stats/", "read", None, 200),
    ("GET", "/api/v1/orgs/organizations/w1/projects/w1/", "read", None, 200),
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
# What is not served, to any live key.
REFUSED = [
    ("GET", "/v2/entities/user/ann/"),
    ("PATCH", "/api/v1/orgs/organizations/w1/projects/w1/"),
    ("DELETE", "/api/v1/orgs/organizations/w1/projects/w1/"),
]
REFUSED_TOO = [
    (method, "/" + re.sub(r"<str:\w+>", "w1", place))
    for methods, place, _why in NOT_SERVED
    for method in methods.split()
]


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
         .replace("{kind}", "user").replace("{name}", "ann")
         .replace("{org}", "w1").replace("{project}", "w1"))
        for path, operations in api.get_openapi_schema(path_prefix="")["paths"].items()
        for method in operations
    }  # fmt: skip
    table = {(m, p.partition("?")[0]) for m, p, *_ in OPERATIONS}
    assert table | {HANDSHAKE, *REFUSED} == known


@pytest.mark.parametrize(
    ("method", "path"), [*REFUSED, *REFUSED_TOO, ("GET", "/v2/entities/user/ann/profile/")]
)
def test_what_is_not_served_says_what_there_is_instead(method, path):
    client = client_for(api_key(scopes=["read"])[1])
    answer = send(client, method, path, None)
    assert (answer.status_code, answer.json()["code"]) == (501, "not_served")
    assert answer.json()["error"] == answer.json()["detail"]
    assert send(Client(), method, path, None).status_code == 401


def test_another_method_there_is_refused_in_words():
    answer = send(client_for(api_key()[1]), "GET", "/v1/summary/", None)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
