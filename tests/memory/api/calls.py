"""Calling the API as agents do."""

import json

from django.test import Client

from tests.factories import api_key, client_for

ROOT = "/api/v1"


def owner(**fields) -> Client:
    """A client whose key may do everything in workspace w1."""
    return client_for(api_key(**fields)[1])


def call(client: Client, method: str, path: str, body=None, *, raw: bytes | None = None, **headers):
    """One request; the answer also has `.problem` (its code, or "") and `.data`."""
    sent = {} if method == "GET" and body is None else {"content_type": "application/json"}
    if raw is not None or body is not None:
        sent["data"] = raw if raw is not None else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.generic(method, ROOT + path, headers=named, **sent)
    # A file is no JSON.
    answer.data = None if answer.streaming else json.loads(answer.content, parse_constant=_not_json)
    refused = answer.status_code >= 400
    assert refused == (answer["Content-Type"] == "application/problem+json")
    answer.problem = answer.data["code"] if refused else ""
    return answer


def get(client: Client, path: str, **query):
    named = {name: value for name, value in query.items() if value is not None}
    answer = client.get(ROOT + path, named)
    answer.data = json.loads(answer.content, parse_constant=_not_json)
    answer.problem = answer.data["code"] if answer.status_code >= 400 else ""
    return answer


def post(client: Client, path: str, body=None, **headers):
    return call(client, "POST", path, {} if body is None else body, **headers)


def written(client: Client, **body) -> dict:
    """The memory that a write made or met."""
    answer = post(client, "/memories", {"user_id": "ann"} | body)
    assert answer.status_code == 201, answer.data
    return answer.data["results"][0]["memory"]


def fields_named(answer) -> set[str]:
    return {error["field"] for error in answer.data["errors"]}


def _not_json(name: str):
    raise AssertionError(f"{name} in an answer")


def shape(value):
    """Nothing but the names in a JSON value."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return None


def holds_to(form, data) -> bool:
    """Whether `data` is what the documented form says: every name but optional ones, no other,
    right types."""
    known = form.model_validate(data).model_dump(mode="json", by_alias=True, exclude_unset=True)
    return shape(known) == shape(data)
