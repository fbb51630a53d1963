"""The paths of older clients and of mem0's self-hosted server, and what is no path of either."""

import json
import uuid

import pytest
from django.test import Client

from memory.models import Memory, Status
from tests.factories import api_key, client_for, remember, scope

pytestmark = pytest.mark.django_db
ANN = {"user_id": "ann"}


def agent(**fields) -> Client:
    return client_for(api_key(**fields)[1])


def send(client: Client, method: str, path: str, body=None):
    sent = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
    answer = client.generic(method, path, **sent)
    assert answer["Content-Type"].startswith("application/"), path
    return answer


def add(client: Client, text: str, path: str = "/v1/memories/") -> dict:
    messages = [{"role": "user", "content": text}]
    answer = send(client, "POST", path, {"messages": messages, "infer": False, **ANN})
    assert answer.status_code == 200, answer.content
    return answer.json()["results"][0]


def test_lists_and_searches_of_the_first_two_versions_are_bare():
    client = agent()
    add(client, "green tea")
    for answer in (
        send(client, "GET", "/v1/memories/?user_id=ann"),
        send(client, "POST", "/v2/memories/", {"filters": ANN}),
        send(client, "POST", "/v1/memories/search/", {"query": "green tea", **ANN}),
        send(client, "POST", "/v2/memories/search/", {"query": "green tea", "filters": ANN}),
    ):
        assert [row["memory"] for row in answer.json()] == ["green tea"]
    for answer in (
        send(client, "GET", "/v1/memories/?user_id=ann&page=1"),
        send(client, "POST", "/v2/memories/?page=1&page_size=5", {"filters": ANN}),
        send(client, "POST", "/v2/memories/search/",
             {"query": "green tea", "filters": ANN, "output_format": "v1.1"}),
    ):  # fmt: skip
        assert [row["memory"] for row in answer.json()["results"]] == ["green tea"]


def test_the_self_hosted_paths():
    client = Client(headers={"x-api-key": api_key()[1]})
    first = add(client, "我喜欢绿茶", "/mem0/memories")
    path = f"/mem0/memories/{first['id']}"
    assert send(client, "GET", path).json()["memory"] == "我喜欢绿茶"
    assert send(client, "PUT", path, {"text": "我喜欢红茶"}).json()["version"] == 2
    found = send(client, "POST", "/mem0/search", {"query": "红茶", "filters": ANN}).json()
    assert [row["memory"] for row in found["results"]] == ["我喜欢红茶"]
    listed = send(client, "GET", "/mem0/memories?user_id=ann&top_k=5").json()
    assert len(listed["results"]) == 1
    assert [h["event"] for h in send(client, "GET", path + "/history").json()] == ["ADD", "UPDATE"]
    assert send(client, "DELETE", path).status_code == 200
    add(client, "我喜欢咖啡", "/mem0/memories")
    assert send(client, "DELETE", "/mem0/memories?user_id=ann").json()["count"] == 1
    assert send(client, "DELETE", "/mem0/memories").status_code == 400
    assert not Memory.objects.within(scope()).filter(status=Status.ACTIVE).exists()


@pytest.mark.parametrize(
    "path",
    [
        "/v1/nothing/", "/v3/", "/mem0/nothing", "/v1/memories/not-an-id/",
        f"/v1/memories/{uuid.UUID(int=7)}/", f"/mem0/memories/{uuid.UUID(int=7)}",
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_a_page(path):
    answer = send(agent(), "GET", path)
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/ping/"),
        ("GET", "/v1/memories/?user_id=ann"),
        ("POST", "/v3/memories/add/"),
        ("DELETE", "/v1/memories/?user_id=ann"),
        ("GET", "/mem0/memories?user_id=ann"),
    ],
)
def test_nobody_without_a_key(method, path):
    answer = send(Client(), method, path, {} if method == "POST" else None)
    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthorised"
    assert answer.json()["error"] == answer.json()["detail"]


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b"null", b'{"query": NaN}'])
@pytest.mark.parametrize("path", ["/v3/memories/add/", "/v3/memories/search/", "/v3/memories/"])
def test_what_is_no_body_is_refused_in_words(path, raw):
    answer = agent().post(path, raw, content_type="application/json")
    assert 400 <= answer.status_code < 500
    assert answer.json()["detail"]


def test_delete_all_takes_filters_as_json_only():
    client = agent()
    remember(text="tea")
    wrong = send(client, "DELETE", "/v1/memories/?filters={'user_id': 'ann'}")
    assert wrong.status_code == 400
    right = send(client, "DELETE", '/v1/memories/?filters={"user_id": "ann"}')
    assert right.json()["count"] == 1


@pytest.mark.parametrize("query", ["page=0", "page=200000", "page=x", "page_size=0"])
def test_pages_are_bounded(query):
    answer = send(agent(), "POST", f"/v3/memories/?{query}", {"filters": ANN})
    assert answer.status_code == 400


def test_a_page_costs_the_same_for_many_rows(django_assert_max_num_queries):
    client = agent()
    for number in range(12):
        remember(text=f"note number {number}")
    send(client, "POST", "/v3/memories/", {"filters": ANN})
    with django_assert_max_num_queries(8):
        send(client, "POST", "/v3/memories/?page_size=2", {"filters": ANN})
    with django_assert_max_num_queries(8):
        send(client, "POST", "/v3/memories/?page_size=12", {"filters": ANN})
