"""The pages of webhooks."""

import inspect
import re
from html import escape

import pytest
from django.urls import reverse

from audit.console.webhooks import EVENT_TEXTS, WORDS
from memory import addresses
from memory.models import Delivery, Role, Webhook
from memory.write.webhooks import EVENTS
from tests import factories as make
from tests.audit.console.pages_kit import queries, text_of

pytestmark = pytest.mark.django_db
URL = "http://127.0.0.1:9/hook"
LIST = "/settings/webhooks/"


def admin():
    return make.logged_in(make.person("ada", role=Role.ADMIN))


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(addresses, "is_of_the_world", lambda number: True)


def made(client) -> Webhook:
    client.post(LIST, {"url": URL, "events": list(EVENTS)})
    return Webhook.objects.latest("pk")


def act(client, webhook: Webhook, verb: str, **sent):
    return client.post(reverse("webhook-act", args=[webhook.public_id, verb]), sent, follow=True)


def test_the_secret_is_shown_once(here):
    client = admin()
    assert "No webhook yet" in text_of(client.get(LIST))
    answer = client.post(LIST, {"url": URL, "events": ["memory.added"]})
    secret = re.search(r'id="secret">(whsec_[^<]+)<', text_of(answer))[1]
    assert answer["Cache-Control"] == "no-store"
    webhook = Webhook.objects.get()
    assert webhook.secret == secret.replace("&#x27;", "'")
    for path in (LIST, f"{LIST}{webhook.public_id}/"):
        assert secret not in text_of(client.get(path))


def test_events_are_told_in_words_and_what_was_made_is_not_offered_again(here):
    client = admin()
    page = text_of(client.get(LIST))
    for event in EVENTS:
        assert f"{escape(str(EVENT_TEXTS[event]))} <code" in page
    answer = text_of(client.post(LIST, {"url": URL, "events": list(EVENTS)}))
    assert f'value="{URL}"' not in answer
    assert "everything" in answer
    refused = text_of(client.post(LIST, {"url": "ftp://x", "events": list(EVENTS)}))
    assert 'value="ftp://x"' in refused


def test_every_reason_to_refuse_an_address_is_marked_for_the_catalogues():
    said = set(re.findall(r'RefusedAddress\("([^"]+)"\)', inspect.getsource(addresses)))
    assert said == set(WORDS)


def test_a_private_address_is_refused_with_a_word_and_makes_nothing():
    answer = admin().post(LIST, {"url": "http://169.254.169.254/", "events": ["memory.added"]})
    assert answer.status_code == 422
    assert "nothing is sent to" in text_of(answer)
    assert not Webhook.objects.exists()


def test_deliveries_are_told_and_can_be_sent_again(here):
    client = admin()
    webhook = made(client)
    make.budget("1200")
    Delivery.everywhere.update(due_at=None, attempts=7, status=500)
    page = text_of(client.get(f"{LIST}{webhook.public_id}/"))
    assert "memory.added" in page
    assert "given up" in page
    row = Delivery.everywhere.get()
    assert "sent again" in text_of(act(client, webhook, "redeliver", delivery=row.public_id))
    row.refresh_from_db()
    assert (row.attempts, row.status) == (0, None)
    assert row.due_at is not None
    for wrong in ("", "nonsense", "00000000-0000-0000-0000-000000000009"):
        assert act(client, webhook, "redeliver", delivery=wrong).status_code == 404


def test_what_came_back_is_told_in_words(here):
    client = admin()
    webhook = made(client)
    make.budget("1200")
    where = reverse("webhook", args=[webhook.public_id])
    for error, words in (
        ("timeout", "no answer in time"),
        ("refused", "no connection, or it broke off"),
        ("the address has no host that is known", ">has no host that is known"),
        ("never heard", "never heard"),
    ):
        Delivery.everywhere.update(error=error)
        assert words in text_of(client.get(where))
    Delivery.everywhere.update(status=503)
    assert ">503<" in text_of(client.get(where))


def test_pause_go_on_and_remove(here):
    client = admin()
    webhook = made(client)
    assert "Go on" in text_of(act(client, webhook, "pause"))
    make.budget("1200")
    assert not Delivery.everywhere.exists()
    act(client, webhook, "resume")
    make.budget("1300")
    assert Delivery.everywhere.exists()
    assert act(client, webhook, "explode").status_code == 404
    act(client, webhook, "remove")
    assert not Webhook.objects.exists()


def test_more_deliveries_ask_no_more_questions(here):
    client = admin()
    webhook = made(client)
    make.budget("1")
    few = queries(client, f"{LIST}{webhook.public_id}/")
    for number in range(2, 6):
        make.budget(str(number))
    assert queries(client, f"{LIST}{webhook.public_id}/") == few


def test_only_admins_of_the_workspace_see_them(here):
    webhook = made(admin())
    operator = make.logged_in(make.person("otto", role=Role.OPERATOR))
    assert operator.get(LIST).status_code == 403
    stranger = make.logged_in(make.person("sam", make.workspace("w2"), Role.ADMIN))
    assert URL not in text_of(stranger.get(LIST))
    assert stranger.get(f"{LIST}{webhook.public_id}/").status_code == 404
    assert act(stranger, webhook, "remove").status_code == 404
    assert Webhook.objects.count() == 1
