"""What webhooks are told, and how often it is tried."""

import base64
import hashlib
import hmac
import json
import socket
from datetime import timedelta
from pathlib import Path

import pytest

from memory import addresses, clock
from memory.jobs import deliveries as module
from memory.jobs.deliveries import BACKOFF, attempt
from memory.models import Delivery, ScopeError, Webhook
from memory.write import webhooks
from memory.write.apply import apply
from memory.write.correction.road import propose
from memory.write.erase.road import erase
from memory.write.proposal import InvalidInput
from memory.write.revise import plan_retract
from memory.write.transaction import write_transaction
from memory.write.undo import plan_undo
from tests import factories as make
from tests.model_server import ModelServer, Reply

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
NOON = make.instant("2026-05-01 12:00")


@pytest.fixture
def here(monkeypatch):
    """The tests' server is on this machine; that nothing is sent there is tested elsewhere."""
    monkeypatch.setattr(addresses, "is_of_the_world", lambda number: True)


def hook(url: str = "http://127.0.0.1:9/x", events=webhooks.EVENTS, of=None) -> Webhook:
    return webhooks.add_webhook(make.scope(of), url, events)


def told() -> list[tuple[str, int]]:
    rows = Delivery.everywhere.order_by("pk")
    return [(row.event, row.payload.get("count")) for row in rows]


def newest() -> Delivery:
    return Delivery.everywhere.select_related("webhook").latest("pk")


def test_each_change_is_told_with_ids_and_without_a_word_of_it(here):
    hook()
    row = make.budget("1200000")
    new = make.budget("1300000")
    apply(plan_retract(make.scope(), [new]).plan("retract", "wrong"))
    erase(make.scope(), row, "asked", seen=None)
    make.remember(text="也许喜欢爬山", confidence=0.2, source="inferred")
    events = [event for event, _ in told()]
    assert events[:4] == [
        "memory.added", "memory.superseded", "memory.added", "memory.retracted",
    ] or sorted(events[1:3]) == ["memory.added", "memory.superseded"]  # fmt: skip
    assert {"memory.retracted", "memory.erased", "review.waiting"} <= set(events)
    kept = json.dumps(list(Delivery.everywhere.values_list("payload", flat=True)))
    assert str(new.public_id) in kept
    for word in ("1200000", "1300000", "爬山"):
        assert word not in kept


def test_only_what_was_asked_for_and_only_of_the_own_workspace(here):
    hook(events=["memory.retracted"])
    hook(of=make.workspace("w2"))
    make.budget("1200")
    assert told() == []


def test_what_is_rolled_back_was_never_told(here):
    hook()

    def half() -> None:
        with write_transaction():
            make.budget("1200")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert told() == []


def test_undoing_tells_too_and_a_paused_webhook_hears_nothing(here):
    kept = hook()
    batch = make.written(entity="user", attribute="预算", value="640").batch
    webhooks.pause(kept, is_paused=True)
    apply(plan_undo(make.scope(), batch).plan("undo", "", undoes=batch))
    assert len(told()) == 1
    assert not webhooks.due().exists()
    webhooks.pause(kept, is_paused=False)
    assert webhooks.due().exists()


def test_a_blocked_correction_is_told(here):
    hook(events=["correction.blocked"])
    for number in range(60):
        make.remember(entity="蓝湾店", attribute=f"货架{number}", value=f"第{number}层")
    found = propose(make.scope(), "忘掉所有关于蓝湾店的内容", user_id="ann")
    assert found.blocked
    assert told() == [("correction.blocked", found.count)]


def test_what_is_sent_is_signed_and_comes_once(here):
    with ModelServer(Reply(b"ok")) as server:
        kept = hook(server.url + "/hook")
        make.budget("1200")
        with clock.at(NOON):
            assert attempt(newest())
        (request,) = server.requests
    sent = {name.lower(): value for name, value in request.headers.items()}
    row = newest()
    assert sent["webhook-id"] == str(row.public_id)
    assert sent["webhook-timestamp"] == str(int(NOON.timestamp()))
    secret = base64.b64decode(kept.secret.removeprefix("whsec_"))
    said = f"{row.public_id}.{int(NOON.timestamp())}.".encode() + module.body_of(row)
    good = base64.b64encode(hmac.new(secret, said, hashlib.sha256).digest()).decode()
    assert sent["webhook-signature"] == f"v1,{good}"
    assert request.body["type"] == "memory.added"
    assert (row.status, row.attempts, row.due_at) == (200, 1, None)
    assert row.done_at == NOON


def test_the_documented_check_takes_what_is_genuine_and_nothing_else(here):
    text = (ROOT / "docs" / "webhooks.md").read_text(encoding="utf-8")
    code, named = text.split("```python\n")[1].split("```")[0], {}
    exec(code, named)
    kept = hook()
    make.budget("1200")
    row, body = newest(), module.body_of(newest())
    moment = int(clock.now().timestamp())
    headers = module.signed_headers(kept, str(row.public_id), moment, body)
    assert named["is_genuine"](kept.secret, headers, body)
    old = module.signed_headers(kept, str(row.public_id), moment - 301, body)
    other = headers | {"webhook-id": "another"}
    for wrong, said in ((headers, body + b" "), (old, body), (other, body)):
        assert not named["is_genuine"](kept.secret, wrong, said)


def test_a_failure_is_tried_again_later_and_later_and_then_given_up(here):
    with ModelServer(Reply(b"no", status=500)) as server:
        hook(server.url)
        make.budget("1200")
        moment, waits = clock.now(), []
        for _ in range(len(BACKOFF) + 1):
            with clock.at(moment):
                assert not attempt(newest())
            due = newest().due_at
            if due:
                waits.append(due - moment)
                moment = due
        ids = {request.headers.get("webhook-id") for request in server.requests}
    assert waits == list(BACKOFF)
    row = newest()
    assert (row.status, row.done_at, row.attempts) == (500, None, len(BACKOFF) + 1)
    assert len(ids) == 1


def test_a_redirect_is_not_followed_and_the_answer_is_not_kept(here):
    with ModelServer(Reply(b"inner secret", status=302, headers={"Location": "/in"})) as server:
        hook(server.url)
        make.budget("1200")
        attempt(newest())
        assert len(server.requests) == 1
    row = newest()
    assert (row.status, row.done_at, row.error) == (302, None, "")


def test_the_address_is_judged_again_when_it_is_called(here, monkeypatch):
    with ModelServer(Reply(b"ok")) as server:
        hook(server.url)
        make.budget("1200")
        monkeypatch.undo()
        attempt(newest())
        assert server.requests == []
    assert "nothing is sent" in newest().error


def test_what_was_judged_is_what_is_connected_to(here, monkeypatch):
    """A name that resolves otherwise the second time leads nowhere else."""
    with ModelServer(Reply(b"ok")) as server:
        port = int(server.url.rpartition(":")[2].partition("/")[0])
        asked = []
        real = socket.getaddrinfo

        def first_only(host, *args, **more):
            if host != "hook.test":
                return real(host, *args, **more)
            asked.append(host)
            number = "127.0.0.1" if len(asked) <= 2 else "10.0.0.1"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port))]

        monkeypatch.setattr(socket, "getaddrinfo", first_only)
        hook(f"http://hook.test:{port}/x")
        make.budget("1200")
        assert attempt(newest())
        assert len(server.requests) == 1
        assert server.requests[0].headers["Host"] == f"hook.test:{port}"
    assert len(asked) == 2


def test_the_job_tells_what_waits_and_an_event_can_be_sent_again(here):
    with ModelServer(Reply(b"ok")) as server:
        hook(server.url)
        make.budget("1200")
        assert module.deliver.call() == {"tried": 1, "told": 1}
        assert module.deliver.call() == {"tried": 0, "told": 0}
        webhooks.redeliver(newest())
        assert module.deliver.call() == {"tried": 1, "told": 1}
        ids = [request.headers["webhook-id"] for request in server.requests]
    assert ids == [str(newest().public_id)] * 2


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "ftp://example.org/", "http://localhost/"])
def test_a_private_or_odd_address_is_not_kept(url):
    with pytest.raises(InvalidInput):
        hook(url)
    assert not Webhook.objects.exists()


def test_unknown_events_none_and_too_many_webhooks_are_refused(here):
    for events in (["memory.read"], []):
        with pytest.raises(InvalidInput):
            hook(events=events)
    for _ in range(webhooks.MOST_HOOKS):
        hook()
    with pytest.raises(InvalidInput):
        hook()


def test_a_scope_of_one_user_has_no_webhooks(here):
    with pytest.raises(ScopeError):
        webhooks.add_webhook(make.scope(user_id="ann"), "http://127.0.0.1/", ["memory.added"])


def test_what_is_over_goes_after_a_month(here):
    hook()
    make.budget("1200")
    Delivery.everywhere.update(due_at=None)
    assert webhooks.forget_old() == 0
    with clock.at(clock.now() + timedelta(days=31)):
        assert webhooks.forget_old() == 1
