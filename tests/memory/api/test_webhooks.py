"""Webhooks over HTTP."""

import pytest

from memory import addresses
from memory.models import Delivery, Webhook
from tests.factories import api_key, budget, client_for, workspace
from tests.memory.api.calls import get, owner, post

pytestmark = pytest.mark.django_db
URL = "http://127.0.0.1:9/hook"


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.setattr(addresses, "is_of_the_world", lambda number: True)


def test_a_webhook_is_made_listed_read_and_removed_and_its_secret_told_once():
    client = owner()
    made = post(client, "/webhooks", {"url": URL, "events": ["memory.added"]})
    assert made.status_code == 201
    secret = made.data["secret"]
    assert secret.startswith("whsec_")
    path = f"/webhooks/{made.data['id']}"
    for answer in (get(client, "/webhooks"), get(client, path)):
        assert secret not in answer.content.decode()
    assert get(client, path).data["events"] == ["memory.added"]
    budget("1200")
    (told,) = get(client, f"{path}/deliveries").data["items"]
    assert (told["event"], told["attempts"], told["status"]) == ("memory.added", 0, None)
    assert client.delete(f"/api/v1{path}").status_code == 204
    assert get(client, path).problem == "not_found"
    assert not Delivery.everywhere.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": "ftp://example.org"}, "url"),
        ({"url": ""}, "url"),
        ({"url": URL, "events": []}, "events"),
        ({"url": URL, "events": ["memory.read"]}, "events"),
        ({"url": URL, "secret": "mine"}, "secret"),
    ],
)
def test_bad_input_makes_none(body, field):
    answer = post(owner(), "/webhooks", body)
    assert (answer.status_code, answer.problem) == (422, "invalid")
    assert field in {error["field"] for error in answer.data["errors"]}
    assert not Webhook.objects.exists()


def test_strangers_get_the_answer_for_no_webhook_and_bound_keys_none_at_all():
    made = post(owner(), "/webhooks", {"url": URL}).data
    stranger = client_for(api_key(workspace("w2"), name="other")[1])
    nothing = "/webhooks/00000000-0000-0000-0000-000000000009"
    for end in ("", "/deliveries"):
        theirs = get(stranger, f"/webhooks/{made['id']}{end}")
        assert theirs.status_code == 404
        assert theirs.content == get(stranger, nothing + end).content
    assert get(stranger, "/webhooks").data["items"] == []
    assert stranger.delete(f"/api/v1/webhooks/{made['id']}").status_code == 404
    bound = client_for(api_key(user_id="ann", name="ann")[1])
    assert get(bound, "/webhooks").problem == "outside_scope"
    assert post(bound, "/webhooks", {"url": URL}).problem == "outside_scope"
    assert Webhook.objects.count() == 1
