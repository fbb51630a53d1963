"""Asking a model: what is sent, what is taken for an answer, and when it is asked again."""

import json
import time

import pytest

from memory.write import model
from memory.write.model import ModelUnavailable, ask, is_configured
from tests import model_server
from tests.model_server import ModelServer, Reply, as_json, error, message, said

from .drink import CHAT, KEY, TEA, Drink


def test_a_question_as_it_goes_out_and_its_answer(asked):
    answer, requests = asked(said(TEA))
    assert answer == Drink(name="茶", cups=2)
    (request,) = requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert request.body["model"] == "small"
    assert request.body["messages"] == CHAT
    assert request.body["temperature"] == 0
    assert request.body["stream"] is False
    wanted = request.body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"]["required"] == ["name", "cups"]


def test_without_a_key_no_authorization_goes_out(configured, settings):
    with ModelServer(said(TEA)) as server:
        configured(server)
        settings.MODEL_KEY = ""
        ask(CHAT, Drink)
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize("missing", ["MODEL_URL", "MODEL_NAME"])
def test_nothing_is_asked_without_an_address_and_a_name(configured, settings, missing):
    with ModelServer(said(TEA)) as server:
        configured(server)
        assert is_configured()
        setattr(settings, missing, "")
        assert not is_configured()
        with pytest.raises(ModelUnavailable, match=r"^not_configured$"):
            ask(CHAT, Drink)
    assert server.requests == []


@pytest.mark.parametrize(
    "content",
    [
        "```json\n" + json.dumps(TEA) + "\n```",
        "Here you are: " + json.dumps(TEA, ensure_ascii=False) + " Enjoy!",
        '<think>{"name": "coffee"} or tea?</think>\n' + json.dumps(TEA),
        json.dumps(TEA | {"why": "cheap"}),
    ],
)
def test_the_json_is_found_in_what_a_model_says_around_it(asked, content):
    answer, requests = asked(said(content))
    assert answer == Drink(**TEA)
    assert len(requests) == 1


def test_the_body_decides_not_its_content_type(asked):
    answer, _ = asked(said(TEA, headers={"Content-Type": "text/plain"}))
    assert answer == Drink(**TEA)
    code, requests = asked(model_server.PAGE)
    assert (code, len(requests)) == ("not_json", 1)


BROKEN = said('{"name": "茶", "cups": ')
MISSHAPEN = said({"name": "茶", "cups": "two"})


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (BROKEN, "no JSON"),
        (said("I would rather not."), "no JSON"),
        (said('{"name": "茶", "cups": NaN}'), "no JSON"),
        (said("[" * 100_000), "no JSON"),
        (MISSHAPEN, "cups"),
        (said([TEA]), "the whole"),
        (said({"cups": 2}), "name"),
        (model_server.TOOL_CALL, "no tools"),
    ],
)
def test_a_bad_answer_is_told_to_the_model_once(asked, bad, complaint):
    answer, requests = asked(bad, said(TEA))
    assert answer == Drink(**TEA)
    first, second = requests
    assert first.messages == CHAT
    assert second.messages[:1] == CHAT
    assert [said["role"] for said in second.messages] == ["user", "assistant", "user"]
    assert complaint in second.messages[-1]["content"]
    assert all(len(said["content"]) <= 2_000 for said in second.messages)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (BROKEN, "not_json"),
        (MISSHAPEN, "wrong_shape"),
        (model_server.TOOL_CALL, "tool_call"),
        (model_server.NO_CHOICE, "empty"),
        (model_server.SILENCE, "empty"),
        (as_json(message(None)), "empty"),
        (error(500), "http_500"),
        (error(503), "http_503"),
    ],
)
def test_what_stays_bad_is_asked_twice_and_no_more(asked, bad, code):
    got, requests = asked(bad)
    assert (got, len(requests)) == (code, 2)


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (error(401), "http_401"),
        (error(404, "no such model"), "http_404"),
        (error(400, "context is too long"), "http_400"),
        (error(429), "http_429"),
        (error(429, Retry_After="30"), "http_429"),
        (error(429, Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"), "http_429"),
        (error(429, Retry_After="-1"), "http_429"),
        (as_json({"choices": "none"}), "wrong_shape"),
        (as_json([]), "wrong_shape"),
        (as_json({"choices": [{"message": "hello"}]}), "wrong_shape"),
        (as_json(message([{"type": "text", "text": "{}"}])), "wrong_shape"),
        (as_json(message('{"name": "te', "length")), "too_long"),
        (model_server.HUGE, "too_long"),
        (Reply(b"\xff\xfe\xfa"), "not_json"),
        (Reply(b"[" * 100_000), "not_json"),
    ],
)
def test_what_asking_again_would_not_mend_is_asked_once(asked, bad, code):
    got, requests = asked(bad)
    assert (got, len(requests)) == (code, 1)


def test_after_a_failure_of_the_server_the_same_is_asked_again(asked):
    answer, (first, second) = asked(error(502), said(TEA))
    assert answer == Drink(**TEA)
    assert second.body == first.body


def test_a_short_retry_after_is_waited_for(asked, monkeypatch):
    slept = []
    monkeypatch.setattr(model.time, "sleep", slept.append)
    answer, requests = asked(error(429, Retry_After="2"), said(TEA))
    assert (answer, len(requests), slept) == (Drink(**TEA), 2, [2])


def test_a_retry_after_beyond_the_time_left_is_not_waited_for(asked, monkeypatch):
    monkeypatch.setattr(model.time, "sleep", lambda seconds: pytest.fail("waited"))
    code, requests = asked(error(429, Retry_After="2"), said(TEA), seconds=1)
    assert (code, len(requests)) == ("http_429", 1)


@pytest.mark.parametrize(
    "slow", [said(TEA, delay=0.5), said(TEA, drip=0.05)], ids=["silent", "drop by drop"]
)
def test_the_time_is_bounded_however_the_server_spends_it(asked, slow):
    begun = time.monotonic()
    code, requests = asked(slow, seconds=0.2)
    assert (code, len(requests)) == ("timeout", 1)
    # The drops alone would take 8 s.
    assert time.monotonic() - begun < 4


def test_the_second_try_has_only_the_time_that_the_first_left(asked):
    code, requests = asked(said("hm", delay=0.25), said(TEA, delay=0.4), seconds=0.5)
    assert (code, len(requests)) == ("timeout", 2)


def test_a_redirect_is_not_followed(asked):
    with ModelServer(said(TEA)) as elsewhere:
        for status in (301, 302, 307, 308):
            away = error(status, Location=elsewhere.url + "/chat/completions")
            code, requests = asked(away)
            assert (code, len(requests)) == (f"http_{status}", 1)
    assert elsewhere.requests == []
